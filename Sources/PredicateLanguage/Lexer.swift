internal import CloudModel

/// Splits a predicate's text into tokens (P1.2).
struct Lexer {
  private let bytes: [UInt8]
  private var place = 0
  private static let symbols = [
    "==", "=<", "=>", "=", "!=", "!", "<>", "<=", "<", ">=", ">", "&&", "||", "(", ")", "{", "}",
    "[", "]", ",", ".", "+", "-", "**", "*", "/", ":=",
  ]

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Returns all tokens; the last is the end.
  static func tokens(_ text: String) throws(PredicateError) -> [Token] {
    var lexer = Lexer(text)
    var tokens: [Token] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    place + offset < bytes.count ? bytes[place + offset] : nil
  }

  private mutating func next() throws(PredicateError) -> Token {
    while let byte = byte(), byte == 0x20 || (0x09...0x0D).contains(byte) { place += 1 }
    let start = place
    guard let first = byte() else { return Token(kind: .end, span: start..<start) }
    let kind: Token.Kind
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): kind = .string(try string(quote: first))
    case 0x30...0x39: kind = try number()
    case UInt8(ascii: "%"): kind = try placeholder()
    case UInt8(ascii: "#"): kind = .escapedWord(try name())
    case UInt8(ascii: "$"): kind = .variable(try name())
    default: kind = first.isWordStart ? .word(keywordWithHyphens() ?? word()) : try symbol()
    }
    return Token(kind: kind, span: start..<place)
  }

  /// A name, including the parts of a function's name after colons.
  private mutating func word() -> String {
    let start = place
    while let byte = byte() {
      if byte.isIdentifierByte || byte == UInt8(ascii: "@") {
        place += 1
      } else if byte == UInt8(ascii: ":"), let after = self.byte(1),
        after.isWordStart || after == UInt8(ascii: "(")
      {
        place += 1
      } else {
        break
      }
    }
    return text(start..<place)
  }

  /// The reserved words that contain hyphens.
  private mutating func keywordWithHyphens() -> String? {
    for keyword in [Comparison.Operation.conformsTo, .isType] {
      let end = place + keyword.rawValue.utf8.count
      guard end <= bytes.count, !(end < bytes.count && bytes[end].isIdentifierByte),
        text(place..<end).uppercased() == keyword.rawValue
      else { continue }
      place = end
      return keyword.rawValue
    }
    return nil
  }

  /// The name after `#` or `$`.
  private mutating func name() throws(PredicateError) -> String {
    let start = place
    place += 1
    guard let byte = byte(), byte.isWordStart else {
      throw PredicateError("a name must follow '\(text(start..<place))'", at: start..<place)
    }
    let first = place
    while let byte = self.byte(), byte.isIdentifierByte { place += 1 }
    return text(first..<place)
  }

  /// `%@`, `%K`, or a conversion of printf: a number or a string.
  private mutating func placeholder() throws(PredicateError) -> Token.Kind {
    let start = place
    place += 1
    while let byte = byte(), "hlqLzjt".utf8.contains(byte) { place += 1 }
    let isPlain = place == start + 1
    guard let conversion = byte() else { throw badPlaceholder(start) }
    place += 1
    switch Character(Unicode.Scalar(conversion)) {
    case "@" where isPlain: return .argument(.any)
    case "K" where isPlain: return .keyArgument
    case "d", "i", "u", "x", "X", "o", "D", "U", "O": return .argument(.integer)
    case "f", "F", "e", "E", "g", "G", "a", "A": return .argument(.real)
    case "s", "S", "c", "C": return .argument(.text)
    default: throw badPlaceholder(start)
    }
  }

  private func badPlaceholder(_ start: Int) -> PredicateError {
    PredicateError(
      "unknown placeholder", at: start..<min(max(place, start + 1), bytes.count),
      remedy: "%@ is a value, %K is a key")
  }

  private mutating func symbol() throws(PredicateError) -> Token.Kind {
    for symbol in Self.symbols where bytes[place...].starts(with: symbol.utf8) {
      place += symbol.utf8.count
      return .symbol(symbol)
    }
    let start = place
    repeat { place += 1 } while byte().map { $0 & 0xC0 == 0x80 } ?? false
    throw PredicateError(
      "unexpected character '\(text(start..<place))'", at: start..<place,
      remedy: "text needs single or double quotes")
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  // MARK: Literals

  private mutating func number() throws(PredicateError) -> Token.Kind {
    let start = place
    if byte() == UInt8(ascii: "0"), let radix = Self.radix(byte(1) ?? 0) {
      place += 2
      skip { $0.isIdentifierByte }
      guard let value = Int64(text(start + 2..<place), radix: radix) else {
        throw badNumber(start)
      }
      return .integer(value)
    }
    skip(\.isDigitByte)
    var isInteger = true
    if byte() == UInt8(ascii: "."), byte(1)?.isDigitByte == true {
      isInteger = false
      place += 1
      skip(\.isDigitByte)
    }
    if (byte() ?? 0) | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      place += 1
      if byte() == UInt8(ascii: "-") || byte() == UInt8(ascii: "+") { place += 1 }
      skip(\.isDigitByte)
    }
    if byte()?.isWordStart == true {
      skip(\.isIdentifierByte)
      throw badNumber(start)
    }
    if isInteger, let value = Int64(text(start..<place)) { return .integer(value) }
    if isInteger, UInt64(text(start..<place)) == 1 << 63 { return .minimumWithoutSign }
    guard let value = Double(text(start..<place)), value.isFinite else { throw badNumber(start) }
    return .double(value)
  }

  /// The base of a number that begins with 0 and this letter.
  private static func radix(_ letter: UInt8) -> Int? {
    switch letter | 0x20 {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  private mutating func skip(_ isWanted: (UInt8) -> Bool) {
    while let byte = byte(), isWanted(byte) { place += 1 }
  }

  private func badNumber(_ start: Int) -> PredicateError {
    PredicateError("not a number: '\(text(start..<place))'", at: start..<place)
  }

  private mutating func string(quote: UInt8) throws(PredicateError) -> String {
    let start = place
    place += 1
    var contents: [UInt8] = []
    while let byte = byte() {
      place += 1
      if byte == quote { return String(decoding: contents, as: UTF8.self) }
      if byte == 0 {
        throw PredicateError(
          "the string contains a NUL character", at: place - 1..<place,
          remedy: "write it as \\u0000")
      }
      if byte == UInt8(ascii: "\\") {
        contents.append(contentsOf: try escape(from: place - 1))
      } else {
        contents.append(byte)
      }
    }
    throw PredicateError("the string has no closing quote", at: start..<start + 1)
  }

  /// Reads the rest of an escape: three octal digits, `xhh`, `uhhhh`, or any other character, which
  /// represents itself.
  private mutating func escape(from start: Int) throws(PredicateError) -> [UInt8] {
    guard let first = byte() else {
      throw PredicateError("the string has no closing quote", at: start..<start + 1)
    }
    let (digits, radix, prefix) =
      switch first {
      case UInt8(ascii: "x"): (2, 16, 1)
      case UInt8(ascii: "u"): (4, 16, 1)
      case 0x30...0x37: (3, 8, 0)
      default: (0, 0, 0)
      }
    guard digits > 0 else {
      place += 1
      return [first]
    }
    let range = place + prefix..<place + prefix + digits
    guard range.upperBound <= bytes.count, let value = UInt32(text(range), radix: radix),
      let scalar = Unicode.Scalar(value), bytes[range].allSatisfy({ $0.isIdentifierByte })
    else {
      throw PredicateError(
        "bad escape", at: start..<min(range.upperBound, bytes.count),
        remedy: "\\ooo, \\xhh and \\uhhhh stand for characters, \\\\ for a backslash")
    }
    place = range.upperBound
    return Array(String(scalar).utf8)
  }
}

extension UInt8 {
  fileprivate var isWordStart: Bool {
    isLetterByte || self == UInt8(ascii: "_") || self == UInt8(ascii: "@")
  }
}
