public import CloudModel

/// An error in a predicate, with its position.
public struct PredicateError: Error, Sendable, Equatable {
  /// The message, without a final period.
  public let message: String
  /// The position, in UTF-8 bytes of the text.
  public let span: Span
  /// The remedy.
  public let remedy: Remedy?

  /// Creates an error.
  public init(_ message: String, at span: Span, remedy: Remedy? = nil) {
    self.message = message
    self.span = span
    self.remedy = remedy
  }
}
