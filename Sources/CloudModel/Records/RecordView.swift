/// A record as the store has it under its hands, for writing many of them out: nothing is
/// copied, and all of it is valid only until the next record is read.
public final class RecordView {
  /// The record's name in UTF-8.
  public var name: UnsafeRawBufferPointer
  /// The record's type with its fields.
  public let schema: RecordTypeSchema
  /// The zone that it is in.
  public let zone: ZoneName
  /// The parent's name.
  public var parent: RecordName?
  /// The values, by the places of the schema's fields.
  public var values: [Value]

  /// A view without values.
  public init(schema: RecordTypeSchema, zone: ZoneName) {
    name = UnsafeRawBufferPointer(start: nil, count: 0)
    self.schema = schema
    self.zone = zone
    values = []
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
