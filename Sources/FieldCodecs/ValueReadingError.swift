/// The error for a JSON value that cannot be a field value.
public struct ValueReadingError: Error, Sendable {
  /// The reason, without a final period.
  public let message: String

  /// Creates an error.
  public init(_ message: String) { self.message = message }
}
