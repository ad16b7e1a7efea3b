public import Basics

/// What a text says about one field of a record, before the value has a type.
public struct FieldText: Sendable {
  /// The field's name as it was written.
  public var name: FieldName
  /// The value as it was written.
  public var value: JSONValue
  /// Whether it was written as the cell of a table, which the field's type says how to read.
  public var isCell: Bool
  /// The position of the value.
  public var position: TextPosition

  /// Puts a value together.
  public init(
    _ name: FieldName, _ value: JSONValue, isCell: Bool = false, at position: TextPosition
  ) {
    self.name = name
    self.value = value
    self.isCell = isCell
    self.position = position
  }
}
