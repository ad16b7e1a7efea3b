internal import Basics
internal import CloudModel

/// Functions and the literals that are written as such.
extension PredicateParser {
  mutating func function(_ name: String, _ token: Token) throws(PredicateError)
    -> Expression
  {
    let start = token.span.lowerBound
    place += 2
    try descend()
    defer { depth -= 1 }
    var arguments: [Expression] = []
    if !accept(")") {
      repeat { arguments.append(try expression()) } while accept(",")
      try expect(")")
    }
    let whole = span(from: start)
    switch (name, arguments.count) {
    case ("ref", 1): return try reference(arguments[0], whole)
    case ("date", 1): return try date(arguments[0], whole)
    case ("bytes", 1): return try bytes(arguments[0], whole)
    case ("location", 2): return try location(arguments[0], arguments[1], whole)
    case ("distanceToLocation:fromLocation:", 2), ("distanceToLocation:fromLocation", 2):
      return .distance(arguments[0], arguments[1], whole)
    case ("CAST", 2), ("cast", 2): return try cast(arguments[0], to: arguments[1], whole)
    default:
      guard let function = Function(name: name), function.argumentCount == arguments.count else {
        throw unknownFunction(name, token, arguments.count)
      }
      return .function(function, arguments, whole)
    }
  }

  private func cast(
    _ argument: Expression, to type: Expression, _ span: Span
  ) throws(PredicateError) -> Expression {
    guard let name = text(type), let function = Function(rawValue: name), function.isCast else {
      throw PredicateError(
        "CAST wants 'NSDate', 'NSNumber' or 'NSString' behind the value", at: type.span)
    }
    return .function(function, [argument], span)
  }

  /// `SELF`, or a key of it.
  mutating func whole(_ token: Token) throws(PredicateError) -> Expression {
    place += 1
    guard current.kind == .symbol("."), collectionOperator == nil,
      case .word = tokens[place + 1].kind
    else { return .record(token.span) }
    place += 1
    return try operand()
  }

  /// An operand, with the indices and collection operators that stand behind it.
  mutating func postfix() throws(PredicateError) -> Expression {
    let start = current.span.lowerBound
    var whole = try operand()
    while true {
      if let function = collectionOperator {
        place += 2
        whole = .function(function, [whole], span(from: start))
      } else if accept("[") {
        whole = try indexed(whole, from: start)
      } else {
        return whole
      }
    }
  }

  /// `.@count` and its kin at hand, and no key behind them: paths are not understood.
  var collectionOperator: Function? {
    guard let function = collectionOperator(at: place),
      tokens[place + 2].kind != .symbol(".") || collectionOperator(at: place + 2) != nil
    else { return nil }
    return function
  }

  private func collectionOperator(at place: Int) -> Function? {
    guard tokens[place].kind == .symbol("."), case .word(let word) = tokens[place + 1].kind,
      let function = Function(rawValue: ".\(word)"), function.isPostfix
    else { return nil }
    return function
  }

  private mutating func indexed(
    _ expression: Expression, from start: Int
  ) throws(PredicateError) -> Expression {
    if case .word(let word) = current.kind,
      let function = Function(rawValue: "[\(word.uppercased())]")
    {
      place += 1
      try expect("]")
      return .function(function, [expression], span(from: start))
    }
    try descend()
    defer { depth -= 1 }
    let index = try self.expression()
    try expect("]")
    return .function(.item, [expression, index], span(from: start))
  }

  private static let functions = [
    "ref": 1, "date": 1, "bytes": 1, "location": 2, "distanceToLocation:fromLocation:": 2,
  ]

  private func unknownFunction(_ name: String, _ token: Token, _ count: Int) -> PredicateError {
    if let expected = Self.functions[name] ?? Function(name: name)?.argumentCount {
      return PredicateError(
        "\(name) takes \(expected) argument\(expected == 1 ? "" : "s"), not \(count)",
        at: token.span)
    }
    return PredicateError(
      "unknown function '\(name)'", at: token.span,
      hint: Suggestion.nearest(
        to: name, among: (Self.functions.keys + Function.allCases.map(\.rawValue)).sorted()
      )
      .map { "did you mean \($0)?" })
  }

  private func text(_ expression: Expression) -> String? {
    switch expression {
    case .value(.string(let text), _), .untyped(let text, _): text
    default: nil
    }
  }

  private func reference(
    _ argument: Expression, _ span: Span
  ) throws(PredicateError) -> Expression {
    guard let name = text(argument) else {
      throw PredicateError("ref wants a record's name in quotes", at: argument.span)
    }
    return .value(.reference(Reference(RecordName(stored: name))), span)
  }

  private func bytes(_ argument: Expression, _ span: Span) throws(PredicateError) -> Expression {
    guard let text = text(argument), let bytes = Base64.decode(text) else {
      throw PredicateError("bytes wants Base64 in quotes", at: argument.span)
    }
    return .value(.bytes(bytes), span)
  }

  private func date(_ argument: Expression, _ span: Span) throws(PredicateError) -> Expression {
    guard let text = text(argument), let time = Timestamp(text) else {
      throw PredicateError(
        "date wants an ISO 8601 date in quotes", at: argument.span,
        hint: "for example date('2024-05-01T12:00:00Z')")
    }
    return .value(.timestamp(time), span)
  }

  private func location(
    _ latitude: Expression, _ longitude: Expression, _ span: Span
  ) throws(PredicateError) -> Expression {
    guard let north = degrees(latitude), let east = degrees(longitude),
      let location = Location(latitude: north, longitude: east)
    else {
      throw PredicateError(
        "location wants a latitude from -90 to 90 and a longitude from -180 to 180", at: span)
    }
    return .value(.location(location), span)
  }

  private func degrees(_ expression: Expression) -> Double? {
    switch expression {
    case .value(.int64(let number), _): Double(number)
    case .value(.double(let number), _): number
    case .untyped(let text, _): Double(text)
    default: nil
    }
  }
}
