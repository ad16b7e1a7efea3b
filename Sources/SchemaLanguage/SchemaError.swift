public import CloudModel

/// An error in a schema's text, with its position.
public struct SchemaError: Error, Sendable, Equatable {
  /// The message; for syntax errors in the service's words, with the position.
  public let message: String
  /// The position, as line and column.
  public let position: TextPosition
  /// The position, in UTF-8 bytes of the text; not empty.
  public let span: Span
  /// The tokens expected there, as the service shows them; empty for other errors.
  public let expected: [String]
  /// The remedy.
  public let remedy: Remedy?

  init(
    _ message: String, at position: TextPosition, _ span: Span, expected: [String] = [],
    remedy: Remedy? = nil
  ) {
    self.message = message
    self.position = position
    self.span = span.isEmpty ? span.lowerBound..<span.lowerBound + 1 : span
    self.expected = expected
    self.remedy = remedy
  }

  /// A token that the grammar does not allow there (L4).
  init(unexpected token: SchemaToken, expected: [String], remedy: Remedy? = nil) {
    self.init(
      "Encountered \"\(token.shown)\" at line \(token.position.line), "
        + "column \(token.position.column).",
      at: token.position, token.span, expected: expected, remedy: remedy)
  }

  /// The message and the expected tokens, as in the service's response to a validation.
  public var serviceText: String {
    if expected.isEmpty { return message }
    let head = expected.count == 1 ? "Was expecting:" : "Was expecting one of:"
    return ([message, head] + expected.map { "    \($0) ..." }).joined(separator: "\n")
  }
}
