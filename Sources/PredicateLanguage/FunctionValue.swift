internal import Basics
internal import CloudModel

extension Function {
  /// The function's value; arithmetic with nil, and what has no value, is nil.
  func value(of arguments: [PredicateEvaluator.Operand]) -> PredicateEvaluator.Operand {
    switch self {
    case .add, .subtract, .multiply, .divide, .raise, .modulus:
      guard let a = Number(arguments[0]), let b = Number(arguments[1]) else { return .none }
      return arithmetic(a, b)?.operand ?? .none
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      return bits(arguments)
    case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation:
      return collected(arguments[0])
    case .size, .countOf: return Function.count.collected(arguments[0])
    case .sumOf: return Function.sum.collected(arguments[0])
    case .minOf: return Function.min.collected(arguments[0])
    case .maxOf: return Function.max.collected(arguments[0])
    case .averageOf: return Function.average.collected(arguments[0])
    case .unionOf, .distinctUnionOf: return union(arguments[0])
    case .first: return arguments[0].items.first ?? .none
    case .last: return arguments[0].items.last ?? .none
    case .item:
      let items = arguments[0].items
      guard case .value(.int64(let index)) = arguments[1], items.indices.contains(Int(index))
      else { return .none }
      return items[Int(index)]
    case .withoutIndex: return arguments[0]
    case .tokenize:
      guard case .value(.string(let text)) = arguments[0] else { return .none }
      return .value(.list(TextWords.list(of: text).map { .string($0) }))
    // The binder has put values in their places.
    case .now, .random, .randomBelow: return .none
    case .sqrt, .log, .ln, .exp, .floor, .ceiling, .abs, .trunc:
      return Number(arguments[0]).map { computed($0).operand } ?? .none
    case .uppercase, .lowercase, .length:
      guard case .value(.string(let text)) = arguments[0] else { return .none }
      switch self {
      case .uppercase: return .value(.string(text.uppercased()))
      case .lowercase: return .value(.string(text.lowercased()))
      default: return .value(.int64(Int64(text.utf16.count)))
      }
    case .date, .number, .string: return cast(arguments[0])
    }
  }

  /// Bits are those of whole numbers.
  private func bits(_ arguments: [PredicateEvaluator.Operand]) -> PredicateEvaluator.Operand {
    let numbers = arguments.compactMap { argument -> Int64? in
      if case .value(.int64(let number)) = argument { number } else { nil }
    }
    guard numbers.count == arguments.count, let first = numbers.first, let last = numbers.last
    else { return .none }
    let result =
      switch self {
      case .bitwiseAnd: first & last
      case .bitwiseOr: first | last
      case .bitwiseXor: first ^ last
      case .leftShift: first << last
      case .rightShift: first >> last
      default: ~first
      }
    return .value(.int64(result))
  }

  /// The members that are there, once each where they are wanted distinct.
  private func union(_ operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    let members = operand.members
    guard self == .distinctUnionOf else { return .value(.list(members)) }
    var seen: Set<ValueKey> = []
    return .value(.list(members.filter { seen.insert(ValueKey($0)).inserted }))
  }

  private func arithmetic(_ a: Number, _ b: Number) -> Number? {
    if case .integer(let x) = a, case .integer(let y) = b, let exact = exact(x, y) {
      return exact
    }
    let (x, y) = (a.double, b.double)
    switch self {
    case .add: return .real(x + y)
    case .subtract: return .real(x - y)
    case .multiply: return .real(x * y)
    case .divide: return y == 0 ? nil : .real(x / y)
    case .modulus: return y == 0 ? nil : .real(Mathematics.remainder(x, y))
    default: return .real(Mathematics.power(x, y))
    }
  }

  /// The result of two integers where it is one.
  private func exact(_ x: Int64, _ y: Int64) -> Number? {
    let result: (partialValue: Int64, overflow: Bool)
    switch self {
    case .add: result = x.addingReportingOverflow(y)
    case .subtract: result = x.subtractingReportingOverflow(y)
    case .multiply: result = x.multipliedReportingOverflow(by: y)
    case .divide: result = x.dividedReportingOverflow(by: y)
    case .modulus: result = x.remainderReportingOverflow(dividingBy: y)
    default: return Self.power(x, y).map { .integer($0) }
    }
    return result.overflow ? nil : .integer(result.partialValue)
  }

  /// A whole power of a whole number; nil where that is none, or too large for one.
  private static func power(_ base: Int64, _ exponent: Int64) -> Int64? {
    if base == 1 || exponent == 0 { return 1 }
    if base == 0 { return exponent > 0 ? 0 : nil }
    if base == -1 { return exponent % 2 == 0 ? 1 : -1 }
    guard (0..<64).contains(exponent) else { return nil }
    var power: Int64 = 1
    for _ in 0..<exponent {
      let next = power.multipliedReportingOverflow(by: base)
      if next.overflow { return nil }
      power = next.partialValue
    }
    return power
  }

  private func computed(_ number: Number) -> Number {
    let x = number.double
    switch self {
    case .sqrt: return .real(x.squareRoot())
    case .log: return .real(Mathematics.decimalLogarithm(x))
    case .ln: return .real(Mathematics.naturalLogarithm(x))
    case .exp: return .real(Mathematics.exponential(x))
    case .floor: return number.rounded(.down)
    case .ceiling: return number.rounded(.up)
    case .trunc: return number.rounded(.towardZero)
    default:
      if case .integer(let integer) = number, integer != .min {
        return .integer(Swift.abs(integer))
      }
      return .real(Swift.abs(x))
    }
  }

  /// Of nothing the sum is 0, and there is no least, greatest, average or median.
  private func collected(_ operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    if self == .count { return .value(.int64(Int64(operand.items.count))) }
    let values = operand.members
    if self == .min || self == .max { return extreme(of: values) }
    let numbers = values.compactMap { Number(.value($0)) }
    guard numbers.count == values.count else { return .none }
    if self == .sum {
      return numbers.reduce(.integer(0)) {
        Function.add.arithmetic($0, $1) ?? .real($0.double + $1.double)
      }.operand
    }
    let sorted = numbers.sorted { $0.double < $1.double }
    guard !sorted.isEmpty else { return .none }
    switch self {
    case .average:
      let sum = numbers.reduce(0) { $0 + $1.double }
      return .value(.double(sum / Double(numbers.count)))
    case .standardDeviation:
      let mean = numbers.reduce(0) { $0 + $1.double } / Double(numbers.count)
      let squares = numbers.reduce(0) { $0 + ($1.double - mean) * ($1.double - mean) }
      return .value(.double((squares / Double(numbers.count)).squareRoot()))
    case .mode: return Self.mostFrequent(values)
    default:
      let middle = sorted.count / 2
      if sorted.count % 2 == 1 { return sorted[middle].operand }
      return .value(.double((sorted[middle - 1].double + sorted[middle].double) / 2))
    }
  }

  /// The values that there are most of, each once and in their order.
  private static func mostFrequent(_ values: [FieldValue]) -> PredicateEvaluator.Operand {
    let counts = Dictionary(values.map { (ValueKey($0), 1) }, uniquingKeysWith: +)
    let most = counts.values.max()
    var seen: Set<ValueKey> = []
    let modes = values.filter { value in
      let key = ValueKey(value)
      return counts[key] == most && seen.insert(key).inserted
    }
    return .aggregate(modes.sorted { $0.order(to: $1) ?? 0 < 0 }.map { .value($0) })
  }

  /// The least or the greatest value; nil where there is none, or no order among them.
  private func extreme(of values: [FieldValue]) -> PredicateEvaluator.Operand {
    guard var found = values.first else { return .none }
    for value in values.dropFirst() {
      guard let order = value.order(to: found) else { return .none }
      if self == .min ? order < 0 : order > 0 { found = value }
    }
    return .value(found)
  }

  private func cast(_ operand: PredicateEvaluator.Operand) -> PredicateEvaluator.Operand {
    switch (self, operand) {
    case (.date, .value(.timestamp)), (.string, .value(.string)): return operand
    case (.date, .value(.string(let text))):
      return Timestamp(text).map { .value(.timestamp($0)) } ?? .none
    case (.date, _):
      guard let number = Number(operand),
        let milliseconds = Int64(exactly: ((number.double + Self.secondsTo2001) * 1000).rounded()),
        let time = Timestamp(given: milliseconds)
      else { return .none }
      return .value(.timestamp(time))
    case (.string, .value(.reference(let reference))): return .value(.string(reference.name.text))
    case (.string, _) where operand.isCollection: return .aggregate(operand.items.map(cast))
    case (.number, .value(.string(let text))):
      return FieldValue(text: text, as: .number).map { .value($0) } ?? .none
    case (.number, .value(.timestamp(let time))):
      return .value(.double(Double(time.milliseconds) / 1000 - Self.secondsTo2001))
    case (.number, _): return Number(operand)?.operand ?? .none
    case (_, .value(.int64(let number))): return .value(.string(String(number)))
    case (_, .value(.double(let number))): return .value(.string(number.description))
    default: return .none
    }
  }

  /// From 1970 to 2001, where NSDate begins.
  private static let secondsTo2001 = 978_307_200.0
}

/// A number that stays an integer as long as it can.
private enum Number {
  case integer(Int64)
  case real(Double)

  init?(_ operand: PredicateEvaluator.Operand) {
    switch operand {
    case .value(.int64(let number)): self = .integer(number)
    case .value(.double(let number)): self = .real(number)
    default: return nil
    }
  }

  var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    }
  }

  /// The value; what is no number (0/0, a root of -1) is nil.
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
