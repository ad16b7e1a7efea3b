internal import Basics
public import CloudModel

/// A predicate prepared to be evaluated on many records; SQL must agree with it.
///
/// There is no third truth value: a missing value makes every test false except `!=`, `== nil` and
/// tests that allow equality of two missing values (P1.5.3). Predicates must be bound
/// (`PredicateBinder`); type errors that only a record reveals are thrown.
public struct PredicateEvaluator {
  /// Finds the target of a record's reference, with its type's schema; nil for none.
  public typealias Following =
    (Reference, _ from: Record) throws -> (record: Record, schema: RecordTypeSchema)?

  private let test: Test
  private let scope: Scope

  /// Prepares a predicate. `searched` are the fields to search for words, nil for all. Without
  /// `following` references have no targets. `checkInterrupt` is called for each member of a list
  /// in a subquery, because nested lists can take forever: it throws to end the evaluation.
  public init(
    _ predicate: Predicate, searched: [FieldName]? = nil,
    following: @escaping Following = { _, _ in nil },
    checkInterrupt: @escaping () throws -> Void = {}
  ) {
    test = Self.test(predicate)
    scope = Scope(searched, following, checkInterrupt)
  }

  /// Whether the record matches.
  ///
  /// Throws `PredicateError` for values that cannot be compared, and what `following` and
  /// `checkInterrupt` throw.
  public func matches(_ record: Record) throws -> Bool {
    scope.record = record
    scope.variables.removeAll()
    return try test(scope)
  }

  // MARK: Preparation

  typealias Test = (Scope) throws -> Bool
  typealias Term = (Scope) throws -> Operand

  /// The input of a predicate: a record, and the current variables.
  final class Scope {
    var record = Record(
      name: RecordName(stored: ""), type: RecordType(stored: ""), zone: .defaultZone)
    var variables: [String: Operand] = [:]
    let following: Following
    let checkInterrupt: () throws -> Void
    private let searched: [FieldName]?

    init(
      _ searched: [FieldName]?, _ following: @escaping Following,
      _ checkInterrupt: @escaping () throws -> Void
    ) {
      self.searched = searched
      self.following = following
      self.checkInterrupt = checkInterrupt
    }

    /// The values to search for words.
    var searchedValues: [FieldValue] {
      guard let searched else { return record.fields.entries.map(\.value) }
      return searched.compactMap { record.fields[$0] }
    }
  }

  /// The value of an expression.
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
          try scope.checkInterrupt()
          scope.variables[name] = member
          return try test(scope)
        })
    }
  }
}

extension Expression {
  /// The value of an expression without keys and functions; nil for other expressions.
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
  /// The members of a list or an aggregate; a single value is its own member.
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

  /// The values in it, including in its members; a single value is its own member.
  var members: [FieldValue] {
    switch self {
    case .none: []
    case .value(.list(let members)): members
    case .value(let value): [value]
    case .aggregate(let items): items.flatMap(\.members)
    }
  }

  /// Its type, for messages.
  var typeName: String {
    switch self {
    case .none: "nil"
    case .aggregate: "several values"
    case .value(let value): value.type?.schemaName ?? "an empty list"
    }
  }
}
