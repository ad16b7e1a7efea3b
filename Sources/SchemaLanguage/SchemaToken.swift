internal import CloudModel

/// A position in a text.
struct TextPlace {
  /// Line and column, in characters.
  var position = TextPosition(line: 1, column: 1)
  /// The number of UTF-8 bytes before it.
  var offset = 0
}

/// A token of a schema's text.
struct SchemaToken {
  enum Kind: Equatable {
    /// A keyword or an unquoted name.
    case word(String)
    /// A quoted name.
    case quoted(String)
    /// `( ) < > , ;`
    case symbol(Character)
    case end
  }

  let kind: Kind
  let position: TextPosition
  /// The position, in UTF-8 bytes of the text.
  let span: Span

  /// The word in capitals, for comparison with keywords; nil for other tokens.
  var keyword: String? {
    guard case .word(let text) = kind else { return nil }
    return text.uppercased()
  }

  /// The token as shown in the service's messages.
  var shown: String {
    switch kind {
    case .word(let text) where SchemaWords.keywords.contains(text.uppercased()):
      " \"\(text.uppercased())\" \"\(text) \""
    case .word(let text): " <IDENTIFIER> \"\(text) \""
    case .quoted(let text): " <QUOTED_IDENTIFIER> \"\\\"\(text)\\\" \""
    case .symbol(let symbol): " \"\(symbol)\" \"\(symbol) \""
    case .end: "<EOF>"
    }
  }
}

/// The words of the language.
enum SchemaWords {
  static let keywords = String.reservedSchemaWords.union([
    "DEFINE", "SCHEMA", "CREATE", "ROLE", "RECORD", "TYPE", "TO", "READ", "WRITE", "LIST",
    "ENCRYPTED", "AS", "ASSET", "BYTES", "DOUBLE", "INT64", "LOCATION", "NUMBER", "REFERENCE",
    "STRING", "TIMESTAMP",
  ])
}
