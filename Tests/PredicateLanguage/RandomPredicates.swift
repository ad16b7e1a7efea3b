internal import Basics
internal import CloudModel

/// Random predicates of everything that the language can express, meaningful or not.
struct RandomPredicates {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  static let keys = [
    "a", "title", "year_2", "___createTime", "recordName", "ref", "date", "location", "bytes",
    "size", "First", "IN", "any", "Nil", "true", "AND", "SELF", "like", "ANYKEY", "contained",
  ]

  static let names = ["x", "_y2", "in", "SELF"]

  mutating func pick<Item>(_ items: [Item]) -> Item {
    items[Int(random.next() % UInt64(items.count))]
  }

  mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

  mutating func next(depth: Int = 4) -> Predicate {
    guard depth > 0, chance(60) else {
      return chance(10) ? .constant(chance(50), 0..<0) : .comparison(comparison())
    }
    switch random.next() % 3 {
    case 0: return .and((0..<pick([2, 2, 3, 4])).map { _ in next(depth: depth - 1) }, 0..<0)
    case 1: return .or((0..<pick([2, 2, 3, 4])).map { _ in next(depth: depth - 1) }, 0..<0)
    default: return .not(next(depth: depth - 1), 0..<0)
    }
  }

  mutating func comparison() -> Comparison {
    Comparison(
      quantifier: chance(20) ? pick(Comparison.Quantifier.allCases) : nil, left: expression(),
      operation: pick(Comparison.Operation.allCases),
      options: chance(30) ? Comparison.Options(rawValue: Int(random.next() % 16)) : [],
      right: expression(), span: 0..<0, operationSpan: 0..<0)
  }

  mutating func expression(depth: Int = 2) -> Expression {
    switch random.next() % (depth > 0 ? 15 : 8) {
    case 0...2: chance(80) ? .key(pick(Self.keys), 0..<0) : .variable(pick(Self.names), 0..<0)
    case 3: chance(80) ? .null(0..<0) : .record(0..<0)
    case 4...7: .value(value(), 0..<0)
    case 8:
      .aggregate((0..<pick([0, 1, 2, 5])).map { _ in expression(depth: depth - 1) }, 0..<0)
    case 9: .distance(expression(depth: depth - 1), expression(depth: depth - 1), 0..<0)
    case 10: .path(expression(depth: depth - 1), pick(Self.keys), 0..<0)
    case 11: .assignment(pick(Self.names), expression(depth: depth - 1), 0..<0)
    case 12: .subquery(expression(depth: depth - 1), pick(Self.names), next(depth: 1), 0..<0)
    case 13:
      .conditional(next(depth: 1), expression(depth: depth - 1), expression(depth: 1), 0..<0)
    default: function(depth: depth - 1)
    }
  }

  mutating func function(depth: Int) -> Expression {
    let function = pick(Function.allCases)
    let arguments = (0..<function.argumentCount).map { _ in expression(depth: depth) }
    return .function(function, arguments, 0..<0)
  }

  mutating func value() -> FieldValue {
    switch random.next() % 7 {
    case 0: .string(text())
    case 1: .int64(pick([0, -1, .max, .min, Int64(bitPattern: random.next())]))
    case 2: .double(double())
    case 3:
      .timestamp(
        Timestamp(milliseconds: .random(in: Timestamp.range, using: &random) >> pick([0, 20])))
    case 4: .reference(Reference(RecordName(stored: text())))
    case 5:
      .bytes((0..<pick([0, 1, 2, 3, 9])).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    default: place()
    }
  }

  mutating func place() -> FieldValue {
    let latitude = Double(random.next() % 180_001) / 1000 - 90
    let longitude = Double(random.next() % 360_001) / 1000 - 180
    let location = Location(latitude: latitude, longitude: longitude)
    return location.map { .location($0) } ?? .int64(0)
  }

  mutating func double() -> Double {
    let number = Double(bitPattern: random.next())
    return chance(50) && number.isFinite
      ? number : pick([0, -0.0, 1, -2.5, 1e22, .leastNonzeroMagnitude])
  }

  mutating func text() -> String {
    let pool: [Unicode.Scalar] = [
      "a", "b", "'", "\"", "\\", "u", "x", "0", "%", "@", "$", "#", "\n", "\t", "\0", "\u{1F}",
      "\u{7F}", "\u{85}", "\u{E9}", "\u{301}", "🧭", "\u{10FFFF}", " ", "{", ")",
    ]
    var text = ""
    for _ in 0..<random.next() % 8 { text.unicodeScalars.append(pick(pool)) }
    return text
  }
}
