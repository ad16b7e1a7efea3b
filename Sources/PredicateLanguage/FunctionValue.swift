internal import Basics
internal import CloudModel
internal import FieldCodecs

extension Function {
  /// Returns the function's value; nil for arithmetic with nil, and for undefined results.
  func value(of arguments: [PredicateEvaluator.Operand]) -> PredicateEvaluator.Operand {
    switch self {
    case .add: return Number.sum(arguments)
    case .subtract:
      return Number.of(arguments, exactly: { $0.subtractingReportingOverflow($1) }, -)
    case .multiply:
      return Number.of(arguments, exactly: { $0.multipliedReportingOverflow(by: $1) }, *)
    case .divide:
      return Number.of(arguments, exactly: { $0.dividedReportingOverflow(by: $1) }) {
        $1 == 0 ? nil : $0 / $1
      }
    case .modulus:
      return Number.of(arguments, exactly: { $0.remainderReportingOverflow(dividingBy: $1) }) {
        $1 == 0 ? nil : Mathematics.remainder($0, $1)
      }
    case .raise: return Number.of(arguments, exactly: Self.power) { Mathematics.power($0, $1) }
    case .bitwiseAnd: return Self.bits(arguments) { $0 & $1 }
    case .bitwiseOr: return Self.bits(arguments) { $0 | $1 }
    case .bitwiseXor: return Self.bits(arguments) { $0 ^ $1 }
    case .leftShift: return Self.bits(arguments) { $0 << $1 }
    case .rightShift: return Self.bits(arguments) { $0 >> $1 }
    case .onesComplement: return Self.bits(arguments) { number, _ in ~number }
    case .count, .size, .countOf: return .value(.int64(Int64(arguments[0].items.count)))
    case .sum, .sumOf: return Self.sum(of: arguments[0])
    case .average, .averageOf:
      return Self.collected(arguments[0]) { .double($0.reduce(0, +) / Double($0.count)) }
    case .standardDeviation: return Self.collected(arguments[0], Self.standardDeviation)
    case .median: return Self.median(of: arguments[0])
    case .mode: return Self.mostFrequent(arguments[0])
    case .min, .minOf: return Self.extreme(of: arguments[0].members) { $0 < 0 }
    case .max, .maxOf: return Self.extreme(of: arguments[0].members) { $0 > 0 }
    case .unionOf: return .value(.list(arguments[0].members))
    case .distinctUnionOf: return Self.distinct(arguments[0].members)
    case .first: return arguments[0].items.first ?? .none
    case .last: return arguments[0].items.last ?? .none
    case .item:
      let items = arguments[0].items
      guard case .value(.int64(let index)) = arguments[1], items.indices.contains(Int(index))
      else { return .none }
      return items[Int(index)]
    case .withoutIndex: return arguments[0]
    // The binder has replaced these by their values.
    case .now, .random, .randomBelow: return .none
    case .sqrt: return Number.real(arguments) { $0.squareRoot() }
    case .log: return Number.real(arguments) { Mathematics.decimalLogarithm($0) }
    case .ln: return Number.real(arguments) { Mathematics.naturalLogarithm($0) }
    case .exp: return Number.real(arguments) { Mathematics.exponential($0) }
    case .floor: return Number(arguments[0])?.rounded(.down).operand ?? .none
    case .ceiling: return Number(arguments[0])?.rounded(.up).operand ?? .none
    case .trunc: return Number(arguments[0])?.rounded(.towardZero).operand ?? .none
    case .abs: return Number(arguments[0])?.magnitude.operand ?? .none
    case .uppercase: return Self.text(arguments) { .string($0.uppercased()) }
    case .lowercase: return Self.text(arguments) { .string($0.lowercased()) }
    case .length: return Self.text(arguments) { .int64(Int64($0.utf16.count)) }
    case .tokenize:
      return Self.text(arguments) { .list(TextWords.list(of: $0).map { .string($0) }) }
    case .date: return Self.date(arguments[0])
    case .number: return Self.number(arguments[0])
    case .string: return Self.string(arguments[0])
    }
  }

  private static func text(
    _ arguments: [PredicateEvaluator.Operand], _ value: (String) -> FieldValue
  ) -> PredicateEvaluator.Operand {
    guard case .value(.string(let text)) = arguments[0] else { return .none }
    return .value(value(text))
  }

  /// Bit operations apply only to integers.
  private static func bits(
    _ arguments: [PredicateEvaluator.Operand], _ result: (Int64, Int64) -> Int64
  ) -> PredicateEvaluator.Operand {
    let numbers = arguments.compactMap { argument -> Int64? in
      if case .value(.int64(let number)) = argument { number } else { nil }
    }
    guard numbers.count == arguments.count, let first = numbers.first, let last = numbers.last
    else { return .none }
    return .value(.int64(result(first, last)))
  }

  /// An integer power of an integer; an overflow if the result is not an integer or too large.
  private static func power(
    _ base: Int64, _ exponent: Int64
  ) -> (partialValue: Int64, overflow: Bool) {
    if base == 1 || exponent == 0 { return (1, false) }
    if base == 0 { return (0, exponent < 0) }
    if base == -1 { return (exponent % 2 == 0 ? 1 : -1, false) }
    guard (0..<64).contains(exponent) else { return (0, true) }
    var power: Int64 = 1
    for _ in 0..<exponent {
      let next = power.multipliedReportingOverflow(by: base)
      if next.overflow { return next }
      power = next.partialValue
    }
    return (power, false)
  }

  // MARK: Aggregates

  /// The numbers in values; nil if other values are among them.
  private static func numbers(_ values: [FieldValue]) -> [Number]? {
    let numbers = values.compactMap { Number(.value($0)) }
    return numbers.count == values.count ? numbers : nil
  }

  /// The sum; 0 for no numbers.
  private static func sum(of operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    guard let numbers = numbers(operand.members) else { return .none }
    return numbers.reduce(Number.integer(0)) { $0.adding($1) }.operand
  }

  /// The aggregate of numbers; nil for none.
  private static func collected(
    _ operand: PredicateEvaluator.Operand, _ value: ([Double]) -> FieldValue
  ) -> PredicateEvaluator.Operand {
    guard let numbers = numbers(operand.members), !numbers.isEmpty else { return .none }
    return .value(value(numbers.map(\.double)))
  }

  private static func standardDeviation(_ numbers: [Double]) -> FieldValue {
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return .double((squares / Double(numbers.count)).squareRoot())
  }

  private static func median(of operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    guard let numbers = numbers(operand.members), !numbers.isEmpty else { return .none }
    let sorted = numbers.sorted { $0.double < $1.double }
    let middle = sorted.count / 2
    if sorted.count % 2 == 1 { return sorted[middle].operand }
    return .value(.double((sorted[middle - 1].double + sorted[middle].double) / 2))
  }

  /// The distinct members.
  private static func distinct(_ members: [FieldValue]) -> PredicateEvaluator.Operand {
    var seen: Set<ValueKey> = []
    return .value(.list(members.filter { seen.insert(ValueKey($0)).inserted }))
  }

  /// The most frequent values, each once and in their order.
  private static func mostFrequent(
    _ operand: PredicateEvaluator.Operand
  ) -> PredicateEvaluator.Operand {
    let values = operand.members
    guard numbers(values) != nil, !values.isEmpty else { return .none }
    let counts = Dictionary(values.map { (ValueKey($0), 1) }, uniquingKeysWith: +)
    let most = counts.values.max()
    var seen: Set<ValueKey> = []
    let modes = values.filter { value in
      let key = ValueKey(value)
      return counts[key] == most && seen.insert(key).inserted
    }
    return .aggregate(modes.sorted { $0.order(to: $1) ?? 0 < 0 }.map { .value($0) })
  }

  /// The least or the greatest value; nil if there is none, or if they have no order.
  private static func extreme(
    of values: [FieldValue], _ isBetter: (Int) -> Bool
  ) -> PredicateEvaluator.Operand {
    guard var found = values.first else { return .none }
    for value in values.dropFirst() {
      guard let order = value.order(to: found) else { return .none }
      if isBetter(order) { found = value }
    }
    return .value(found)
  }

  // MARK: Casts

  private static func date(_ operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    if case .value(.timestamp) = operand { return operand }
    if case .value(.string(let text)) = operand {
      return Timestamp(text).map { .value(.timestamp($0)) } ?? .none
    }
    guard let number = Number(operand),
      let milliseconds = Int64(exactly: ((number.double + secondsTo2001) * 1000).rounded()),
      let time = Timestamp(given: milliseconds)
    else { return .none }
    return .value(.timestamp(time))
  }

  private static func number(_ operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    if case .value(.string(let text)) = operand {
      return FieldValue(text: text, as: .number).map { .value($0) } ?? .none
    }
    if case .value(.timestamp(let time)) = operand {
      return .value(.double(Double(time.milliseconds) / 1000 - secondsTo2001))
    }
    return Number(operand)?.operand ?? .none
  }

  private static func string(_ operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    if operand.isCollection { return .aggregate(operand.items.map(string)) }
    guard case .value(let value) = operand else { return .none }
    switch value {
    case .string: return operand
    case .int64(let number): return .value(.string(String(number)))
    case .double(let number): return .value(.string(number.description))
    case .reference(let reference): return .value(.string(reference.name.text))
    case .timestamp, .bytes, .location, .asset, .list: return .none
    }
  }

  /// Seconds from 1970 to 2001, the NSDate epoch.
  private static let secondsTo2001 = 978_307_200.0
}

/// A number that stays an integer while possible.
private enum Number {
  case integer(Int64)
  case real(Double)

  init?(_ operand: PredicateEvaluator.Operand) {
    if case .value(.int64(let number)) = operand {
      self = .integer(number)
    } else if case .value(.double(let number)) = operand {
      self = .real(number)
    } else {
      return nil
    }
  }

  /// The result for two numbers: exact, or as real numbers if that overflows.
  static func of(
    _ arguments: [PredicateEvaluator.Operand],
    exactly exact: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
    _ real: (Double, Double) -> Double?
  ) -> PredicateEvaluator.Operand {
    guard let a = Number(arguments[0]), let b = Number(arguments[1]) else { return .none }
    if case .integer(let x) = a, case .integer(let y) = b {
      let (result, overflows) = exact(x, y)
      if !overflows { return Number.integer(result).operand }
    }
    return real(a.double, b.double).map { Number.real($0).operand } ?? .none
  }

  static func sum(_ arguments: [PredicateEvaluator.Operand]) -> PredicateEvaluator.Operand {
    of(arguments, exactly: { $0.addingReportingOverflow($1) }, +)
  }

  /// A function of real numbers.
  static func real(
    _ arguments: [PredicateEvaluator.Operand], _ result: (Double) -> Double
  ) -> PredicateEvaluator.Operand {
    Number(arguments[0]).map { Number.real(result($0.double)).operand } ?? .none
  }

  func adding(_ other: Number) -> Number {
    if case .integer(let x) = self, case .integer(let y) = other {
      let (sum, overflows) = x.addingReportingOverflow(y)
      if !overflows { return .integer(sum) }
    }
    return .real(double + other.double)
  }

  var magnitude: Number {
    if case .integer(let integer) = self, integer != .min { return .integer(abs(integer)) }
    return .real(abs(double))
  }

  var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    }
  }

  /// The value; nil for NaN (0/0, a root of -1).
  var operand: PredicateEvaluator.Operand {
    switch self {
    case .integer(let number): .value(.int64(number))
    case .real(let number): number.isNaN ? .none : .value(.double(number))
    }
  }

  func rounded(_ rule: FloatingPointRoundingRule) -> Number {
    switch self {
    case .integer: self
    case .real(let number): .real(number.rounded(rule))
    }
  }
}
