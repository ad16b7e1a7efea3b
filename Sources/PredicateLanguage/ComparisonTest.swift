internal import Basics
internal import CloudModel

/// A prepared comparison: its constant parts are evaluated once.
struct ComparisonTest {
  typealias Operand = PredicateEvaluator.Operand
  /// A test of the values of the two sides.
  typealias Relation = (Operand, Operand) throws -> Bool

  private let comparison: Comparison
  private let folding: TextFolding

  init(_ comparison: Comparison) {
    self.comparison = comparison
    folding = TextFolding(comparison.options)
  }

  var test: PredicateEvaluator.Test {
    if let search { return search }
    let left = folded(comparison.left)
    let right = folded(comparison.right)
    let relation = relation
    switch comparison.quantifier {
    case nil: return { scope in try relation(left(scope), right(scope)) }
    case .any: return Self.exists(left, right, relation)
    case .notOne:
      let exists = Self.exists(left, right, relation)
      return { scope in try !exists(scope) }
    case .all:
      return { scope in
        let members = try left(scope).quantified
        let right = try right(scope)
        return try members.allSatisfy { try relation($0, right) }
      }
    }
  }

  private static func exists(
    _ left: @escaping PredicateEvaluator.Term, _ right: @escaping PredicateEvaluator.Term,
    _ relation: @escaping Relation
  ) -> PredicateEvaluator.Test {
    { scope in
      let members = try left(scope).quantified
      let right = try right(scope)
      return try members.contains { try relation($0, right) }
    }
  }

  /// A search of the record for words (R7.2.2). Words that depend on the record are supported only
  /// by `SELF CONTAINS`.
  private var search: PredicateEvaluator.Test? {
    if let search = comparison.textSearch {
      return { scope in search.finds(in: scope.searchedValues) }
    }
    guard comparison.quantifier == nil, case .record = comparison.left,
      comparison.operation == .contains
    else { return nil }
    let words = PredicateEvaluator.term(comparison.right)
    return { scope in
      guard case .value(.string(let text)) = try words(scope) else { return false }
      return TextSearch(.any, text).finds(in: scope.searchedValues)
    }
  }

  /// A side with its strings folded according to the options. The right side of MATCHES is a
  /// pattern, which gets the options instead.
  private func folded(_ side: Expression) -> PredicateEvaluator.Term {
    let term = PredicateEvaluator.term(side)
    if folding.isIdentity || comparison.operation == .matches { return term }
    if let constant = side.constant {
      let folded = constant.folded(folding)
      return { _ in folded }
    }
    return { scope in try term(scope).folded(folding) }
  }

  // MARK: Relations

  private var relation: Relation {
    switch comparison.operation {
    case .equal: { left, right in Self.isEqual(left, right) }
    case .notEqual: { left, right in !Self.isEqual(left, right) }
    case .less: ordered { $0 < 0 }
    case .greater: ordered { $0 > 0 }
    case .lessOrEqual: ordered(isInclusive: true) { $0 <= 0 }
    case .greaterOrEqual: ordered(isInclusive: true) { $0 >= 0 }
    case .between: between
    case .in: membership
    case .contains: { left, right in try contains(left, right) }
    case .beginsWith: texts { !$1.isEmpty && $0.utf8.starts(with: $1.utf8) }
    case .endsWith: texts { !$1.isEmpty && $0.hasSuffix(bytesOf: $1) }
    case .like: pattern { LikePattern(folding.fold($0)).matches }
    case .matches: pattern(expression)
    case .tokenMatches: tokens
    case .conformsTo: texts { TypeIdentifier($0).conforms(to: TypeIdentifier($1)) }
    case .isType: texts { TypeIdentifier($0) == TypeIdentifier($1) }
    }
  }

  private static func isEqual(_ left: Operand, _ right: Operand) -> Bool {
    switch (left, right) {
    case (.none, .none): return true
    case (.none, _), (_, .none): return false
    case (.value(let a), .value(let b)) where !left.isCollection && !right.isCollection:
      return a.matches(b)
    default:
      guard left.isCollection, right.isCollection else { return false }
      let (a, b) = (left.items, right.items)
      return a.count == b.count && zip(a, b).allSatisfy(isEqual)
    }
  }

  private func ordered(
    isInclusive: Bool = false, _ isWanted: @escaping (Int) -> Bool
  ) -> Relation {
    { left, right in
      if case (.none, .none) = (left, right) { return isInclusive }
      return try order(left, right).map(isWanted) ?? false
    }
  }

  /// The order of two values; nil if one is missing.
  private func order(_ left: Operand, _ right: Operand) throws(PredicateError) -> Int? {
    switch (left, right) {
    case (.none, _), (_, .none): return nil
    case (.value(let a), .value(let b)):
      if let order = a.order(to: b) { return order }
      // NaN has no order, but is not an error.
      if a.family == .number, b.family == .number { return nil }
    default: break
    }
    throw PredicateError(
      "\(left.typeName) and \(right.typeName) cannot be compared with "
        + comparison.operation.rawValue, at: comparison.span)
  }

  private func between(_ left: Operand, _ right: Operand) throws -> Bool {
    if case .none = right { return false }
    let bounds = right.items
    guard right.isCollection, bounds.count == 2 else {
      throw PredicateError("BETWEEN needs two values: {low, high}", at: comparison.right.span)
    }
    guard let low = try order(left, bounds[0]), let high = try order(left, bounds[1]) else {
      return false
    }
    return low >= 0 && high <= 0
  }

  /// Whether a list has a member, or a string a part; nothing contains the empty string.
  private func contains(_ container: Operand, _ element: Operand) throws -> Bool {
    switch (container, element) {
    case (.none, _), (_, .none): return false
    case (.value(.string(let text)), .value(.string(let part))):
      return !part.isEmpty && text.contains(bytesOf: part)
    case (.value(.list), _), (.aggregate, _):
      return container.items.contains { Self.isEqual($0, element) }
    case (.value, _):
      throw PredicateError(
        "\(container.typeName) cannot contain \(element.typeName)", at: comparison.span)
    }
  }

  /// IN, whose right side is usually a constant list.
  private var membership: Relation {
    guard let values = comparison.right.constant?.folded(folding), values.isCollection,
      let set = ValueSet(values)
    else { return { left, right in try contains(right, left) } }
    return { left, right in
      guard case .value(let value) = left, !left.isCollection else {
        return try contains(right, left)
      }
      return set.contains(value)
    }
  }

  // MARK: Strings

  /// A test of two strings; false if one is missing.
  private func texts(_ test: @escaping (String, String) -> Bool) -> Relation {
    { left, right in
      guard let left = try text(left), let right = try text(right) else { return false }
      return test(left, right)
    }
  }

  /// A test whose right side is prepared: only once, if it is constant.
  private func pattern(_ prepare: @escaping (String) throws -> (String) throws -> Bool) -> Relation
  {
    if case .value(.string(let pattern))? = comparison.right.constant,
      let test = try? prepare(pattern)
    {
      return { left, _ in try text(left).map(test) ?? false }
    }
    return { left, right in
      guard let left = try text(left), let right = try text(right) else { return false }
      return try prepare(right)(left)
    }
  }

  private func expression(_ pattern: String) throws -> (String) throws -> Bool {
    let expression: RegularExpression
    do throws(RegularExpression.Fault) {
      expression = try RegularExpression(pattern, folding)
    } catch { throw fault(error) }
    return { text in
      do throws(RegularExpression.Fault) { return try expression.matches(text) } catch {
        throw fault(error)
      }
    }
  }

  private func fault(_ fault: RegularExpression.Fault) -> PredicateError {
    PredicateError(fault.message, at: comparison.right.span, remedy: fault.hint.map { .advice($0) })
  }

  /// Whether all words of the right side are in the left, which may be several strings.
  private func tokens(_ left: Operand, _ right: Operand) throws -> Bool {
    guard let words = try text(right) else { return false }
    let texts = try left.items.compactMap(text).map { FieldValue.string($0) }
    return TextSearch(.all, words).finds(in: texts)
  }

  /// The string value of a side; nil for none.
  private func text(_ operand: Operand) throws(PredicateError) -> String? {
    switch operand {
    case .none: return nil
    case .value(.string(let text)): return text
    case .value, .aggregate:
      throw PredicateError(
        "\(comparison.operation.rawValue) needs text, not \(operand.typeName)",
        at: comparison.span)
    }
  }
}

extension PredicateEvaluator.Operand {
  /// The members that a quantifier tests, including members of nested lists; nil for missing values
  /// in an aggregate.
  fileprivate var quantified: [Self] {
    switch self {
    case .none: []
    case .value: items
    case .aggregate(let items):
      items.flatMap { item in item.isCollection ? item.quantified : [item] }
    }
  }

  fileprivate func folded(_ folding: TextFolding) -> Self {
    switch self {
    case .none: self
    case .value(let value): .value(folding.fold(value))
    case .aggregate(let items): .aggregate(items.map { $0.folded(folding) })
    }
  }
}

extension String {
  fileprivate func hasSuffix(bytesOf suffix: String) -> Bool {
    utf8.reversed().starts(with: suffix.utf8.reversed())
  }

  /// Whether it contains the bytes of a string.
  fileprivate func contains(bytesOf part: String) -> Bool {
    var (text, part) = (self, part)
    return text.withUTF8 { text in
      part.withUTF8 { part in
        Platform.contains(UnsafeRawBufferPointer(text), UnsafeRawBufferPointer(part))
      }
    }
  }
}
