internal import Basics
public import CloudModel

/// Reads predicate text (`predicates.md` §1.1) into a `Predicate`.
public struct PredicateParser {
  let tokens: [Token]
  var place = 0
  private var arguments: [Argument]
  private var usedArguments = 0
  var depth = 0
  private let closings: [Int: Int]

  /// A value for `%@` or `%K`.
  public enum Argument: Sendable, Equatable {
    /// A value of a known type.
    case value(FieldValue)
    /// Bare text, which takes the type that it is compared with; or a key.
    case text(String)
  }

  /// Parses a text; `arguments` fill its placeholders in order. Throws `PredicateError`.
  public static func parse(
    _ text: String, arguments: [Argument] = []
  ) throws(PredicateError) -> Predicate {
    guard text.utf8.count <= Limits.predicateLength else {
      throw PredicateError("the predicate is longer than 512 KiB", at: 0..<1)
    }
    var parser = PredicateParser(
      tokens: try Lexer.tokens(text), arguments: arguments)
    let predicate = try parser.disjunction()
    guard parser.current.kind == .end else { throw parser.unexpected("AND, OR or the end") }
    guard parser.usedArguments == arguments.count else {
      throw PredicateError(
        "\(arguments.count) arguments are given, but only \(parser.usedArguments) placeholders "
          + "stand in the predicate", at: text.utf8.count..<text.utf8.count)
    }
    return predicate
  }

  private init(tokens: [Token], arguments: [Argument]) {
    self.tokens = tokens
    self.arguments = arguments
    closings = Self.closings(tokens)
  }

  // MARK: Tokens

  var current: Token { tokens[place] }

  private mutating func advance() -> Token {
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

  private func unexpected(_ expected: String) -> PredicateError {
    PredicateError(
      "expected \(expected) instead of \(current.description)", at: current.span,
      hint: suggestion)
  }

  /// A keyword that the word at hand may have been meant to be.
  private var suggestion: String? {
    guard case .word(let word) = current.kind else { return nil }
    if reservedWords.contains(word.uppercased()), current.keyword == nil {
      return "\(word.uppercased()) is not supported"
    }
    return Suggestion.nearest(to: word, among: Keyword.allCases.map(\.rawValue))
      .map { "did you mean \($0)?" }
  }

  func span(from start: Int) -> Span {
    start..<max(start, tokens[place - 1].span.upperBound)
  }

  /// Goes one level deeper; the caller comes back by itself.
  mutating func descend() throws(PredicateError) {
    depth += 1
    guard depth <= Limits.predicateDepth else {
      throw PredicateError("nested more than 200 levels deep", at: current.span)
    }
  }

  // MARK: Predicates

  private mutating func disjunction() throws(PredicateError) -> Predicate {
    try descend()
    defer { depth -= 1 }
    let start = current.span.lowerBound
    var parts = [try conjunction()]
    while accept(.or, symbol: "||") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts, span(from: start))
  }

  private mutating func conjunction() throws(PredicateError) -> Predicate {
    let start = current.span.lowerBound
    var parts = [try negation()]
    while accept(.and, symbol: "&&") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts, span(from: start))
  }

  private mutating func negation() throws(PredicateError) -> Predicate {
    let start = current.span.lowerBound
    guard accept(.not, symbol: "!") else { return try primary() }
    try descend()
    defer { depth -= 1 }
    return .not(try negation(), span(from: start))
  }

  private mutating func primary() throws(PredicateError) -> Predicate {
    switch current.keyword {
    case .truePredicate: return .constant(true, advance().span)
    case .falsePredicate: return .constant(false, advance().span)
    case .anyMember, .someMember: return try comparison(.any)
    case .allMembers: return try comparison(.all)
    case .noMember: return try comparison(.notOne)
    default: break
    }
    guard current.kind == .symbol("("), !beginsExpression else {
      return try comparison(quantifier: nil, from: current.span.lowerBound)
    }
    _ = advance()
    let predicate = try disjunction()
    try expect(")")
    return predicate
  }

  /// Whether the parenthesis at hand belongs to an expression: an operator stands behind it.
  private var beginsExpression: Bool {
    guard let close = closings[place] else { return false }
    let next = tokens[close + 1]
    if case .symbol(let symbol) = next.kind {
      return Self.operations[symbol] != nil || Function(rawValue: symbol)?.isInfix == true
        || symbol == "[" || symbol == "."
    }
    switch next.keyword {
    case .between, .in, .contains, .beginsWith, .endsWith, .like: return true
    default: return false
    }
  }

  /// The places of the closing parentheses by those of the opening ones.
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
    let left = try expression()
    let operationSpan = current.span
    guard let operation = operation() else { throw unexpected("an operator") }
    let options = try options()
    let right = try expression()
    let next = current.span
    guard self.operation() == nil else {
      throw PredicateError(
        "comparisons cannot be chained", at: next, hint: "join two comparisons by AND")
    }
    return .comparison(
      Comparison(
        quantifier: quantifier, left: left, operation: operation, options: options,
        right: right, span: span(from: start), operationSpan: operationSpan))
  }

  /// `[cdnl]` behind an operator, in any order.
  private mutating func options() throws(PredicateError) -> Comparison.Options {
    guard accept("[") else { return [] }
    var options: Comparison.Options = []
    guard case .word(let letters) = current.kind else { throw unexpected("c, d, n or l") }
    for letter in letters {
      guard let option = Comparison.Options.letters.first(where: { $0.letter == letter }) else {
        throw PredicateError(
          "unknown option '\(letter)'", at: current.span,
          hint: "c ignores case, d diacritics; n and l are allowed, too")
      }
      options.insert(option.option)
    }
    place += 1
    try expect("]")
    return options
  }

  /// Takes an operator; nil, and nothing taken, where there is none.
  private mutating func operation() -> Comparison.Operation? {
    let operation: Comparison.Operation?
    switch (current.kind, current.keyword) {
    case (.symbol(let symbol), _): operation = Self.operations[symbol]
    case (_, .between): operation = .between
    case (_, .in): operation = .in
    case (_, .contains): operation = .contains
    case (_, .beginsWith): operation = .beginsWith
    case (_, .endsWith): operation = .endsWith
    case (_, .like): operation = .like
    default: operation = nil
    }
    if operation != nil { place += 1 }
    return operation
  }

  private static let operations: [String: Comparison.Operation] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  // MARK: Expressions

  /// The infix operators, those that bind tighter later; all group from the left.
  private static let levels: [[Function]] = [
    [.add, .subtract], [.multiply, .divide], [.raise],
  ]

  mutating func expression(level: Int = 0) throws(PredicateError) -> Expression {
    guard level < Self.levels.count else { return try postfix() }
    let start = current.span.lowerBound
    var left = try expression(level: level + 1)
    while case .symbol(let symbol) = current.kind, let function = Function(rawValue: symbol),
      Self.levels[level].contains(function)
    {
      place += 1
      let right = try expression(level: level + 1)
      left = .function(function, [left, right], span(from: start))
    }
    return left
  }

  mutating func operand() throws(PredicateError) -> Expression {
    let token = current
    switch token.kind {
    case .string(let text):
      place += 1
      return .value(.string(text), token.span)
    case .integer(let number):
      place += 1
      return .value(.int64(number), token.span)
    case .double(let number):
      place += 1
      return .value(.double(number), token.span)
    case .minimumWithoutSign:
      place += 1
      return .value(.double(0x1p63), token.span)
    case .symbol("-"): return try negative()
    case .symbol("("):
      place += 1
      try descend()
      defer { depth -= 1 }
      let inner = try expression()
      try expect(")")
      return inner
    case .symbol("{"): return try aggregate()
    case .argument:
      place += 1
      switch try argument(token) {
      case .value(let value): return .value(value, token.span)
      case .text(let text): return .untyped(text, token.span)
      }
    case .keyArgument:
      place += 1
      guard case .text(let key) = try argument(token) else {
        throw PredicateError("%K wants the name of a key", at: token.span)
      }
      return .key(key, token.span)
    case .escapedWord(let word):
      place += 1
      return .key(word, token.span)
    case .word(let word): return try named(word, token)
    case .symbol, .end: throw unexpected("a key or a value")
    }
  }

  private mutating func argument(_ token: Token) throws(PredicateError) -> Argument {
    guard usedArguments < arguments.count else {
      throw PredicateError(
        "no argument is given for this placeholder", at: token.span,
        hint: "--argument gives one, in the order of the placeholders")
    }
    usedArguments += 1
    return arguments[usedArguments - 1]
  }

  /// A number below zero, or the opposite of what follows.
  private mutating func negative() throws(PredicateError) -> Expression {
    let start = advance().span.lowerBound
    let value: FieldValue
    switch current.kind {
    case .integer(let number): value = .int64(-number)
    case .minimumWithoutSign: value = .int64(.min)
    case .double(let number): value = .double(-number)
    case .word, .escapedWord, .keyArgument, .argument, .symbol("("), .symbol("-"):
      try descend()
      defer { depth -= 1 }
      let zero = Expression.value(.int64(0), start..<start + 1)
      return .function(.subtract, [zero, try postfix()], span(from: start))
    default: throw unexpected("a number")
    }
    _ = advance()
    return .value(value, span(from: start))
  }

  private mutating func aggregate() throws(PredicateError) -> Expression {
    let start = advance().span.lowerBound
    try descend()
    defer { depth -= 1 }
    var items: [Expression] = []
    if !accept("}") {
      repeat {
        items.append(try expression())
        guard items.count <= Limits.predicateValues else {
          throw PredicateError("more than 100000 values", at: start..<start + 1)
        }
      } while accept(",")
      try expect("}")
    }
    return .aggregate(items, span(from: start))
  }

  private mutating func named(_ word: String, _ token: Token) throws(PredicateError) -> Expression {
    switch token.keyword {
    case .null, .nilWord:
      place += 1
      return .null(token.span)
    case .true, .yes:
      place += 1
      return .value(.int64(1), token.span)
    case .false, .no:
      place += 1
      return .value(.int64(0), token.span)
    case nil: break
    default: throw unexpected("a key or a value")
    }
    if tokens[place + 1].kind == .symbol("(") { return try function(word, token) }
    if word.uppercased() == "SELF" { return try whole(token) }
    guard
      !reservedWords.contains(word.uppercased())
        || ["FIRST", "LAST", "SIZE"].contains(
          word.uppercased())
    else {
      throw PredicateError(
        "\(word.uppercased()) is a reserved word", at: token.span,
        hint: "a field of that name is written #\(word)")
    }
    place += 1
    if current.kind == .symbol("."), collectionOperator == nil {
      throw PredicateError(
        "key paths are not supported", at: token.span.lowerBound..<current.span.upperBound)
    }
    return .key(word, token.span)
  }
}
