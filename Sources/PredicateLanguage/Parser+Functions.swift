internal import Basics
internal import CloudModel

/// Functions, and literals in function notation.
extension PredicateParser {
  mutating func function(_ name: String, _ token: Token) throws(PredicateError)
    -> Expression
  {
    let start = token.span.lowerBound
    place += 2
    try descend()
    defer { depth -= 1 }
    if token.keyword == .subquery { return try subquery(from: start) }
    if token.keyword == .ternary { return try conditional(from: start) }
    var arguments: [Expression] = []
    var highest = 0
    if !accept(")") {
      repeat {
        arguments.append(try expression())
        highest = max(highest, height)
      } while accept(",")
      try expect(")")
    }
    try rise(above: highest)
    let whole = span(from: start)
    switch (token.keyword, name, arguments.count) {
    case (.cast, _, 2), (_, "castObject:toType:", 2):
      return try cast(arguments[0], to: arguments[1], whole)
    case (.function, _, 2...): return try call(arguments, whole)
    case (_, "ref", 1): return try reference(arguments[0], whole)
    case (_, "date", 1): return try date(arguments[0], whole)
    case (_, "bytes", 1): return try bytes(arguments[0], whole)
    case (_, "location", 2): return try location(arguments[0], arguments[1], whole)
    case (_, "distanceToLocation:fromLocation:", 2), (_, "distanceToLocation:fromLocation", 2):
      return .distance(arguments[0], arguments[1], whole)
    default:
      guard let function = Function(name: name), function.argumentCount == arguments.count else {
        throw unknownFunction(name, token, arguments.count)
      }
      return .function(function, arguments, whole)
    }
  }

  /// `SUBQUERY(list, $x, p)`, starting at the list.
  private mutating func subquery(from start: Int) throws(PredicateError) -> Expression {
    let list = try expression()
    let listHeight = height
    try expect(",")
    guard case .variable(let name) = current.kind else {
      throw unexpected("a variable such as $x")
    }
    place += 1
    try expect(",")
    let outside = variables.removeValue(forKey: name)
    defer { variables[name] = outside }
    let predicate = try disjunction()
    try expect(")")
    try rise(above: listHeight, height)
    return .subquery(list, name, predicate, span(from: start))
  }

  /// `TERNARY(p, a, b)`, starting at the predicate.
  private mutating func conditional(from start: Int) throws(PredicateError) -> Expression {
    let predicate = try disjunction()
    var highest = height
    try expect(",")
    let first = try expression()
    highest = max(highest, height)
    try expect(",")
    let second = try expression()
    try expect(")")
    try rise(above: highest, height)
    return .conditional(predicate, first, second, span(from: start))
  }

  /// `FUNCTION(x, "method", …)`: Apple's calls any method of the object; ours is a fixed table.
  private func call(_ arguments: [Expression], _ span: Span) throws(PredicateError) -> Expression {
    let method = text(arguments[1])
    let rest = [arguments[0]] + arguments.dropFirst(2)
    if method == "distanceFromLocation:", rest.count == 2 {
      return .distance(rest[0], rest[1], span)
    }
    guard let method, let function = Function(method: method),
      function.argumentCount == rest.count
    else {
      throw PredicateError(
        "FUNCTION cannot call this here", at: arguments[1].span,
        remedy: """
          it can call length, lowercaseString, uppercaseString, count, firstObject, lastObject, \
          objectAtIndex:, doubleValue, stringValue and distanceFromLocation:
          """)
    }
    return .function(function, rest, span)
  }

  private func cast(
    _ argument: Expression, to type: Expression, _ span: Span
  ) throws(PredicateError) -> Expression {
    guard let name = text(type), let function = Function(spelled: name), function.form == .cast
    else {
      throw PredicateError(
        "CAST needs 'NSDate', 'NSNumber' or 'NSString' after the value", at: type.span)
    }
    return .function(function, [argument], span)
  }

  /// The forms in function notation that are not in the table, with their argument counts.
  private static let forms = [
    "ref": 1, "date": 1, "bytes": 1, "location": 2, "distanceToLocation:fromLocation:": 2,
    "CAST": 2, "SUBQUERY": 3, "TERNARY": 3, "FUNCTION": 2,
  ]

  private func unknownFunction(_ name: String, _ token: Token, _ count: Int) -> PredicateError {
    if let expected = Self.forms[name] ?? Self.forms[name.uppercased()]
      ?? Function(name: name)?.argumentCount
    {
      return PredicateError(
        "\(name) takes \(expected) argument\(expected == 1 ? "" : "s"), not \(count)",
        at: token.span)
    }
    let names = Self.forms.keys + Function.allCases.map(\.rawValue)
    return PredicateError(
      "unknown function '\(name)'", at: token.span,
      remedy: .nearest(to: name, among: names.sorted()))
  }

  private func text(_ expression: Expression) -> String? {
    switch expression {
    case .value(.string(let text), _), .untyped(let text, _): text
    case .value, .null, .key, .path, .record, .variable, .assignment, .aggregate, .distance,
      .function, .subquery, .conditional:
      nil
    }
  }

  private func reference(
    _ argument: Expression, _ span: Span
  ) throws(PredicateError) -> Expression {
    guard let name = text(argument) else {
      throw PredicateError("ref needs a record's name in quotes", at: argument.span)
    }
    return .value(.reference(Reference(RecordName(stored: name))), span)
  }

  private func bytes(_ argument: Expression, _ span: Span) throws(PredicateError) -> Expression {
    guard let text = text(argument), let bytes = Base64.decode(text) else {
      throw PredicateError("bytes needs Base64 in quotes", at: argument.span)
    }
    return .value(.bytes(bytes), span)
  }

  private func date(_ argument: Expression, _ span: Span) throws(PredicateError) -> Expression {
    guard let text = text(argument), let time = Timestamp(text) ?? relativeTime(text) else {
      throw PredicateError(
        "date needs an ISO 8601 date in quotes, or a time relative to now", at: argument.span,
        remedy: "for example date('2024-05-01T12:00:00Z') or date('now-3d')")
    }
    return .value(.timestamp(time), span)
  }

  private func relativeTime(_ text: String) -> Timestamp? {
    guard let now, RelativeTime.isMeant(by: text) else { return nil }
    return RelativeTime.moment(text, now: now)
  }

  private func location(
    _ latitude: Expression, _ longitude: Expression, _ span: Span
  ) throws(PredicateError) -> Expression {
    guard let north = degrees(latitude), let east = degrees(longitude),
      let location = Location(latitude: north, longitude: east)
    else {
      throw PredicateError(
        "location needs a latitude from -90 to 90 and a longitude from -180 to 180", at: span)
    }
    return .value(.location(location), span)
  }

  private func degrees(_ expression: Expression) -> Double? {
    switch expression {
    case .value(.int64(let number), _): Double(number)
    case .value(.double(let number), _): number
    case .untyped(let text, _): Double(text)
    case .value, .null, .key, .path, .record, .variable, .assignment, .aggregate, .distance,
      .function, .subquery, .conditional:
      nil
    }
  }
}
