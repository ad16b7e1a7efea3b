internal import Basics
public import CloudModel

/// Parses predicate text (P1.1) into a `Predicate`.
public struct PredicateParser {
  let tokens: [Token]
  var place = 0
  let arguments: [Argument]
  var usedArguments = 0
  /// The values of `$` variables, except those assigned by an enclosing SUBQUERY.
  var variables: [String: Argument]
  var depth = 0
  /// The height of the last node created.
  var height = 0
  private let closings: [Int: Int]
  /// The time that `date('now-3d')` counts from; nil if it is unknown.
  let now: Timestamp?

  /// A value for `%@` or `%K`.
  public indirect enum Argument: Sendable, Equatable {
    /// A value of a known type.
    case value(FieldValue)
    /// Bare text, which takes the type it is compared with; or a key.
    case text(String)
    /// Several arguments, as one list.
    case list([Argument])
    /// No value.
    case null
  }

  /// Parses a text; `arguments` fill in its placeholders in order, `variables` those with `$` and a
  /// name. Relative dates count from `now`; without it they are invalid.
  public static func parse(
    _ text: String, arguments: [Argument] = [], variables: [String: Argument] = [:],
    now: Timestamp? = nil
  ) throws(PredicateError) -> Predicate {
    guard text.utf8.count <= Limits.predicateLength else {
      throw PredicateError("the predicate is longer than 512 KiB", at: 0..<1)
    }
    var parser = PredicateParser(
      tokens: try Lexer.tokens(text), arguments: arguments, variables: variables, now: now)
    let predicate = try parser.disjunction()
    guard parser.current.kind == .end else { throw parser.unexpected("AND, OR or the end") }
    guard parser.usedArguments == arguments.count else {
      throw PredicateError(
        "more arguments (\(arguments.count)) than placeholders (\(parser.usedArguments))",
        at: text.utf8.count..<text.utf8.count)
    }
    return predicate
  }

  /// Finds `distanceToLocation:fromLocation(…)` in a text, as some documents write it, which is
  /// accepted although the name lacks a colon; nil if there is none.
  public static func missingColon(in text: String) -> Span? {
    let name = Token.Kind.word("distanceToLocation:fromLocation")
    return (try? Lexer.tokens(text))?.first { $0.kind == name }?.span
  }

  private init(
    tokens: [Token], arguments: [Argument], variables: [String: Argument], now: Timestamp?
  ) {
    self.now = now
    self.tokens = tokens
    self.arguments = arguments
    self.variables = variables
    closings = Self.closings(tokens)
  }

  // MARK: Tokens

  /// Where a BETWEEN with a single value ended, which SQL continues with AND.
  private var placeAfterBetween: Int?

  var current: Token { tokens[place] }

  mutating func advance() -> Token {
    let token = tokens[place]
    if token.kind != .end { place += 1 }
    return token
  }

  mutating func accept(_ symbol: String) -> Bool {
    guard current.kind == .symbol(symbol) else { return false }
    place += 1
    return true
  }

  mutating func expect(_ symbol: String) throws(PredicateError) {
    guard accept(symbol) else { throw unexpected("'\(symbol)'") }
  }

  private mutating func accept(_ keywords: Keyword..., symbol: String) -> Bool {
    if accept(symbol) { return true }
    guard let keyword = current.keyword, keywords.contains(keyword) else { return false }
    place += 1
    return true
  }

  func unexpected(_ expected: String, remedy: Remedy? = nil) -> PredicateError {
    PredicateError(
      "expected \(expected), found \(current.description)", at: current.span,
      remedy: remedy ?? suggestion(expected))
  }

  /// The remedy for a quantifier before an operator, which may be intended as a key.
  private var quantifiedKey: Remedy? {
    guard place > 0, case .word(let word) = tokens[place - 1].kind,
      case .symbol(let symbol) = current.kind, Self.operations[symbol] != nil,
      case .quantifier? = tokens[place - 1].keyword?.role
    else { return nil }
    return "a field of that name is written #\(word)"
  }

  /// The remedy for a word that may be a misspelled keyword.
  private func suggestion(_ expected: String) -> Remedy? {
    guard case .word(let word) = current.kind else { return quantifiedKey }
    if current.keyword != nil || current.operatorWord != nil, expected == "a key or a value" {
      return "a field of that name is written #\(word)"
    }
    if word.lowercased() == "is" { return "write == nil, or != nil for 'is not null'" }
    return .nearest(
      to: word, among: Keyword.allCases.map(\.rawValue) + Comparison.Operation.words)
  }

  func span(from start: Int) -> Span {
    start..<max(start, tokens[place - 1].span.upperBound)
  }

  /// Descends one level; the caller ascends again.
  mutating func descend() throws(PredicateError) {
    depth += 1
    guard depth <= Limits.predicateDepth else {
      throw PredicateError("nested more than 200 levels deep", at: current.span)
    }
  }

  /// Notes the height of a node: chains create deep trees without any nesting.
  mutating func rise(above heights: Int...) throws(PredicateError) {
    height = (heights.max() ?? 0) + 1
    guard height <= Limits.predicateDepth else {
      throw PredicateError("more than 200 operations on the same value", at: current.span)
    }
  }

  // MARK: Predicates

  mutating func disjunction() throws(PredicateError) -> Predicate {
    try descend()
    defer { depth -= 1 }
    let start = current.span.lowerBound
    var parts = [try conjunction()]
    var highest = height
    while accept(.or, symbol: "||") {
      parts.append(try conjunction())
      highest = max(highest, height)
    }
    if parts.count == 1 { return parts[0] }
    try rise(above: highest)
    return .or(parts, span(from: start))
  }

  private mutating func conjunction() throws(PredicateError) -> Predicate {
    let start = current.span.lowerBound
    var parts = [try negation()]
    var highest = height
    while accept(.and, symbol: "&&") {
      parts.append(try negation())
      highest = max(highest, height)
    }
    if parts.count == 1 { return parts[0] }
    try rise(above: highest)
    return .and(parts, span(from: start))
  }

  private mutating func negation() throws(PredicateError) -> Predicate {
    let start = current.span.lowerBound
    guard accept(.not, symbol: "!") else { return try primary() }
    try descend()
    defer { depth -= 1 }
    let part = try negation()
    try rise(above: height)
    return .not(part, span(from: start))
  }

  private mutating func primary() throws(PredicateError) -> Predicate {
    switch current.keyword?.role {
    case .constant(let isTrue): return .constant(isTrue, advance().span)
    case .quantifier(let quantifier): return try comparison(quantifier)
    case .connective, .null, .flag, .record, .subquery, .conditional, .function, nil: break
    }
    guard current.kind == .symbol("("), !beginsExpression else {
      return try comparison(quantifier: nil, from: current.span.lowerBound)
    }
    let start = advance().span.lowerBound
    var predicate = try disjunction()
    try expect(")")
    predicate.span = span(from: start)
    return predicate
  }

  /// Whether the current parenthesis belongs to an expression: an operator follows it.
  private var beginsExpression: Bool {
    guard let close = closings[place] else { return false }
    let next = tokens[close + 1]
    if case .symbol(let symbol) = next.kind {
      return Self.operations[symbol] != nil || Function(spelled: symbol)?.form == .infix
        || symbol == "[" || symbol == "."
    }
    return next.operatorWord != nil
  }

  /// The places of the closing parentheses, by those of the opening ones.
  private static func closings(_ tokens: [Token]) -> [Int: Int] {
    var closings: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.kind == .symbol("(") { open.append(index) }
      if token.kind == .symbol(")"), let start = open.popLast() { closings[start] = index }
    }
    return closings
  }

  private mutating func comparison(
    _ quantifier: Comparison.Quantifier
  ) throws(PredicateError) -> Predicate {
    let start = advance().span.lowerBound
    return try comparison(quantifier: quantifier, from: start)
  }

  private mutating func comparison(
    quantifier: Comparison.Quantifier?, from start: Int
  ) throws(PredicateError) -> Predicate {
    let isAfterBetween = placeAfterBetween.map { place == $0 + 1 } ?? false
    let left = try expression()
    let leftHeight = height
    let operationSpan = current.span
    guard let operation = operation() else {
      throw unexpected(
        "an operator",
        remedy: isAfterBetween ? "BETWEEN takes a list: write BETWEEN {1, 2}" : nil)
    }
    let options = try options()
    let right = try expression()
    if operation == .between, case .value = right { placeAfterBetween = place }
    try rise(above: leftHeight, height)
    let next = current.span
    guard self.operation() == nil else {
      throw PredicateError(
        "comparisons cannot be chained", at: next, remedy: "join two comparisons with AND")
    }
    return .comparison(
      Comparison(
        quantifier: quantifier, left: left, operation: operation, options: options,
        right: right, span: span(from: start), operationSpan: operationSpan))
  }

  /// `[cdnl]` after an operator, in any order.
  private mutating func options() throws(PredicateError) -> Comparison.Options {
    guard accept("[") else { return [] }
    var options: Comparison.Options = []
    guard case .word(let letters) = current.kind else { throw unexpected("c, d, n or l") }
    for letter in letters {
      guard let option = Comparison.Options.letters.first(where: { $0.letter == letter }) else {
        throw PredicateError(
          "unknown option '\(letter)'", at: current.span,
          remedy: "c ignores case, d diacritics; n and l are allowed, too")
      }
      options.insert(option.option)
    }
    place += 1
    try expect("]")
    return options
  }

  /// Takes an operator; returns nil, and takes nothing, if there is none.
  private mutating func operation() -> Comparison.Operation? {
    let operation: Comparison.Operation? =
      if case .symbol(let symbol) = current.kind {
        Self.operations[symbol]
      } else {
        current.operatorWord
      }
    if operation != nil { place += 1 }
    return operation
  }

  private static let operations: [String: Comparison.Operation] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]
}
