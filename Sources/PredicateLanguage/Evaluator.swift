internal import Basics
public import CloudModel

/// The meaning of a predicate, made ready to be asked of many records; SQL must agree with it.
///
/// There is no third truth value: a missing value makes every test false but `!=`, `== nil` and
/// what allows equality of two missing values (P1.5.3). Predicates come here bound
/// (`PredicateBinder`); what only a record can show not to fit is an error then.
public struct PredicateEvaluator {
  /// Finds the record that a reference of a record names, with its type's schema; nil for none.
  public typealias Following =
    (Reference, _ from: Record) throws -> (record: Record, schema: RecordTypeSchema)?

  private let test: Test
  private let scope: Scope

  /// Prepares a predicate. `searched` are the fields that are searched for words, nil for all.
  /// Without `following` no reference leads anywhere.
  public init(
    _ predicate: Predicate, searched: [FieldName]? = nil,
    following: @escaping Following = { _, _ in nil }
  ) {
    test = Self.test(predicate)
    scope = Scope(searched, following)
  }

  /// Whether the record meets the predicate.
  ///
  /// Throws `PredicateError` for values that cannot be compared, and what `following` throws.
  public func matches(_ record: Record) throws -> Bool {
    scope.record = record
    scope.variables.removeAll()
    return try test(scope)
  }

  // MARK: Preparation

  typealias Test = (Scope) throws -> Bool
  typealias Term = (Scope) throws -> Operand

  /// What a predicate is asked of: a record, and the variables at this moment.
  final class Scope {
    var record = Record(
      name: RecordName(stored: ""), type: RecordType(stored: ""), zone: .defaultZone)
    var variables: [String: Operand] = [:]
    let following: Following
    private let searched: [FieldName]?

    init(_ searched: [FieldName]?, _ following: @escaping Following) {
      self.searched = searched
      self.following = following
    }

    /// The values that are searched for words.
    var searchedValues: [FieldValue] {
      guard let searched else { return record.fields.entries.map(\.value) }
      return searched.compactMap { record.fields[$0] }
    }
  }

  /// What an expression comes to.
  enum Operand {
    case none
    case value(FieldValue)
    case aggregate([Operand])
  }

  static func test(_ predicate: Predicate) -> Test {
    switch predicate {
    case .constant(let value, _): return { _ in value }
    case .and(let parts, _):
      let tests = parts.map(test)
      return { scope in try tests.allSatisfy { try $0(scope) } }
    case .or(let parts, _):
      let tests = parts.map(test)
      return { scope in try tests.contains { try $0(scope) } }
    case .not(let part, _):
      let test = test(part)
      return { scope in try !test(scope) }
    case .comparison(let comparison): return ComparisonTest(comparison).test
    }
  }

  static func term(_ expression: Expression) -> Term {
    switch expression {
    case .value, .untyped, .null:
      let constant = expression.constant ?? .none
      return { _ in constant }
    case .key(let key, _): return reading(key)
    case .record: return { .value(.reference(Reference($0.record.name))) }
    case .path(let base, let key, let span): return path(base, key, span)
    case .variable(let name, _): return { $0.variables[name] ?? .none }
    case .assignment(let name, let value, _):
      let value = term(value)
      return { scope in
        let value = try value(scope)
        scope.variables[name] = value
        return value
      }
    case .aggregate(let items, _):
      if let constant = expression.constant { return { _ in constant } }
      let terms = items.map(term)
      return { scope in .aggregate(try terms.map { try $0(scope) }) }
    case .distance(let a, let b, _): return distance(term(a), term(b))
    case .function(let function, let arguments, _):
      let terms = arguments.map(term)
      return { scope in function.value(of: try terms.map { try $0(scope) }) }
    case .subquery(let list, let name, let predicate, _):
      return subquery(term(list), name, test(predicate))
    case .conditional(let predicate, let first, let second, _):
      let (test, first, second) = (test(predicate), term(first), term(second))
      return { scope in try test(scope) ? try first(scope) : try second(scope) }
    }
  }

  private static func distance(_ a: @escaping Term, _ b: @escaping Term) -> Term {
    { scope in
      guard case .value(.location(let a)) = try a(scope),
        case .value(.location(let b)) = try b(scope)
      else { return .none }
      return .value(.double(a.distance(to: b)))
    }
  }

  private static func subquery(
    _ list: @escaping Term, _ name: String, _ test: @escaping Test
  ) -> Term {
    { scope in
      let outside = scope.variables[name]
      defer { scope.variables[name] = outside }
      return .aggregate(
        try list(scope).items.filter { member in
          // Lists within lists take for ever. Whoever asks looks for interrupts before he trusts
          // the answer.
          if Interrupt.isRaised { return false }
          scope.variables[name] = member
          return try test(scope)
        })
    }
  }
}

extension Expression {
  /// What an expression without keys and functions comes to; nil for another.
  var constant: PredicateEvaluator.Operand? {
    switch self {
    case .value(let value, _): return .value(value)
    case .untyped(let text, _): return .value(.string(text))
    case .null: return PredicateEvaluator.Operand.none
    case .aggregate(let items, _):
      let constants = items.compactMap(\.constant)
      return constants.count == items.count ? .aggregate(constants) : nil
    case .key, .path, .record, .variable, .assignment, .distance, .function, .subquery,
      .conditional:
      return nil
    }
  }
}

extension PredicateEvaluator.Operand {
  /// The members of a list or of an aggregate; one value is its own only member.
  var items: [PredicateEvaluator.Operand] {
    switch self {
    case .none: []
    case .value(.list(let members)): members.map { .value($0) }
    case .value: [self]
    case .aggregate(let items): items
    }
  }

  /// Whether it is a list or an aggregate.
  var isCollection: Bool {
    switch self {
    case .value(.list), .aggregate: true
    case .none, .value: false
    }
  }

  /// The values that are members of it, or of its members; one value is its own only member.
  var members: [FieldValue] {
    switch self {
    case .none: []
    case .value(.list(let members)): members
    case .value(let value): [value]
    case .aggregate(let items): items.flatMap(\.members)
    }
  }

  /// What it is, for a person.
  var typeName: String {
    switch self {
    case .none: "nil"
    case .aggregate: "several values"
    case .value(let value): value.type?.schemaName ?? "an empty list"
    }
  }
}
