/// A record as it was read from a text: nothing has been checked against a schema.
public struct RecordDraft: Sendable {
  /// The record's name; nil for a new one.
  public var name: String?
  /// The record's type.
  public var type: String?
  /// The zone.
  public var zone: String?
  /// The parent's name.
  public var parent: String?
  /// Whether the text explicitly removes the parent (`"parent": null`). Leaving the key out keeps
  /// a stored parent.
  public var removesParent = false
  /// Whether the record is to be deleted.
  public var isDeletion = false
  /// The change tag of the version that it was made from.
  public var changeTag: String?
  /// The values, in the order of the text.
  public var fields: [Field] = []
  /// The zones that references name, in the order of the text: each must be the record's own
  /// (R5.11).
  public var referenceZones: [ReferenceZone] = []
  /// Where the record begins.
  public var position = TextPosition(line: 1, column: 1)

  /// An empty draft.
  public init() {}

  /// A zone that a reference of a draft names.
  public struct ReferenceZone: Sendable {
    /// The field that has the reference; `parent` for the parent.
    public var field: String
    /// The zone's name.
    public var zone: String
    /// Where the value stands.
    public var position: TextPosition

    /// Puts a zone and its place together.
    public init(_ zone: String, in field: String, at position: TextPosition) {
      self.zone = zone
      self.field = field
      self.position = position
    }
  }

  /// The first reference that names another zone than the record's own.
  public func foreignReference(to zone: ZoneName) -> (error: CloudError, at: TextPosition)? {
    guard let foreign = referenceZones.first(where: { $0.zone != zone.text }) else { return nil }
    return (.foreignReference(foreign.field, to: foreign.zone, of: name), foreign.position)
  }

  /// A value of a draft.
  public struct Field: Sendable {
    /// The field's name as it was written.
    public var name: FieldName
    /// The value; nil for none.
    public var value: FieldValue?
    /// The type that was written with the value.
    public var type: FieldType?
    /// Where the value stands.
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
