/// A record as the store has it under its hands, for writing many of them out: nothing is
/// copied, and all of it is valid only until the next record is read.
public final class RecordView {
  /// The record's name in UTF-8.
  public var name: UnsafeRawBufferPointer
  /// What it shares with the others of its type and zone.
  public let shape: Shape
  /// The parent's name.
  public var parent: RecordName?
  /// What every record has besides; nil where nobody requested it.
  public var system: System?
  /// The values, by the places of the schema's fields.
  public var values: [Value]

  /// A view without values.
  public init(_ shape: Shape) {
    name = UnsafeRawBufferPointer(start: nil, count: 0)
    self.shape = shape
    values = []
  }

  /// The type and the zone of records.
  public final class Shape: Sendable {
    /// The records' type with its fields.
    public let schema: RecordTypeSchema
    /// The zone that they are in.
    public let zone: ZoneID

    /// Puts them together.
    public init(_ schema: RecordTypeSchema, _ zone: ZoneID) {
      (self.schema, self.zone) = (schema, zone)
    }
  }

  /// Number, dates and users of a record.
  public struct System {
    /// The number of the record's last change.
    public var sequence: Int64
    /// When it was made, in milliseconds since 1970, and by whom.
    public var created: (at: Int64, by: UserRecordName)
    /// When it was changed last, and by whom.
    public var modified: (at: Int64, by: UserRecordName)
    /// The record of its share.
    public var share: RecordName?

    /// Puts them together.
    public init(
      sequence: Int64, created: (at: Int64, by: UserRecordName),
      modified: (at: Int64, by: UserRecordName), share: RecordName?
    ) {
      (self.sequence, self.created, self.modified) = (sequence, created, modified)
      self.share = share
    }
  }

  /// A value in the form that is at hand.
  public enum Value {
    /// No value.
    case none
    /// A text in UTF-8.
    case text(UnsafeRawBufferPointer)
    /// A list of texts or numbers as JSON text, just as plain JSON has it.
    case plainList(UnsafeRawBufferPointer)
    /// A list of references without actions: their names as JSON text, none missing.
    case references(UnsafeRawBufferPointer)
    /// Any other value.
    case value(FieldValue)
  }
}
