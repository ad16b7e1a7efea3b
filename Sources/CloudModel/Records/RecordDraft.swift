/// A record as it was read from a text: nothing has been checked against a schema.
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
  /// The parent's zone, where the text names it; it must be the record's own (R5.8, R5.11).
  public var parentZone: ZoneID?
  /// Whether the text explicitly removes the parent (`"parent": null`). Leaving the key out keeps
  /// a stored parent.
  public var removesParent = false
  /// Whether the record is to be deleted.
  public var isDeletion = false
  /// The change tag of the version that it was made from.
  public var changeTag: String?
  /// The values, in the order of the text.
  public var fields: [Field] = []
  /// Where the record begins.
  public var position = TextPosition(line: 1, column: 1)

  /// Whether it is the record of a share that is to be saved.
  public var isShare: Bool { type == RecordType.share.text && !isDeletion }

  /// An empty draft.
  public init() {}

  /// The zone of a database that the text names; nil for none. Throws `invalidArguments`.
  ///
  /// The owner counts in the shared database alone. Elsewhere it is a user of the store or the
  /// iCloud account that the text comes from, and means nothing, as `created` and `modified` do.
  public func zoneID(in scope: DatabaseScope) throws(CloudError) -> ZoneID? {
    guard let zone else { return nil }
    guard scope == .shared, let zoneOwner else { return try ZoneID(zone) }
    return try ZoneID(name: zone, owner: zoneOwner)
  }

  /// A value of a draft.
  public struct Field: Sendable {
    /// The field's name as it was written.
    public var name: FieldName
    /// The value; nil for none.
    public var value: FieldValue?
    /// The type that was written with the value.
    public var type: FieldType?
    /// Where the value is.
    public var position: TextPosition

    /// Puts a value together.
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
