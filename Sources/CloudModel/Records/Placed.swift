/// A value that was read from a text, and its position there.
public struct Placed<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// The position of the value.
  public let position: TextPosition

  /// Puts a value and its position together.
  public init(_ value: Value, at position: TextPosition) {
    self.value = value
    self.position = position
  }
}
