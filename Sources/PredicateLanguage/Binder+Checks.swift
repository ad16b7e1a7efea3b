internal import CloudModel

/// Type checks that need no record.
extension PredicateBinder {
  func check(
    _ comparison: Comparison, _ left: Kind, _ right: Kind
  ) throws(PredicateError) {
    if comparison.isSearch { return try checkSearch(comparison, right) }
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
        throw PredicateError("BETWEEN needs two values: {low, high}", at: comparison.right.span)
      }
      for bound in bounds { try checkOrder(tested.type, try type(of: bound).type, comparison) }
    case .beginsWith, .endsWith, .like, .matches, .conformsTo, .isType:
      try checkText(tested, comparison.left.span, comparison)
      try checkText(right, comparison.right.span, comparison)
      try checkExpression(comparison)
    case .tokenMatches:
      try checkText(tested.member, comparison.left.span, comparison)
      try checkText(right, comparison.right.span, comparison)
    case .contains: try checkContainer(tested, right, comparison, comparison.left.span)
    case .in: try checkContainer(right, tested, comparison, comparison.right.span)
    }
  }

  /// Checks `SELF CONTAINS`, which searches for words (P2.1).
  private func checkSearch(_ comparison: Comparison, _ right: Kind) throws(PredicateError) {
    if let quantifier = comparison.quantifier {
      throw PredicateError(
        "\(quantifier.rawValue) needs a list, not a record", at: comparison.left.span,
        remedy: "SELF CONTAINS 'words' searches all texts")
    }
    try checkText(right, comparison.right.span, comparison)
  }

  /// Checks that a constant pattern of MATCHES is valid.
  private func checkExpression(_ comparison: Comparison) throws(PredicateError) {
    guard comparison.operation == .matches,
      case .value(.string(let pattern))? = comparison.right.constant
    else { return }
    do throws(RegularExpression.Fault) {
      _ = try RegularExpression(pattern, TextFolding(comparison.options))
    } catch {
      throw PredicateError(
        error.message, at: comparison.right.span, remedy: error.hint.map { .advice($0) })
    }
  }

  /// The kind of a member of the left side, if the comparison tests members.
  private func member(_ left: Kind, _ comparison: Comparison) throws(PredicateError) -> Kind {
    guard comparison.quantifier != nil else { return left }
    switch left {
    case .values, .open: return .open
    case .type(let type, let isSystem):
      guard type.isList else {
        throw PredicateError(
          "\(comparison.quantifier?.rawValue ?? "ANY") needs a list, not "
            + type.schemaName, at: comparison.left.span)
      }
      return .type(FieldType(type.base), isSystem: isSystem)
    }
  }

  /// Refuses lists in comparisons other than equality of two lists.
  private func refuseLists(
    _ comparison: Comparison, _ left: Kind, _ right: Kind
  ) throws(PredicateError) {
    let isEquality = comparison.operation == .equal || comparison.operation == .notEqual
    for (kind, other, span) in [
      (left, right, comparison.left.span), (right, left, comparison.right.span),
    ] where kind.isCollection && other.isKnown {
      if isEquality, other.isCollection { continue }
      throw PredicateError(
        kind.type == nil
          ? "several values cannot be compared with \(comparison.operation.rawValue)"
          : "a list cannot be compared with \(comparison.operation.rawValue)", at: span,
        remedy: kind.type == nil ? nil : "test its members with ANY … or CONTAINS")
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
        remedy: left.base == .timestamp || right.base == .timestamp
          ? "a date is written date('2024-05-01T12:00:00Z') or date('now-3d')" : nil)
    }
  }

  private func checkText(
    _ kind: Kind, _ span: Span, _ comparison: Comparison
  ) throws(PredicateError) {
    guard let type = kind.type, type != FieldType(.string) else { return }
    throw PredicateError(
      "\(comparison.operation.rawValue) needs text, not \(type.schemaName)", at: span,
      remedy: type.isList ? "ANY … \(comparison.operation.rawValue) tests a list's members" : nil)
  }

  private func checkContainer(
    _ container: Kind, _ element: Kind, _ comparison: Comparison, _ span: Span
  ) throws(PredicateError) {
    if let type = element.type, type.isList {
      throw PredicateError(
        "a list cannot be a member", at: comparison.span,
        remedy: "ANY … IN tests whether lists share a member")
    }
    guard let type = container.type, !type.isList else { return }
    try checkText(container, span, comparison)
    if let element = element.type, element.base != .string {
      throw PredicateError("text cannot contain \(element.schemaName)", at: comparison.span)
    }
  }
}

extension PredicateBinder.Kind {
  fileprivate var isCollection: Bool {
    switch self {
    case .open: false
    case .type(let type, _): type.isList
    case .values: true
    }
  }

  fileprivate var isKnown: Bool {
    if case .open = self { false } else { true }
  }
}
