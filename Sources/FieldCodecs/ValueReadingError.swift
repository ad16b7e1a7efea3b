/// The reason why a JSON value cannot be a field value.
public struct ValueReadingError: Error, Sendable {
  /// The reason, as a sentence without its end.
  public let message: String

  /// Takes a reason.
  public init(_ message: String) { self.message = message }
}
