public import CloudModel

/// What is wrong with a predicate, and where in its text.
public struct PredicateError: Error, Sendable, Equatable {
  /// What is wrong, as a sentence without its end.
  public let message: String
  /// Where, in UTF-8 bytes of the text.
  public let span: Span
  /// What would be right.
  public let remedy: Remedy?

  /// Puts an error together.
  public init(_ message: String, at span: Span, remedy: Remedy? = nil) {
    self.message = message
    self.span = span
    self.remedy = remedy
  }
}
