internal import Basics
internal import CloudModel

/// The sides of comparisons.
extension PredicateParser {
  /// The infix operators, with increasing precedence; all are left-associative.
  private static let levels: [[Function]] = [
    [.add, .subtract], [.multiply, .divide], [.raise],
  ]

  mutating func expression(level: Int = 0) throws(PredicateError) -> Expression {
    guard level < Self.levels.count else { return try postfix() }
    let start = current.span.lowerBound
    var left = try expression(level: level + 1)
    while case .symbol(let symbol) = current.kind, let function = Function(spelled: symbol),
      Self.levels[level].contains(function)
    {
      place += 1
      let leftHeight = height
      let right = try expression(level: level + 1)
      try rise(above: leftHeight, height)
      left = .function(function, [left, right], span(from: start))
    }
    return left
  }

  /// An operand, with the keys, indices and collection operators after it.
  mutating func postfix() throws(PredicateError) -> Expression {
    let start = current.span.lowerBound
    var whole = try operand()
    while true {
      if accept(".") {
        try rise(above: height)
        whole = try key(of: whole, from: start)
      } else if accept("[") {
        whole = try indexed(whole, from: start)
      } else {
        return whole
      }
    }
  }

  private mutating func key(
    of whole: Expression, from start: Int
  ) throws(PredicateError) -> Expression {
    switch current.kind {
    case .escapedWord(let word):
      place += 1
      return .path(whole, FieldName(stored: word).key, span(from: start))
    case .word(let key):
      place += 1
      if let function = Function(spelled: ".\(key)"), function.form == .collectionOperator {
        return .function(function, [whole], span(from: start))
      }
      return .path(whole, key, span(from: start))
    case .keyArgument:
      let token = advance()
      let keys = try keys(token)
      try rise(above: height + keys.count)
      return Self.path(keys, from: whole, span(from: start))
    case .string, .integer, .minimumWithoutSign, .double, .variable, .argument, .symbol, .end:
      throw unexpected("a key")
    }
  }

  private mutating func indexed(
    _ expression: Expression, from start: Int
  ) throws(PredicateError) -> Expression {
    if case .word(let word) = current.kind,
      let function = Function(spelled: "[\(word.uppercased())]")
    {
      place += 1
      try expect("]")
      try rise(above: height)
      return .function(function, [expression], span(from: start))
    }
    let listHeight = height
    let index = try self.expression()
    try expect("]")
    try rise(above: listHeight, height)
    return .function(.item, [expression, index], span(from: start))
  }

  // MARK: Operands

  private mutating func operand() throws(PredicateError) -> Expression {
    let token = current
    height = 0
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
    case .argument(let conversion):
      place += 1
      return try value(of: argument(token), as: conversion, token)
    case .keyArgument:
      place += 1
      let keys = try keys(token)
      height = keys.count
      return Self.path(keys.dropFirst(), from: .key(keys[0], token.span), token.span)
    case .escapedWord(let word):
      place += 1
      return .key(FieldName(stored: word).key, token.span)
    case .variable(let name):
      place += 1
      guard accept(":=") else {
        guard let given = variables[name] else { return .variable(name, token.span) }
        return try value(of: given, as: .any, token)
      }
      try descend()
      defer { depth -= 1 }
      let value = try expression()
      try rise(above: height)
      return .assignment(name, value, span(from: token.span.lowerBound))
    case .word(let word): return try named(word, token)
    case .symbol, .end: throw unexpected("a key or a value")
    }
  }

  private mutating func argument(_ token: Token) throws(PredicateError) -> Argument {
    guard usedArguments < arguments.count else {
      throw PredicateError(
        "no argument is given for this placeholder", at: token.span,
        remedy: .giveArgument)
    }
    usedArguments += 1
    return arguments[usedArguments - 1]
  }

  private func value(
    of argument: Argument, as conversion: Token.Conversion, _ token: Token
  ) throws(PredicateError) -> Expression {
    switch (argument, conversion) {
    case (.null, _): return .null(token.span)
    case (.list(let members), _):
      var items: [Expression] = []
      for member in members { items.append(try value(of: member, as: .any, token)) }
      return .aggregate(items, token.span)
    case (.value(let value), _): return .value(value, token.span)
    case (.text(let text), .any): return .untyped(text, token.span)
    case (.text(let text), .text): return .value(.string(text), token.span)
    case (.text(let text), .integer):
      guard let number = Int64(text) else {
        throw PredicateError("the argument '\(text)' is not a whole number", at: token.span)
      }
      return .value(.int64(number), token.span)
    case (.text(let text), .real):
      guard let number = Double(text), number.isFinite else {
        throw PredicateError("the argument '\(text)' is not a number", at: token.span)
      }
      return .value(.double(number), token.span)
    }
  }

  /// The keys in the argument of `%K`: one, or a path separated by dots.
  private mutating func keys(_ token: Token) throws(PredicateError) -> [String] {
    guard case .text(let text) = try argument(token) else {
      throw PredicateError("%K needs the name of a key", at: token.span)
    }
    let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard keys.allSatisfy(\.isKey) else {
      throw PredicateError(
        "'\(text.visible)' is not a key", at: token.span, remedy: "a key has letters, digits and _")
    }
    guard keys.count <= Limits.predicateDepth else {
      throw PredicateError("nested more than 200 levels deep", at: token.span)
    }
    return keys
  }

  private static func path(
    _ keys: some Sequence<String>, from base: Expression, _ span: Span
  ) -> Expression {
    keys.reduce(base) { whole, key in
      if let function = Function(spelled: ".\(key)"), function.form == .collectionOperator {
        return .function(function, [whole], span)
      }
      return .path(whole, key, span)
    }
  }

  /// A negative number, or the negation of the following operand.
  private mutating func negative() throws(PredicateError) -> Expression {
    let start = advance().span.lowerBound
    let value: FieldValue
    switch current.kind {
    case .integer(let number): value = .int64(-number)
    case .minimumWithoutSign: value = .int64(.min)
    case .double(let number): value = .double(-number)
    case .word, .escapedWord, .keyArgument, .argument, .variable, .symbol("("), .symbol("-"):
      try descend()
      defer { depth -= 1 }
      let zero = Expression.value(.int64(0), start..<start + 1)
      let operand = try postfix()
      try rise(above: height)
      return .function(.subtract, [zero, operand], span(from: start))
    case .string, .symbol, .end: throw unexpected("a number")
    }
    _ = advance()
    return .value(value, span(from: start))
  }

  private mutating func aggregate() throws(PredicateError) -> Expression {
    let start = advance().span.lowerBound
    try descend()
    defer { depth -= 1 }
    var items: [Expression] = []
    var highest = 0
    if !accept("}") {
      repeat {
        items.append(try expression())
        highest = max(highest, height)
        guard items.count <= Limits.predicateValues else {
          throw PredicateError("more than 100000 values", at: start..<start + 1)
        }
      } while accept(",")
      try expect("}")
    }
    try rise(above: highest)
    return .aggregate(items, span(from: start))
  }

  private mutating func named(_ word: String, _ token: Token) throws(PredicateError) -> Expression {
    switch token.keyword?.role {
    case .null:
      place += 1
      return .null(token.span)
    case .flag(let flag):
      place += 1
      return .value(.int64(flag ? 1 : 0), token.span)
    case .record: return try whole(token)
    case .subquery, .conditional, .function, nil: break
    case .connective, .quantifier, .constant: throw unexpected("a key or a value")
    }
    if token.operatorWord != nil { throw unexpected("a key or a value") }
    if tokens[place + 1].kind == .symbol("(") { return try function(word, token) }
    let reserved = word.uppercased()
    guard !reservedWords.contains(reserved) || ["FIRST", "LAST", "SIZE"].contains(reserved) else {
      throw PredicateError(
        "\(reserved) is a reserved word", at: token.span,
        remedy: "a field of that name is written #\(word)")
    }
    place += 1
    return .key(word, token.span)
  }

  /// `SELF`, or a key of it.
  private mutating func whole(_ token: Token) throws(PredicateError) -> Expression {
    place += 1
    guard current.kind == .symbol("."), case .word(let key) = tokens[place + 1].kind,
      !key.hasPrefix("@")
    else { return .record(token.span) }
    place += 2
    return .key(key, token.span.lowerBound..<tokens[place - 1].span.upperBound)
  }
}

extension String {
  /// Whether it is a valid key: letters, digits and `_`, and `@` at the beginning.
  fileprivate var isKey: Bool {
    guard let first = utf8.first, !first.isDigitByte else { return false }
    return (first == UInt8(ascii: "@") ? utf8.dropFirst() : utf8[...])
      .allSatisfy(\.isIdentifierByte) && utf8.count > (first == UInt8(ascii: "@") ? 1 : 0)
  }
}
