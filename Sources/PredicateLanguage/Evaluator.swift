internal import Basics
public import CloudModel

/// The meaning of predicates: a pure function, which SQL must agree with.
///
/// There is no third truth value: a missing value makes every test false but `!=`, `== nil` and
/// what allows equality of two missing values (`predicates.md` §1.5). Predicates come here bound
/// to a schema (`PredicateBinder`), so that types fit.
public enum PredicateEvaluator {
  /// Whether the record meets the predicate.
  public static func evaluate(_ predicate: Predicate, _ record: Record) -> Bool {
    switch predicate {
    case .constant(let value, _): value
    case .and(let parts, _): parts.allSatisfy { evaluate($0, record) }
    case .or(let parts, _): parts.contains { evaluate($0, record) }
    case .not(let part, _): !evaluate(part, record)
    case .comparison(let comparison): evaluate(comparison, record)
    }
  }

  private static func evaluate(_ comparison: Comparison, _ record: Record) -> Bool {
    if case .record = comparison.left {
      guard case .value(.string(let words)) = operand(comparison.right, record) else {
        return false
      }
      return TextSearch(words).finds(record)
    }
    let folding = TextFolding(comparison.options)
    let left = operand(comparison.left, record).folded(folding)
    let right = operand(comparison.right, record).folded(folding)
    let passes: (FieldValue) -> Bool = { test(.value($0), comparison.operation, right) }
    return switch comparison.quantifier {
    case .any: members(left).contains(where: passes)
    case .all: members(left).allSatisfy(passes)
    case .notOne: !members(left).contains(where: passes)
    case nil: test(left, comparison.operation, right)
    }
  }

  /// What an expression comes to.
  enum Operand {
    case none
    case value(FieldValue)
    case aggregate([Operand])

    func folded(_ folding: TextFolding) -> Operand {
      if folding.isIdentity { return self }
      switch self {
      case .none: return self
      case .value(let value): return .value(folding.fold(value))
      case .aggregate(let items): return .aggregate(items.map { $0.folded(folding) })
      }
    }
  }

  private static func operand(_ expression: Expression, _ record: Record) -> Operand {
    switch expression {
    case .value(let value, _): return .value(value)
    case .untyped(let text, _): return .value(.string(text))
    case .null, .record: return .none
    case .key(let key, _): return value(of: key, record).map { .value($0) } ?? .none
    case .aggregate(let items, _): return .aggregate(items.map { operand($0, record) })
    case .distance(let a, let b, _):
      guard case .value(.location(let a)) = operand(a, record),
        case .value(.location(let b)) = operand(b, record)
      else { return .none }
      return .value(.double(a.distance(to: b)))
    case .function(let function, let arguments, _):
      return function.value(of: arguments.map { operand($0, record) })
    }
  }

  /// What a function of literals comes to; nil where it has a key in it.
  static func constant(_ function: Function, _ arguments: [Expression]) -> Expression.Constant? {
    var operands: [Operand] = []
    for argument in arguments {
      switch argument {
      case .value(let value, _): operands.append(.value(value))
      case .null: operands.append(.none)
      case .aggregate(let items, _):
        var values: [Operand] = []
        for case .value(let value, _) in items { values.append(.value(value)) }
        guard values.count == items.count else { return nil }
        operands.append(.aggregate(values))
      default: return nil
      }
    }
    switch function.value(of: operands) {
    case .value(let value): return .value(value)
    case .none: return .nothing
    case .aggregate: return nil
    }
  }

  private static func value(of key: String, _ record: Record) -> FieldValue? {
    if let system = SystemKey(key) { return system.value(in: record) }
    return record.fields[FieldName(stored: key)]
  }

  static func members(_ operand: Operand) -> [FieldValue] {
    switch operand {
    case .none: []
    case .value(.list(let members)): members
    case .value(let value): [value]
    case .aggregate(let items): items.flatMap(members)
    }
  }

  private static func test(
    _ left: Operand, _ operation: Comparison.Operation, _ right: Operand
  ) -> Bool {
    switch operation {
    case .equal: return isEqual(left, right)
    case .notEqual: return !isEqual(left, right)
    case .less: return order(left, right).map { $0 < 0 } ?? false
    case .greater: return order(left, right).map { $0 > 0 } ?? false
    case .lessOrEqual, .greaterOrEqual:
      if case (.none, .none) = (left, right) { return true }
      let sign = operation == .lessOrEqual ? 1 : -1
      return order(left, right).map { $0 * sign <= 0 } ?? false
    case .between:
      guard case .aggregate(let bounds) = right, bounds.count == 2,
        let low = order(left, bounds[0]), let high = order(left, bounds[1])
      else { return false }
      return low >= 0 && high <= 0
    case .in: return contains(right, left)
    case .contains: return contains(left, right)
    case .beginsWith:
      guard case .value(.string(let text)) = left, case .value(.string(let prefix)) = right
      else { return false }
      return !prefix.isEmpty && text.utf8.starts(with: prefix.utf8)
    case .endsWith:
      guard case .value(.string(let text)) = left, case .value(.string(let suffix)) = right
      else { return false }
      return !suffix.isEmpty && text.utf8.reversed().starts(with: suffix.utf8.reversed())
    case .like:
      guard case .value(.string(let text)) = left, case .value(.string(let pattern)) = right
      else { return false }
      return LikePattern(pattern).matches(text)
    }
  }

  private static func isEqual(_ left: Operand, _ right: Operand) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.value(let a), .value(let b)): a.matches(b)
    default: false
    }
  }

  private static func order(_ left: Operand, _ right: Operand) -> Int? {
    guard case .value(let a) = left, case .value(let b) = right else { return nil }
    return a.order(to: b)
  }

  /// Whether a list has a member, or a text a part; nothing contains the empty text.
  private static func contains(_ container: Operand, _ element: Operand) -> Bool {
    guard case .value(let element) = element else { return false }
    if case .value(.string(let text)) = container {
      guard case .string(let part) = element, !part.isEmpty else { return false }
      return text.utf8.contains(part)
    }
    return members(container).contains { $0.matches(element) }
  }
}

extension String.UTF8View {
  /// Whether the bytes of a text stand somewhere in these.
  fileprivate func contains(_ part: String) -> Bool {
    let part = Array(part.utf8)
    let bytes = Array(self)
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { start in
      bytes[start..<start + part.count].elementsEqual(part)
    }
  }
}
