public import CloudModel

/// What is wrong with a schema's text, and where.
public struct SchemaError: Error, Sendable, Equatable {
  /// What is wrong; for what the grammar refuses in the words of the service, with the place.
  public let message: String
  /// Where, as people count.
  public let position: TextPosition
  /// Where, in UTF-8 bytes of the text; not empty.
  public let span: Span
  /// What the grammar would take there, as the service shows it; empty for other faults.
  public let expected: [String]
  /// What would be right.
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

  /// A token that the grammar does not take there (L4).
  init(unexpected token: SchemaToken, expected: [String], remedy: Remedy? = nil) {
    self.init(
      "Encountered \"\(token.shown)\" at line \(token.position.line), "
        + "column \(token.position.column).",
      at: token.position, token.span, expected: expected, remedy: remedy)
  }

  /// The message and what was expected, as the service's answer to a validation has them.
  public var serviceText: String {
    if expected.isEmpty { return message }
    let head = expected.count == 1 ? "Was expecting:" : "Was expecting one of:"
    return ([message, head] + expected.map { "    \($0) ..." }).joined(separator: "\n")
  }
}
