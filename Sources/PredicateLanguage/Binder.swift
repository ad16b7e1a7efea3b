internal import Basics
public import CloudModel

/// Fits a predicate to a record type: keys must exist, bare arguments take the types they are
/// compared with, and tests that could only fail at run time are refused with their place.
public struct PredicateBinder {
  private let schema: RecordTypeSchema
  /// Whether other keys than the schema's may stand, with values of any type.
  private let isOpen: Bool
  /// What `now()` is; nil leaves it a missing value.
  private let now: Timestamp?

  /// The predicate with every argument typed. Throws `PredicateError`.
  public static func bind(
    _ predicate: Predicate, to schema: RecordTypeSchema, now: Timestamp? = nil
  ) throws(PredicateError) -> Predicate {
    try PredicateBinder(schema: schema, isOpen: false, now: now).bind(predicate)
  }

  /// The predicate as one record without a schema is asked: the types are those of its values,
  /// and a key that it does not have is a missing value. Throws `PredicateError`.
  public static func bind(
    _ predicate: Predicate, toValuesOf record: Record, now: Timestamp? = nil
  ) throws(PredicateError) -> Predicate {
    let fields = record.fields.entries.compactMap { entry in
      entry.value.type.map { FieldSchema(name: entry.name, type: $0, indexes: []) }
    }
    let schema = RecordTypeSchema(name: record.type, fields: fields)
    return try PredicateBinder(schema: schema, isOpen: true, now: now).bind(predicate)
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
    var bound = comparison
    let left = try type(of: comparison.left)
    let right = try type(of: comparison.right)
    bound.left = try typed(comparison.left, like: right)
    bound.right = try typed(comparison.right, like: left)
    try check(bound, try type(of: bound.left), try type(of: bound.right))
    return bound
  }

  // MARK: Types

  /// What is known of an expression before a record is seen.
  private enum Kind {
    /// Nothing: `nil`, or an argument that has not been typed.
    case open
    /// A field or a value of a type.
    case type(FieldType, isSystem: Bool)
    /// Several values.
    case values

    var type: FieldType? {
      if case .type(let type, _) = self { type } else { nil }
    }
  }

  private func type(of expression: Expression) throws(PredicateError) -> Kind {
    switch expression {
    case .null, .untyped, .record: return .open
    case .value(let value, _): return value.type.map { .type($0, isSystem: false) } ?? .open
    case .aggregate(let items, _):
      for item in items { _ = try type(of: item) }
      return .values
    case .distance(let a, let b, _):
      for side in [a, b] {
        guard try type(of: side).type.map({ $0 == FieldType(.location) }) ?? true else {
          throw PredicateError(
            "distanceToLocation:fromLocation: wants two locations", at: side.span,
            hint: "a location is written location(latitude, longitude)")
        }
      }
      return .type(FieldType(.double), isSystem: false)
    case .function(let function, let arguments, _):
      for argument in arguments { try check(argument, of: function) }
      guard [.first, .last, .item].contains(function) else {
        return .type(function.type, isSystem: false)
      }
      guard let list = try type(of: arguments[0]).type else { return .open }
      return .type(FieldType(list.base), isSystem: false)
    case .key(let key, let span):
      if let system = SystemKey(key) { return .type(system.type, isSystem: true) }
      guard let field = schema.field(key) else {
        if isOpen { return .open }
        throw unknown(key, span)
      }
      return .type(field.type, isSystem: false)
    }
  }

  /// An argument must be what the function works with, as far as that is known.
  private func check(_ argument: Expression, of function: Function) throws(PredicateError) {
    if case .record(let span) = argument {
      throw PredicateError("\(function.rawValue) does not take SELF", at: span)
    }
    guard let type = try type(of: argument).type, !function.takes(type) else { return }
    throw PredicateError(
      "\(function.rawValue) does not take \(type.schemaName)", at: argument.span)
  }

  private func unknown(_ key: String, _ span: Span) -> PredicateError {
    let names = schema.fields.map(\.name.text) + SystemKey.allCases.map(\.rawValue)
    let nearest = Suggestion.nearest(to: key, among: names)
    let known = schema.fields.map(\.name.text).joined(separator: ", ")
    return PredicateError(
      "Did not find field: '\(key)' in type: '\(schema.name.text)'", at: span,
      hint: nearest.map { "did you mean \($0)?" } ?? "fields of \(schema.name.text): \(known)")
  }

  /// The expression with its bare arguments read as the other side's type.
  private func typed(_ expression: Expression, like other: Kind) throws(PredicateError)
    -> Expression
  {
    switch expression {
    case .untyped(let text, let span):
      guard let type = other.type else { return .value(.string(text), span) }
      guard let value = FieldValue(predicateText: text, as: type.base) else {
        throw PredicateError(
          "the argument '\(text.visible)' is no \(type.base.rawValue)", at: span)
      }
      return .value(value, span)
    case .value(.string(let text), let span):
      // The names of system fields are references that may be written as text.
      if case .type(let type, true) = other, type.base == .reference {
        return .value(.reference(Reference(RecordName(stored: text))), span)
      }
      return expression
    case .aggregate(let items, let span):
      var bound: [Expression] = []
      for item in items { bound.append(try typed(item, like: other)) }
      return .aggregate(bound, span)
    case .distance(let a, let b, let span):
      let place = Kind.type(FieldType(.location), isSystem: false)
      return .distance(try typed(a, like: place), try typed(b, like: place), span)
    case .function(.now, _, let span):
      return now.map { .value(.timestamp($0), span) } ?? .null(span)
    case .function(let function, let arguments, let span):
      var bound: [Expression] = []
      for argument in arguments {
        bound.append(try typed(argument, like: .type(function.argumentType, isSystem: false)))
      }
      switch PredicateEvaluator.constant(function, bound) {
      case .value(let value)?: return .value(value, span)
      case .nothing?: return .null(span)
      case nil: return .function(function, bound, span)
      }
    case .value, .null, .key, .record: return expression
    }
  }

  // MARK: Checks

  private func check(
    _ comparison: Comparison, _ left: Kind, _ right: Kind
  ) throws(PredicateError) {
    try checkSearch(comparison, right)
    let tested = try member(left, comparison)
    switch comparison.operation {
    case .equal, .notEqual:
      try refuseLists(comparison, tested, right)
      try refuseAssets(comparison, tested, right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      try refuseLists(comparison, tested, right)
      try checkOrder(tested.type, right.type, comparison)
    case .between:
      guard case .aggregate(let bounds, _) = comparison.right, bounds.count == 2 else {
        throw PredicateError("BETWEEN wants two values: {low, high}", at: comparison.right.span)
      }
      for bound in bounds { try checkOrder(tested.type, try type(of: bound).type, comparison) }
    case .beginsWith, .endsWith, .like:
      try checkText(tested, comparison.left.span, comparison)
      try checkText(right, comparison.right.span, comparison)
    case .contains: try checkContainer(tested, right, comparison, comparison.left.span)
    case .in: try checkContainer(right, tested, comparison, comparison.right.span)
    }
  }

  /// A record as a whole can be searched for words, and nothing else (`predicates.md` §2.1).
  private func checkSearch(_ comparison: Comparison, _ right: Kind) throws(PredicateError) {
    let hint = "SELF CONTAINS 'words' searches all texts"
    if case .record(let span) = comparison.right {
      throw PredicateError("SELF stands on the left of CONTAINS only", at: span, hint: hint)
    }
    guard case .record(let span) = comparison.left else { return }
    guard comparison.operation == .contains, comparison.quantifier == nil else {
      throw PredicateError(
        "a record cannot be compared with \(comparison.operation.rawValue)", at: span, hint: hint)
    }
    try checkText(right, comparison.right.span, comparison)
  }

  /// What one member of the left side is, where the comparison asks for members.
  private func member(_ left: Kind, _ comparison: Comparison) throws(PredicateError) -> Kind {
    guard comparison.quantifier != nil else { return left }
    switch left {
    case .values, .open: return .open
    case .type(let type, let isSystem):
      guard type.isList else {
        throw PredicateError(
          "\(comparison.quantifier?.rawValue ?? "ANY") wants a list, and this is "
            + type.schemaName, at: comparison.left.span)
      }
      return .type(FieldType(type.base), isSystem: isSystem)
    }
  }

  private func refuseLists(
    _ comparison: Comparison, _ left: Kind, _ right: Kind
  ) throws(PredicateError) {
    for (kind, other, span) in [
      (left, right, comparison.left.span), (right, left, comparison.right.span),
    ] {
      guard let type = kind.type else {
        if case .values = kind, comparison.quantifier == nil {
          throw PredicateError(
            "several values cannot be compared with \(comparison.operation.rawValue)", at: span)
        }
        continue
      }
      if type.isList, other.type != nil {
        throw PredicateError(
          "a list cannot be compared with \(comparison.operation.rawValue)", at: span,
          hint: "ask for a member by ANY … or by CONTAINS")
      }
    }
  }

  private func refuseAssets(
    _ comparison: Comparison, _ left: Kind, _ right: Kind
  ) throws(PredicateError) {
    guard left.type?.base == .asset || right.type?.base == .asset else { return }
    if left.type != nil, right.type != nil {
      throw PredicateError("an asset cannot be compared", at: comparison.span)
    }
  }

  private func checkOrder(
    _ left: FieldType?, _ right: FieldType?, _ comparison: Comparison
  ) throws(PredicateError) {
    guard let left, let right else { return }
    guard let family = left.orderFamily, family == right.orderFamily else {
      throw PredicateError(
        "\(left.schemaName) and \(right.schemaName) cannot be compared with "
          + comparison.operation.rawValue, at: comparison.span,
        hint: left.base == .timestamp || right.base == .timestamp
          ? "a date is written date('2024-05-01T12:00:00Z')" : nil)
    }
  }

  private func checkText(
    _ kind: Kind, _ span: Span, _ comparison: Comparison
  ) throws(PredicateError) {
    guard let type = kind.type, type != FieldType(.string) else { return }
    throw PredicateError(
      "\(comparison.operation.rawValue) wants text, and this is \(type.schemaName)", at: span,
      hint: type.isList ? "ANY … \(comparison.operation.rawValue) asks a list's members" : nil)
  }

  private func checkContainer(
    _ container: Kind, _ element: Kind, _ comparison: Comparison, _ span: Span
  ) throws(PredicateError) {
    if let type = element.type, type.isList {
      throw PredicateError(
        "a list cannot be a member", at: comparison.span,
        hint: "ANY … IN asks whether lists share a member")
    }
    guard let type = container.type, !type.isList else { return }
    try checkText(container, span, comparison)
    if let element = element.type, element.base != .string {
      throw PredicateError("a text cannot contain \(element.schemaName)", at: comparison.span)
    }
  }
}

extension Function {
  /// The type of its value.
  fileprivate var type: FieldType {
    switch self {
    case .date, .now: FieldType(.timestamp)
    case .uppercase, .lowercase, .string: FieldType(.string)
    default: FieldType(.number)
    }
  }

  /// The type that a bare argument is read as.
  fileprivate var argumentType: FieldType {
    switch self {
    case .uppercase, .lowercase, .length, .string: FieldType(.string)
    default: FieldType(.number)
    }
  }

  fileprivate func takes(_ type: FieldType) -> Bool {
    let isNumber = [.int64, .double, .number].contains(type.base)
    switch self {
    case .count, .size, .countOf, .first, .last: return type.isList
    case .item: return type.isList || type == FieldType(.int64)
    case .sumOf, .minOf, .maxOf, .averageOf: return isNumber && type.isList
    case .sum, .min, .max, .average, .median: return isNumber
    case .uppercase, .lowercase, .length: return type == FieldType(.string)
    case .date: return isNumber && !type.isList || type == FieldType(.timestamp)
    case .number:
      return !type.isList && (isNumber || type.base == .string || type.base == .timestamp)
    case .string: return !type.isList && (isNumber || type.base == .string)
    default: return isNumber && !type.isList
    }
  }
}

extension FieldType {
  /// The family of values that this type has an order with; nil for none.
  fileprivate var orderFamily: FieldValue.Family? {
    if isList { return nil }
    switch base {
    case .int64, .double, .number: return .number
    case .string: return .string
    case .timestamp: return .timestamp
    case .reference: return .reference
    case .bytes, .location, .asset: return nil
    }
  }
}

extension FieldValue {
  /// Reads an argument's bare text as a type; a number may be of either kind. Nil when it is
  /// none.
  fileprivate init?(predicateText text: String, as base: FieldType.Base) {
    switch base {
    case .int64, .double: self.init(text: text, as: .number)
    case .reference: self = .reference(Reference(RecordName(stored: text)))
    default: self.init(text: text, as: base)
    }
  }
}
