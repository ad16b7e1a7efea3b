internal import CloudModel

/// A place in a text.
struct TextPlace {
  /// As people count, columns in characters.
  var position = TextPosition(line: 1, column: 1)
  /// How many UTF-8 bytes are before it.
  var offset = 0
}

/// A piece of a schema's text.
struct SchemaToken {
  enum Kind: Equatable {
    /// A keyword or a name without quotes.
    case word(String)
    /// A name in quotes.
    case quoted(String)
    /// `( ) < > , ;`
    case symbol(Character)
    case end
  }

  let kind: Kind
  let position: TextPosition
  /// Where it is, in UTF-8 bytes of the text.
  let span: Span

  /// The word in capitals, which keywords are compared by; nil for anything else.
  var keyword: String? {
    guard case .word(let text) = kind else { return nil }
    return text.uppercased()
  }

  /// The token as the service's messages show it.
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
