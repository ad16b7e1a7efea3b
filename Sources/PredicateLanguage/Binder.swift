internal import Basics
public import CloudModel

/// Binds a predicate to a record type: keys must exist, bare arguments take the types they are
/// compared with, and tests that could only fail at run time are refused with their position.
public struct PredicateBinder {
  let schema: RecordTypeSchema
  /// Whether keys outside the schema are allowed, with values of any type.
  let isOpen: Bool
  let givens: Givens
  /// The kinds of the variables in the predicate.
  var variables: [String: Kind] = [:]

  /// The values that a predicate depends on in addition to the record.
  public struct Givens: Sendable {
    /// The value of `now()`; nil for a missing value.
    public var now: Timestamp?
    /// The seed of `random()`.
    public var seed: UInt64
    /// How whole strings are compared without options.
    public var stringCompare: StringCompare
    /// The types that references may lead to; nil if unknown.
    public var targets: [RecordTypeSchema]?

    /// Creates the givens.
    public init(
      now: Timestamp? = nil, seed: UInt64 = 0, stringCompare: StringCompare = .caseSensitive,
      targets: [RecordTypeSchema]? = nil
    ) {
      self.now = now
      self.seed = seed
      self.stringCompare = stringCompare
      self.targets = targets
    }
  }

  /// Returns the predicate with every argument typed, and constant parts evaluated.
  public static func bind(
    _ predicate: Predicate, to schema: RecordTypeSchema, _ givens: Givens = Givens()
  ) throws(PredicateError) -> Predicate {
    try PredicateBinder(schema, isOpen: false, givens, predicate).bind(predicate)
  }

  /// Returns the predicate bound to one record without a schema: types are those of its values, and
  /// unknown keys are missing values.
  public static func bind(
    _ predicate: Predicate, toValuesOf record: Record, _ givens: Givens = Givens()
  ) throws(PredicateError) -> Predicate {
    let fields = record.fields.entries.compactMap { entry in
      entry.value.type.map { FieldSchema(name: entry.name, type: $0, indexes: []) }
    }
    let schema = RecordTypeSchema(name: record.type, fields: fields)
    return try PredicateBinder(schema, isOpen: true, givens, predicate).bind(predicate)
  }

  private init(
    _ schema: RecordTypeSchema, isOpen: Bool, _ givens: Givens, _ predicate: Predicate
  ) {
    self.schema = schema
    self.isOpen = isOpen
    self.givens = givens
    predicate.visit { expression in
      if case .assignment(let name, _, _) = expression { variables[name] = .open }
    }
  }

  private func bind(_ predicate: Predicate) throws(PredicateError) -> Predicate {
    switch predicate {
    case .constant: return predicate
    case .and(let parts, let span): return .and(try bind(parts), span)
    case .or(let parts, let span): return .or(try bind(parts), span)
    case .not(let part, let span): return .not(try bind(part), span)
    case .comparison(let comparison): return .comparison(try bind(comparison))
    }
  }

  private func bind(_ parts: [Predicate]) throws(PredicateError) -> [Predicate] {
    var bound: [Predicate] = []
    for part in parts { bound.append(try bind(part)) }
    return bound
  }

  private func bind(_ comparison: Comparison) throws(PredicateError) -> Comparison {
    var bound = try namesAsTexts(comparison.listingArguments)
    // A record that is searched for words is not a reference.
    let left = bound.isSearch ? .plain(FieldType(.string)) : try type(of: bound.left)
    let right = try type(of: bound.right)
    bound.left = try typed(bound.left, like: right)
    bound.right = try typed(bound.right, like: left)
    let (boundLeft, boundRight) = (try type(of: bound.left), try type(of: bound.right))
    try check(bound, boundLeft, boundRight)
    if givens.stringCompare == .caseInsensitive, bound.options.isEmpty,
      comparesWholes(bound, boundLeft, boundRight)
    {
      bound.options = .caseInsensitive
    }
    return bound
  }

  /// Whether strings are compared as a whole; prefixes and parts are always case-sensitive
  /// (R7.2.1).
  private func comparesWholes(_ comparison: Comparison, _ left: Kind, _ right: Kind) -> Bool {
    guard [left, right].allSatisfy({ $0.type.map { $0.base == .string } ?? true }) else {
      return false
    }
    return switch comparison.operation {
    case .equal, .notEqual: true
    case .in: right.type != FieldType(.string)
    case .contains: left.type != FieldType(.string) && !comparison.isSearch
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith, .endsWith, .like,
      .matches, .tokenMatches, .conformsTo, .isType:
      false
    }
  }

  /// The expression with its bare arguments parsed as the other side's type.
  private func typed(_ expression: Expression, like other: Kind) throws(PredicateError)
    -> Expression
  {
    switch expression {
    case .value, .untyped, .null, .key, .record, .variable:
      return try typedValue(expression, like: other)
    case .path(let base, let key, let span):
      return .path(try typed(base, like: .open), key, span)
    case .assignment(let name, let value, let span):
      return .assignment(name, try typed(value, like: other), span)
    case .aggregate(let items, let span): return .aggregate(try typed(items, like: other), span)
    case .distance(let a, let b, let span):
      let place = Kind.type(FieldType(.location), isSystem: false)
      return .distance(try typed(a, like: place), try typed(b, like: place), span)
    case .function(let function, let arguments, let span):
      return try typed(function, arguments, span, like: other)
    case .subquery(let list, let name, let predicate, let span):
      var inside = self
      inside.variables[name] = try type(of: list).member
      return .subquery(try typed(list, like: .open), name, try inside.bind(predicate), span)
    case .conditional(let predicate, let first, let second, let span):
      return .conditional(
        try bind(predicate), try typed(first, like: other), try typed(second, like: other), span)
    }
  }

  private func typed(
    _ expressions: [Expression], like other: Kind
  ) throws(PredicateError) -> [Expression] {
    var bound: [Expression] = []
    bound.reserveCapacity(expressions.count)
    for expression in expressions { bound.append(try typed(expression, like: other)) }
    return bound
  }

  private func typedValue(
    _ expression: Expression, like other: Kind
  ) throws(PredicateError) -> Expression {
    switch expression {
    case .untyped(let text, let span):
      guard let type = other.type else { return .value(.string(text), span) }
      guard let value = FieldValue(predicateText: text, as: type.base) else {
        throw PredicateError(
          "the argument '\(text.visible)' is not a valid \(type.base.rawValue)", at: span)
      }
      return .value(value, span)
    case .value(.string(let text), let span):
      // The names of system fields are references that may be written as text.
      if case .type(let type, true) = other, type.base == .reference {
        return .value(.reference(Reference(RecordName(stored: text))), span)
      }
      return expression
    case .value, .null, .key, .path, .record, .variable, .assignment, .aggregate, .distance,
      .function, .subquery, .conditional:
      return expression
    }
  }

  /// A function with typed arguments, or its value if they are constant.
  private func typed(
    _ function: Function, _ arguments: [Expression], _ span: Span, like other: Kind
  ) throws(PredicateError) -> Expression {
    if function == .now { return givens.now.map { .value(.timestamp($0), span) } ?? .null(span) }
    let bound = try typed(arguments, like: function.signature.reads.map(Kind.plain) ?? other)
    if function == .random || function == .randomBelow {
      return try draw(below: bound.first, span)
    }
    let constants = bound.compactMap(\.constant)
    guard constants.count == bound.count else { return .function(function, bound, span) }
    switch function.value(of: constants) {
    // No literal represents an infinite number.
    case .value(.double(let number)) where !number.isFinite: return .function(function, bound, span)
    case .value(let value): return try typedValue(.value(value, span), like: other)
    case .none: return .null(span)
    case .aggregate: return .function(function, bound, span)
    }
  }

  /// A random number from 0 to 1, or an integer below a bound; it depends on the position.
  private func draw(below bound: Expression?, _ span: Span) throws(PredicateError) -> Expression {
    var generator = SplitMix64(state: givens.seed &+ UInt64(span.lowerBound))
    let fraction = Double(generator.next() >> 11) * 0x1p-53
    guard let bound else { return .value(.double(fraction), span) }
    guard case .value(.int64(let number), _) = bound, number > 0 else {
      throw PredicateError("randomn: needs a whole number above 0", at: bound.span)
    }
    return .value(.int64(Int64(fraction * Double(number))), span)
  }
}
