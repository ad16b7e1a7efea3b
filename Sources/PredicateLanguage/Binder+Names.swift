internal import CloudModel

/// A record's name is a reference, for which strings may be used, and a string where strings are
/// tested: `recordName == ref('a')`, `recordName BEGINSWITH 'a'`, also through references.
extension PredicateBinder {
  /// A comparison with names as strings where it tests strings.
  func namesAsTexts(_ comparison: Comparison) throws(PredicateError) -> Comparison {
    var named = comparison
    // Case does not matter to references.
    let folds = !TextFolding(comparison.options).isIdentity
    named.left = named.left.withNamesAsTexts
    named.right = named.right.withNamesAsTexts
    switch comparison.operation {
    case .beginsWith, .endsWith, .like, .matches, .tokenMatches:
      named.left = named.left.nameAsText
      named.right = named.right.nameAsText
    // A list of names is a list of references, which may contain another reference.
    case .contains:
      let isMember = comparison.quantifier == nil ? try isList(named.left) : false
      if !isMember { named.left = named.left.nameAsText }
    case .in:
      let isMember = try isList(named.right)
      if !isMember { named.right = named.right.nameAsText }
      if folds, case .aggregate = named.right { named.left = named.left.nameAsText }
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .conformsTo,
      .isType:
      guard folds else { break }
      let sides = (named.left, named.right)
      if try !isReference(sides.1) { named.left = named.left.nameAsText }
      if try !isReference(sides.0) { named.right = named.right.nameAsText }
    }
    return named
  }

  /// Whether an expression is a reference other than a name.
  private func isReference(_ expression: Expression) throws(PredicateError) -> Bool {
    if expression.isName { return false }
    return try type(of: expression).type?.base == .reference
  }

  private func isList(_ expression: Expression) throws(PredicateError) -> Bool {
    try type(of: expression).type?.isList ?? true
  }
}

extension Expression {
  /// The text of a record's name, if this is one.
  fileprivate var nameAsText: Expression { isName ? .function(.string, [self], span) : self }

  /// The expression with names as strings where a function expects strings.
  fileprivate var withNamesAsTexts: Expression {
    switch self {
    case .function(let function, let arguments, let span):
      let arguments = arguments.map(\.withNamesAsTexts)
      return .function(
        function, function.signature.takes == .string ? arguments.map(\.nameAsText) : arguments,
        span)
    case .path(let base, let key, let span): return .path(base.withNamesAsTexts, key, span)
    case .aggregate(let items, let span): return .aggregate(items.map(\.withNamesAsTexts), span)
    case .assignment(let name, let value, let span):
      return .assignment(name, value.withNamesAsTexts, span)
    case .subquery(let list, let name, let predicate, let span):
      return .subquery(list.withNamesAsTexts, name, predicate, span)
    case .conditional(let predicate, let first, let second, let span):
      return .conditional(predicate, first.withNamesAsTexts, second.withNamesAsTexts, span)
    case .value, .null, .untyped, .key, .record, .variable, .distance: return self
    }
  }

  fileprivate var isName: Bool {
    switch self {
    case .key(let key, _), .path(_, let key, _): SystemKey(key) == .recordName
    case .value, .null, .untyped, .record, .variable, .assignment, .aggregate, .distance, .function,
      .subquery, .conditional:
      false
    }
  }
}
