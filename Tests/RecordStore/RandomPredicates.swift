internal import Basics
internal import CloudModel

/// Random predicates over the type of `RandomRecords`, with all operators of the language, that the
/// binder accepts.
struct RandomPredicates {
  var source: RandomRecords

  init(seed: UInt64, fieldNames: [String: String] = [:]) {
    source = RandomRecords(random: SplitMix64(state: seed))
    source.fieldNames = fieldNames
  }

  /// A predicate that is nested at most `depth` deep.
  mutating func next(depth: Int = 3) -> Predicate {
    guard depth > 0, source.chance(45) else { return leaf() }
    switch source.pick([0, 1, 2, 2]) {
    case 0: return .and((0..<source.pick([2, 3])).map { _ in next(depth: depth - 1) }, 0..<0)
    case 1: return .or((0..<source.pick([2, 3])).map { _ in next(depth: depth - 1) }, 0..<0)
    default: return .not(next(depth: depth - 1), 0..<0)
    }
  }

  private mutating func leaf() -> Predicate {
    switch source.random.next() % 64 {
    case 63: equalities()
    case let number: leaf(of: number % 16)
    }
  }

  /// As many tests of one field in an OR as are merged, with values of two families.
  private mutating func equalities() -> Predicate {
    let (field, base) = source.pick(Self.ordered)
    let tests = (0..<source.pick([99, 130])).map { _ in
      test(key(field), .equal, literal(source.value(source.chance(90) ? base : .number)))
    }
    return .or(tests + [comparison()], 0..<0)
  }

  private mutating func leaf(of kind: UInt64) -> Predicate {
    switch kind {
    case 0: .constant(source.chance(50), 0..<0)
    case 1: absence()
    case 2: fieldAgainstField()
    case 3: distance()
    case 4, 5: listTest()
    case 6: membership()
    case 7: text()
    case 8: between()
    case 9: systemKey()
    case 10...12: form()
    default: comparison()
    }
  }

  mutating func test(
    _ left: Expression, _ operation: Comparison.Operation, _ right: Expression,
    any: Bool = false
  ) -> Predicate {
    let quantifier: Comparison.Quantifier? = any ? source.pick([.any, .any, .all, .notOne]) : nil
    let options =
      source.chance(10) ? Comparison.Options(rawValue: source.pick([1, 2, 3, 4, 9])) : []
    return .comparison(
      Comparison(
        quantifier: quantifier, left: left, operation: operation, options: options,
        right: right, span: 0..<0, operationSpan: 0..<0))
  }

  func key(_ name: String) -> Expression { .key(source.name(of: name), 0..<0) }
  func literal(_ value: FieldValue) -> Expression { .value(value, 0..<0) }

  static let orders: [Comparison.Operation] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  /// Ordered fields, by the type of the value that they are compared with.
  static let ordered: [(String, FieldType.Base)] = [
    ("s", .string), ("t", .string), ("i", .number), ("j", .number), ("d", .number),
    ("e", .number), ("n", .number), ("w", .timestamp), ("v", .timestamp), ("r", .reference),
  ]

  private mutating func comparison() -> Predicate {
    let (field, base) = source.pick(Self.ordered)
    let sides = [key(field), literal(source.value(base))]
    let operation = source.pick(Self.orders)
    if base == .number, source.chance(15) {
      let function = source.pick([Function.add, .subtract, .multiply, .divide, .modulus])
      let left = Expression.function(function, [key(field), literal(source.value(.number))], 0..<0)
      return test(left, operation, sides[1])
    }
    if source.chance(15) { return test(sides[1], operation, sides[0]) }
    if source.chance(15) {
      // Values of other families are never equal.
      let other = literal(source.value(source.pick([.string, .number, .timestamp, .bytes])))
      return test(sides[0], source.pick([.equal, .notEqual]), other)
    }
    return test(sides[0], operation, sides[1])
  }

  private mutating func absence() -> Predicate {
    let (field, _) = source.pick(RandomRecords.fields)
    let sides = [key(field), Expression.null(0..<0)]
    let isFirst = source.chance(80)
    let operation: Comparison.Operation = source.pick([
      .equal, .notEqual, .equal, .notEqual, .lessOrEqual, .greater,
    ])
    let isOrdered = Self.ordered.contains { $0.0 == field }
    return test(
      isFirst ? sides[0] : sides[1],
      isOrdered || operation == .equal ? operation : .notEqual, isFirst ? sides[1] : sides[0])
  }

  private mutating func fieldAgainstField() -> Predicate {
    let pairs = [
      ("s", "t"), ("i", "j"), ("i", "d"), ("d", "e"), ("n", "i"), ("n", "d"), ("w", "v"),
      ("r", "u"), ("w", "creationDate"), ("r", "recordName"), ("parent", "r"),
      ("creationDate", "modificationDate"), ("parent", "recordName"),
    ]
    let (a, b) = source.pick(pairs)
    switch source.random.next() % 8 {
    case 0: return test(key("s"), source.pick([.beginsWith, .contains, .in]), key("t"))
    case 1: return test(key("s"), .in, key("ls"))
    case 2: return test(key("lr"), .contains, key("r"))
    case 3:
      let (c, d) = source.pick([("b", "s"), ("p", "q"), ("s", "i"), ("r", "s"), ("b", "b")])
      return test(key(c), source.pick([.equal, .notEqual]), key(d))
    default: return test(key(a), source.pick(Self.orders), key(b))
    }
  }

  private mutating func distance() -> Predicate {
    let place = literal(.location(source.place()))
    let field = key(source.pick(["p", "p", "q"]))
    let sides = source.pick([[field, place], [place, field], [field, key("q")]])
    let distance = Expression.distance(sides[0], sides[1], 0..<0)
    let radius: FieldValue = .double(source.pick([0, 1, 8000, 8500, 2e6, 1.1e7, 2.1e7, -1]))
    if source.chance(15) {
      return test(distance, .between, .aggregate([literal(.int64(0)), literal(radius)], 0..<0))
    }
    if source.chance(10) { return test(distance, .less, key("d")) }
    return test(distance, source.pick(Self.orders), literal(radius))
  }

  static let lists: [(String, FieldType.Base)] = [
    ("ls", .string), ("li", .int64), ("ld", .double), ("lw", .timestamp), ("lr", .reference),
    ("lb", .bytes), ("li", .number), ("ld", .number), ("ls", .int64),
  ]

  private mutating func listTest() -> Predicate {
    let (field, base) = source.pick(Self.lists)
    let value = literal(source.value(base))
    let isOrdered = base != .bytes && field != "lb" && !(field == "ls" && base == .int64)
    switch source.random.next() % 6 {
    case 0: return test(key(field), .contains, value)
    case 1: return test(value, .in, key(field))
    case 2: return test(key(field), .in, values(base), any: true)
    case 3: return test(literal(.string(source.pick(RandomRecords.texts))), .in, key("ls"))
    case 4:
      let part = literal(.string(source.pick(RandomRecords.texts)))
      return test(key("ls"), source.pick([.beginsWith, .contains]), part, any: true)
    default:
      return test(key(field), isOrdered ? source.pick(Self.orders) : .equal, value, any: true)
    }
  }

  private mutating func values(_ base: FieldType.Base) -> Expression {
    let count = source.chance(3) ? source.pick([20, 120]) : source.pick([0, 1, 2, 4])
    return .aggregate((0..<count).map { _ in literal(source.value(base)) }, 0..<0)
  }

  private mutating func membership() -> Predicate {
    let fields = Self.ordered + [("b", FieldType.Base.bytes), ("p", .location)]
    let (field, base) = source.pick(fields)
    var members = values(base)
    if case .aggregate(let items, _) = members, source.chance(20) {
      members = .aggregate(items + [.null(0..<0), literal(.string("a"))], 0..<0)
    }
    if source.chance(25) { return test(members, .equal, key(field), any: true) }
    return test(key(field), .in, members)
  }

  private mutating func text() -> Predicate {
    let part = literal(.string(source.pick(RandomRecords.texts)))
    let field = key(source.pick(["s", "t"]))
    if source.chance(20) {
      return test(part, source.pick([.beginsWith, .endsWith, .in, .contains, .like]), field)
    }
    if source.chance(30) { return test(field, .like, literal(.string(pattern()))) }
    return test(field, source.pick([.beginsWith, .endsWith, .contains, .in]), part)
  }

  /// A pattern that some texts match: one of them, with parts replaced.
  mutating func pattern() -> String {
    var pattern = ""
    for character in source.pick(RandomRecords.texts).prefix(12) {
      switch source.random.next() % 6 {
      case 0: pattern += "*"
      case 1: pattern += "?"
      case 2: pattern += "\\\(character)"
      default: pattern.append(character)
      }
    }
    return source.chance(50) ? pattern + "*" : pattern
  }

  private mutating func between() -> Predicate {
    let (field, base) = source.pick(Self.ordered)
    let bounds = [source.value(base), source.value(base)].map(literal)
    let low = source.chance(8) ? Expression.null(0..<0) : bounds[0]
    let high = source.chance(8) ? key(field) : bounds[1]
    return test(key(field), .between, .aggregate([low, high], 0..<0))
  }

  private mutating func systemKey() -> Predicate {
    let names = source.pick(RandomRecords.names)
    let key = source.pick(SystemKey.allCases)
    let operation = source.pick(Self.orders)
    switch key.type.base {
    case .timestamp:
      return test(self.key(key.rawValue), operation, literal(source.value(.timestamp)))
    case .string:
      let tag = String(source.pick([3, 40, 80]), radix: 36)
      return test(self.key(key.rawValue), operation, literal(.string(tag)))
    default:
      let name = source.chance(50) ? names : "r\(source.random.next() % 60)"
      let value = literal(.reference(Reference(RecordName(stored: name))))
      if source.chance(20) { return test(self.key(key.rawValue), .equal, .null(0..<0)) }
      return test(self.key(key.rawValue), operation, value)
    }
  }
}
