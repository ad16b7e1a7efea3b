package import CloudModel

/// What is wrong with a predicate, and where in its text.
package struct PredicateError: Error, Sendable, Equatable {
  /// What is wrong, as a sentence without its end.
  package let message: String
  /// Where, in UTF-8 bytes of the text.
  package let span: Span
  /// What would be right.
  package let hint: String?

  /// Puts an error together.
  package init(_ message: String, at span: Span, hint: String? = nil) {
    self.message = message
    self.span = span
    self.hint = hint
  }
}
