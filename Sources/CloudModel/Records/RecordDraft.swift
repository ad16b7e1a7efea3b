/// A record as read from a text; nothing has been checked against a schema.
public struct RecordDraft: Sendable {
  /// The record's name; nil for a new one.
  public var name: String?
  /// The record's type.
  public var type: String?
  /// The zone's name.
  public var zone: String?
  /// The owner of the zone, if the text names one.
  public var zoneOwner: String?
  /// The parent's name.
  public var parent: String?
  /// The parent's zone, if the text names it; it must be the record's own (R5.8, R5.11).
  public var parentZone: ZoneID?
  /// Whether the text explicitly removes the parent (`"parent": null`). Omitting the key keeps a
  /// stored parent.
  public var removesParent = false
  /// Whether the record is to be deleted.
  public var isDeletion = false
  /// The change tag of the version that it is based on.
  public var changeTag: String?
  /// The values, in the order of the text.
  public var fields: [Field] = []
  /// The position of the record.
  public var position = TextPosition(line: 1, column: 1)

  /// Whether it is a share's record to be saved.
  public var isShare: Bool { type == RecordType.share.text && !isDeletion }

  /// An empty draft.
  public init() {}

  /// The zone that the text names in a database; nil for none. Throws `invalidArguments`.
  ///
  /// The owner counts only in the shared database. Elsewhere it is a user of the store or the
  /// iCloud account of the text, and is ignored, like `created` and `modified`.
  public func zoneID(in scope: DatabaseScope) throws(CloudError) -> ZoneID? {
    guard let zone else { return nil }
    guard scope == .shared, let zoneOwner else { return try ZoneID(zone) }
    return try ZoneID(name: zone, owner: zoneOwner)
  }

  /// A value of a draft.
  public struct Field: Sendable {
    /// The field's name as written.
    public var name: FieldName
    /// The value; nil for none.
    public var value: FieldValue?
    /// The type that was written with the value.
    public var type: FieldType?
    /// The position of the value.
    public var position: TextPosition

    /// Creates a value.
    public init(
      _ name: FieldName, _ value: FieldValue?, type: FieldType? = nil, at position: TextPosition
    ) {
      self.name = name
      self.value = value
      self.type = type
      self.position = position
    }
  }
}
