/// What is wrong with a schema's text, and where.
public struct SchemaError: Error, Sendable, Equatable {
  /// What is wrong; for what the grammar refuses in the words of the service, with the place.
  public let message: String
  /// Where.
  public let place: TextPlace
  /// How many UTF-8 bytes are meant; at least one.
  public let length: Int
  /// What the grammar would take there, as the service shows it; empty for other faults.
  public let expected: [String]
  /// What would be right.
  public let hint: String?

  init(
    _ message: String, at place: TextPlace, length: Int = 1, expected: [String] = [],
    hint: String? = nil
  ) {
    self.message = message
    self.place = place
    self.length = max(1, length)
    self.expected = expected
    self.hint = hint
  }

  /// A token that the grammar does not take there (`schema-language.md` §4).
  init(unexpected token: SchemaToken, expected: [String], hint: String? = nil) {
    self.init(
      "Encountered \"\(token.shown)\" at line \(token.place.line), column \(token.place.column).",
      at: token.place, length: token.length, expected: expected, hint: hint)
  }

  /// The message and what was expected, as the service's answer to a validation has them.
  public var serviceText: String {
    if expected.isEmpty { return message }
    let head = expected.count == 1 ? "Was expecting:" : "Was expecting one of:"
    return ([message, head] + expected.map { "    \($0) ..." }).joined(separator: "\n")
  }
}
