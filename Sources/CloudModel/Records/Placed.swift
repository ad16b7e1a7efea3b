/// A value read from a text, and its position there.
public struct Placed<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// The position of the value.
  public let position: TextPosition

  /// Creates a value with its position.
  public init(_ value: Value, at position: TextPosition) {
    self.value = value
    self.position = position
  }
}
