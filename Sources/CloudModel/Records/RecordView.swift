/// A record in the store's own memory, for writing many records: nothing is copied, and all of it
/// is valid only until the next record is read.
public final class RecordView {
  /// The record's name in UTF-8.
  public var name: UnsafeRawBufferPointer
  /// The type and zone, shared with other records.
  public let shape: Shape
  /// The parent's name.
  public var parent: RecordName?
  /// The system fields; nil unless requested.
  public var system: System?
  /// The values, by the places of the schema's fields.
  public var values: [Value]

  /// Creates a view without values.
  public init(_ shape: Shape) {
    name = UnsafeRawBufferPointer(start: nil, count: 0)
    self.shape = shape
    values = []
  }

  /// The type and the zone of records.
  public final class Shape: Sendable {
    /// The records' type with its fields.
    public let schema: RecordTypeSchema
    /// The records' zone.
    public let zone: ZoneID

    /// Creates a shape.
    public init(_ schema: RecordTypeSchema, _ zone: ZoneID) {
      (self.schema, self.zone) = (schema, zone)
    }
  }

  /// Number, dates and users of a record.
  public struct System {
    /// The number of the record's last change.
    public var sequence: Int64
    /// When it was created, in milliseconds since 1970, and by whom.
    public var created: (at: Int64, by: UserRecordName)
    /// When it was changed last, and by whom.
    public var modified: (at: Int64, by: UserRecordName)
    /// The name of its share.
    public var share: RecordName?

    /// Creates the system fields.
    public init(
      sequence: Int64, created: (at: Int64, by: UserRecordName),
      modified: (at: Int64, by: UserRecordName), share: RecordName?
    ) {
      (self.sequence, self.created, self.modified) = (sequence, created, modified)
      self.share = share
    }
  }

  /// A value in the form available.
  public enum Value {
    /// No value.
    case none
    /// A text in UTF-8.
    case text(UnsafeRawBufferPointer)
    /// A list of strings or numbers, as in plain JSON.
    case plainList(UnsafeRawBufferPointer)
    /// A list of references without actions: their names as a JSON list, with none missing.
    case references(UnsafeRawBufferPointer)
    /// Any other value.
    case value(FieldValue)
  }
}
