internal import Basics
internal import CloudModel

/// The end of an unfinished predicate: the part of the grammar expected there, and the word typed
/// so far.
public struct PredicateEnding: Sendable, Equatable {
  /// The expected part.
  public let expected: Expected
  /// The word typed so far, without an opening quote.
  public let word: String
  /// The quote of the string that contains the word; nil outside strings.
  public let quote: Character?

  /// A part of the grammar.
  public enum Expected: Sendable, Equatable {
    /// A key, a function, or a word such as NOT and ANY.
    case operand
    /// The key after these keys and a dot.
    case key(after: [String])
    /// An operator, after a key path or another expression (nil).
    case comparison(of: [String]?)
    /// A value to compare a key path, or another expression (nil), with.
    case value(of: [String]?)
    /// The values after IN or BETWEEN, in braces.
    case values
    /// The name in `ref('…')`.
    case recordName
    /// AND or OR.
    case connective
  }

  /// Parses an unfinished predicate; nil if its beginning is invalid.
  public init?(_ text: String) {
    let (start, quote) = Self.lastWord(of: Array(text.utf8))
    var word = String(decoding: text.utf8.dropFirst(start), as: UTF8.self)
    if quote != nil { word.removeFirst() }
    guard let tokens = try? Lexer.tokens(String(decoding: text.utf8.prefix(start), as: UTF8.self))
    else { return nil }
    var grammar = Grammar()
    for index in tokens.indices.dropLast() {
      grammar.take(tokens[index], before: tokens[index + 1])
    }
    self.quote = quote
    var keys = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let isPath = quote == nil && keys.count > 1 && keys[0].utf8.first?.isDigitByte != true
    switch grammar.state {
    case _ where grammar.isInReference: expected = .recordName
    case .operand where isPath, .value where isPath:
      word = keys.removeLast()
      expected = .key(after: keys)
    case let state: expected = state
    }
    self.word = word
  }

  /// The start of the last word: an open string with its quote, or the letters, digits and dots at
  /// the end.
  private static func lastWord(of bytes: [UInt8]) -> (start: Int, quote: Character?) {
    var open: (start: Int, quote: UInt8)?
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      if let string = open {
        if byte == UInt8(ascii: "\\") { place += 1 }
        if byte == string.quote { open = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        open = (place, byte)
      }
      place += 1
    }
    if let open { return (open.start, Character(Unicode.Scalar(open.quote))) }
    let tail = bytes.reversed().prefix { $0.isIdentifierByte || ".@#$".utf8.contains($0) }
    return (bytes.count - tail.count, nil)
  }
}

/// A walk through the tokens of a predicate that knows what can come next. It accepts everything
/// well-formed, and some input that is not.
private struct Grammar {
  typealias State = PredicateEnding.Expected

  private(set) var state: State = .operand
  private var brackets: [Bracket] = []
  /// The keys of the path before the current token.
  private var path: [String] = []
  private var isPathOpen = false
  /// The key path whose values the list after IN or BETWEEN contains.
  private var listPath: [String]?

  private struct Bracket {
    /// The state after its end; nil for the state reached inside it.
    var after: State?
    /// The state after a comma in it, as in a function's arguments; nil without commas.
    var separates: State?
    var isReference = false
  }

  /// Whether the place is in the parentheses of `ref`.
  var isInReference: Bool { brackets.last?.isReference ?? false }

  mutating func take(_ token: Token, before next: Token) {
    switch token.kind {
    case .word(let text): take(text, token, before: next)
    case .escapedWord(let text): key(text, before: next)
    case .symbol(let text): take(symbol: text)
    case .string, .integer, .minimumWithoutSign, .double, .variable, .argument, .keyArgument:
      endOperand(nil)
    case .end: return
    }
  }

  private mutating func take(_ text: String, _ token: Token, before next: Token) {
    if isPathOpen { return key(text, before: next) }
    if let word = token.operatorWord, case .comparison(let path) = state {
      let takesList = word == .in || word == .between
      listPath = takesList ? path : nil
      return state = takesList ? .values : .value(of: path)
    }
    switch token.keyword?.role {
    case .connective, .quantifier: state = .operand
    case .constant: state = .connective
    case .null, .flag, .record: endOperand(nil)
    case .subquery, .conditional, .function, nil:
      if next.kind == .symbol("(") {
        open(isReference: text == "ref")
      } else {
        key(text, before: next)
      }
    }
  }

  private mutating func key(_ name: String, before next: Token) {
    path.append(name)
    isPathOpen = next.kind == .symbol(".")
    if isPathOpen { return }
    endOperand(path)
    path = []
  }

  /// The state after an operand: an operator after the first, a connective after the second.
  private func afterOperand(_ path: [String]?) -> State {
    switch state {
    case .operand, .key: .comparison(of: path)
    case .comparison, .value, .values, .recordName, .connective: .connective
    }
  }

  private mutating func endOperand(_ path: [String]?) { state = afterOperand(path) }

  /// Takes a function's name, which a parenthesis follows.
  private mutating func open(isReference: Bool) {
    brackets.append(
      Bracket(after: afterOperand(nil), separates: .operand, isReference: isReference))
    state = .operand
    isFunctionOpen = true
  }

  private var isFunctionOpen = false

  private mutating func take(symbol: String) {
    switch symbol {
    case "(":
      if !isFunctionOpen { brackets.append(Bracket(after: nil)) }
      isFunctionOpen = false
    case "{":
      let after = afterOperand(nil)
      if state == .values { state = .value(of: listPath) }
      brackets.append(Bracket(after: after, separates: state))
    case "[": brackets.append(Bracket(after: state))
    case ")", "}", "]":
      guard let bracket = brackets.popLast() else { return }
      if let after = bracket.after {
        state = after
      } else if case .comparison = state {
        return
      } else {
        state = .connective
      }
    case ",": if let separates = brackets.last?.separates { state = separates }
    case "&&", "||", "!": state = .operand
    case "+", "-", "*", "/", "**":
      switch state {
      case .comparison: state = .operand
      case .connective: state = .value(of: nil)
      case .operand, .key, .value, .values, .recordName: return
      }
    case ".", ":=": return
    default: if case .comparison(let path) = state { state = .value(of: path) }
    }
  }
}
