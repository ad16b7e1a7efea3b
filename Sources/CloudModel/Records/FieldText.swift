public import Basics

/// The text of one field of a record, before the value has a type.
public struct FieldText: Sendable {
  /// The field's name as written.
  public var name: FieldName
  /// The value as written.
  public var value: JSONValue
  /// Whether it was written as a table cell, which is parsed by the field's type.
  public var isCell: Bool
  /// The position of the value.
  public var position: TextPosition

  /// Creates a value.
  public init(
    _ name: FieldName, _ value: JSONValue, isCell: Bool = false, at position: TextPosition
  ) {
    self.name = name
    self.value = value
    self.isCell = isCell
    self.position = position
  }
}
