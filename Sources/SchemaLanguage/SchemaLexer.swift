internal import CloudModel

/// Splits a schema's text into tokens (L1).
struct SchemaLexer {
  private let characters: [Unicode.Scalar]
  private var index = 0
  private var place = TextPlace()

  private init(_ text: String) {
    characters = Array(text.unicodeScalars)
    // A byte order mark belongs to no token.
    if characters.first == "\u{FEFF}" {
      index = 1
      place.offset = 3
    }
  }

  /// Returns all tokens; the last is the end.
  static func tokens(_ text: String) throws(SchemaError) -> [SchemaToken] {
    var lexer = SchemaLexer(text)
    var tokens: [SchemaToken] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  private func character(_ offset: Int = 0) -> Unicode.Scalar? {
    index + offset < characters.count ? characters[index + offset] : nil
  }

  /// Advances one character; CR, LF and CR LF end a line.
  private mutating func advance() {
    let character = characters[index]
    index += 1
    place.offset += UTF8.width(character)
    let endsLine = character == "\n" || character == "\r" && self.character() != "\n"
    if endsLine {
      place.position.line += 1
      place.position.column = 1
    } else {
      place.position.column += 1
    }
  }

  private mutating func next() throws(SchemaError) -> SchemaToken {
    try skipBlanksAndComments()
    let start = index
    let place = place
    guard let first = character() else {
      return SchemaToken(
        kind: .end, position: place.position, span: place.offset..<place.offset)
    }
    let kind: SchemaToken.Kind
    if "()<>,;".unicodeScalars.contains(first) {
      advance()
      kind = .symbol(Character(first))
    } else if first == "\"" {
      kind = .quoted(try quoted())
    } else if first.isWordPart {
      while character()?.isWordPart ?? false { advance() }
      kind = .word(text(start..<index))
    } else {
      throw lexicalError(first)
    }
    return SchemaToken(
      kind: kind, position: place.position, span: place.offset..<self.place.offset)
  }

  private func lexicalError(_ character: Unicode.Scalar) -> SchemaError {
    SchemaError(
      "Lexical error at line \(place.position.line), column \(place.position.column).  "
        + "Encountered: \(character.debugDescription) (\(character.value))", at: place.position,
      place.offset..<place.offset + UTF8.width(character))
  }

  private mutating func quoted() throws(SchemaError) -> String {
    let start = place
    let first = index + 1
    advance()
    while let character = character(), character != "\"" {
      guard character != "\n", character != "\r" else { break }
      advance()
    }
    guard character() == "\"" else {
      throw SchemaError(
        "the quoted name is not closed", at: start.position, start.offset..<place.offset)
    }
    defer { advance() }
    return text(first..<index)
  }

  private mutating func skipBlanksAndComments() throws(SchemaError) {
    while let character = character() {
      switch (character, self.character(1)) {
      case (" ", _), ("\t", _), ("\n", _), ("\r", _), ("\u{0C}", _): advance()
      case ("/", "/"), ("-", "-"):
        while let character = self.character(), character != "\n", character != "\r" { advance() }
      case ("/", "*"): try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(SchemaError) {
    let start = place
    advance()
    advance()
    while let character = character() {
      if character == "*", self.character(1) == "/" {
        advance()
        return advance()
      }
      advance()
    }
    throw SchemaError(
      "the comment is not closed", at: start.position, start.offset..<start.offset + 2)
  }

  private func text(_ range: Range<Int>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: characters[range])
    return String(text)
  }
}

extension Unicode.Scalar {
  /// ASCII letters, digits and underscores; a leading digit or underscore is refused later.
  fileprivate var isWordPart: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }
}
