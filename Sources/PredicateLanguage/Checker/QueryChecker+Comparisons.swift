internal import CloudModel

/// Single comparisons.
extension QueryChecker {
  mutating func check(_ comparison: Comparison) {
    let isSearch = comparison.searchesText
    checkWildcards(comparison)
    if !comparison.options.isEmpty, comparison.isSearch || comparison.operation != .tokenMatches {
      add(
        .option, comparison.operationSpan, "options after \(comparison.operation.rawValue)",
        remedy: "store a folded copy of the text and query that")
    }
    if isSearch { return checkSearch(comparison) }
    if comparison.hasDistance { return checkDistance(comparison) }
    guard checkExpressions(comparison) else { return }
    checkOperation(comparison)
    checkSides(comparison)
  }

  /// Notes the wildcards of SQL, which are plain characters in LIKE.
  private mutating func checkWildcards(_ comparison: Comparison) {
    guard comparison.operation == .like,
      case .value(.string(let text), let span) = comparison.right, text.contains("%"),
      !text.contains("*"), !text.contains("?")
    else { return }
    add(
      .percent, span, "% is a plain character in LIKE",
      remedy: "write * for any characters, ? for one")
  }

  // MARK: Special forms

  /// Checks `SELF CONTAINS`, `ALL tokenize(…) IN allTokens`, `allTokens TOKENMATCHES` (R7.2.2).
  private mutating func checkSearch(_ comparison: Comparison) {
    if !comparison.searchedWords.isLiteral {
      add(
        .expression, comparison.searchedWords.span, "words that are not a literal",
        remedy: "pass them as an argument")
    }
    guard let schema, schema.name != .users else { return }
    let texts = schema.fields.filter { $0.type.base == .string }
    let searched = texts.filter { $0.indexes.contains(.searchable) }
    guard searched.count < texts.count || texts.isEmpty else { return }
    let others = texts.filter { !$0.indexes.contains(.searchable) && !$0.type.isEncrypted }
    if searched.isEmpty {
      add(
        .searchable, comparison.span, "no field of \(schema.name.text) is marked searchable",
        remedy: others.first.map { field in
          var wanted = field
          wanted.indexes.formUnion(.searchable)
          return Self.remedy(wanted, of: schema, .searchable)
        })
    } else if !others.isEmpty {
      add(
        .searchable, comparison.span,
        "fields not marked searchable are not searched: "
          + others.map(\.name.text).joined(separator: ", "), severity: .warning)
    }
  }

  /// Checks a distance: a location field, a place, `<` or `<=`, a number (P2.1.14).
  private mutating func checkDistance(_ comparison: Comparison) {
    let remedy: Remedy = "write distanceToLocation:fromLocation:(field, location) < metres"
    guard case .distance(let field, let place, _) = comparison.left, comparison.quantifier == nil,
      case .key(let key, let span) = field, place.isLiteral, !comparison.right.hasKey
    else {
      return add(
        .distance, comparison.span, "a distance that is not from a field to a place", remedy: remedy
      )
    }
    switch comparison.operation {
    case .less, .lessOrEqual:
      if !comparison.right.isNumber {
        add(.distance, comparison.right.span, "a radius that is not a number", remedy: remedy)
      }
    case .equal, .notEqual, .greater, .greaterOrEqual, .between, .in, .contains, .beginsWith,
      .endsWith, .like, .matches, .tokenMatches, .conformsTo, .isType:
      add(
        .distance, comparison.operationSpan, "a distance with \(comparison.operation.rawValue)",
        remedy: remedy)
    }
    require(.queryable, key, span)
  }

  // MARK: Expressions

  /// Checks that both sides are keys or literals, as CloudKit requires.
  private mutating func checkExpressions(_ comparison: Comparison) -> Bool {
    let count = findings.count { $0.severity == .error }
    for side in [comparison.left, comparison.right] { check(side) }
    return findings.count { $0.severity == .error } == count
  }

  /// Notes FIRST, LAST and SIZE, which are keys here but may not be for NSPredicate (P1.2.13).
  private mutating func checkReserved(_ key: String, _ span: Span) {
    if key.utf8.first.map({ $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "@") }) == true,
      SystemKey(key) == nil
    {
      add(
        .left, span, "'\(key)' is not a field name", remedy: "a field name begins with a letter")
    }
    guard span.count == key.utf8.count, ["FIRST", "LAST", "SIZE"].contains(key.uppercased()) else {
      return
    }
    add(
      .reservedKey, span, "NSPredicate may read \(key) as a keyword",
      remedy: "write #\(key)")
  }

  /// Notes the outermost part of a side that is neither a key nor a literal.
  private mutating func check(_ side: Expression) {
    switch side {
    case .value, .untyped, .null: break
    case .key(let key, let span): checkReserved(key, span)
    case .function(.now, _, _): break
    case .aggregate(let items, _): for item in items { check(item) }
    case .path(_, _, let span):
      add(
        .keyPath, span, "a key path",
        remedy: "keep a copy of the value in the record itself, or query by the reference")
    case .function(let function, let arguments, _)
    where function.form == .collectionOperator && !arguments[0].isKeyOrPath:
      check(arguments[0])
    case .function(let function, _, let span) where function.form == .collectionOperator:
      add(
        .keyPath, span, "the collection operator \(function.rawValue.dropFirst())",
        remedy: "keep the number in a field of its own")
    case .record(let span):
      add(
        .left, span, "SELF compared with a value",
        remedy: "recordID == … finds a record, SELF CONTAINS 'words' searches it")
    case .variable(_, let span), .assignment(_, _, let span), .function(_, _, let span),
      .subquery(_, _, _, let span), .conditional(_, _, _, let span), .distance(_, _, let span):
      add(
        .expression, span, "the expression \(side.text)",
        remedy: "compute it in the app and pass it as an argument")
    }
  }

  // MARK: Operations

  private mutating func checkOperation(_ comparison: Comparison) {
    switch comparison.operation {
    case .endsWith, .like, .matches, .conformsTo, .isType, .tokenMatches:
      return add(
        .substring, comparison.operationSpan, comparison.operation.rawValue,
        remedy: Self.substitute(for: comparison.operation))
    case .contains where isText(comparison.left), .in where isText(comparison.right):
      add(
        .substring, comparison.operationSpan, "\(comparison.operation.rawValue) within a text",
        remedy: Self.substitute(for: comparison.operation))
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in,
      .contains, .beginsWith:
      break
    }
    guard let quantifier = comparison.quantifier else { return }
    switch (quantifier, comparison.operation) {
    case (.any, .equal), (.any, .in), (.any, .contains), (.any, .beginsWith): break
    case (.all, .in) where comparison.left.isAggregate && comparison.right.isKey: break
    case (.any, _):
      add(
        .quantifier, comparison.span, "ANY with \(comparison.operation.rawValue)",
        remedy: "ANY can be used with ==, IN, CONTAINS and BEGINSWITH")
    case (.all, _), (.notOne, _):
      add(
        .quantifier, comparison.span, quantifier.rawValue,
        remedy: quantifier == .all
          ? "join several CONTAINS with AND"
          : "NOT list CONTAINS value finds lists without a member")
    }
  }

  private static func substitute(for operation: Comparison.Operation) -> Remedy {
    switch operation {
    case .endsWith: "store the text reversed and query that with BEGINSWITH"
    case .tokenMatches: "write allTokens TOKENMATCHES[cdl] 'words', which searches all texts"
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in,
      .contains, .beginsWith, .like, .matches, .conformsTo, .isType:
      "use BEGINSWITH, or SELF CONTAINS 'words' for whole words"
    }
  }

  /// Whether a side is known to be a single string.
  private func isText(_ side: Expression) -> Bool {
    switch side {
    case .value(.string, _), .untyped: true
    case .key(let key, _): field(key)?.type == FieldType(.string)
    case .value, .null, .path, .record, .variable, .assignment, .aggregate, .distance, .function,
      .subquery, .conditional:
      false
    }
  }

  // MARK: Sides

  private mutating func checkSides(_ comparison: Comparison) {
    switch (comparison.left.hasKey, comparison.right.hasKey) {
    case (true, true):
      add(
        .fieldAgainstField, comparison.span, "a field compared with a field",
        remedy: "compare the fields of the fetched records in the app")
    case (false, false): checkLiterals(comparison)
    // Only tests of list members allow a literal on the left (P2.1).
    case (false, true) where comparison.asksMembers: break
    case (false, true):
      add(
        .left, comparison.left.span,
        "Invalid left expression: <\(comparison.left.text)> is not an evaluated object expression",
        remedy: "put the field on the left")
    case (true, false): break
    }
    for (side, other) in [
      (comparison.left, comparison.right), (comparison.right, comparison.left),
    ] {
      guard case .key(let key, let span) = side else { continue }
      check(key, span, other, comparison)
    }
  }

  private mutating func checkLiterals(_ comparison: Comparison) {
    add(
      .left, comparison.left.span,
      "Invalid left expression: <\(comparison.left.text)> is not an evaluated object expression",
      remedy: "use %K, not %@, for a field name")
    guard comparison.left.isText, comparison.right.isText else { return }
    add(
      .quotedKey, comparison.left.span, "this compares two texts, not a field",
      remedy: "field names must not be quoted")
  }

  /// Checks a key against literals: their number, their types, nil, and the key's index.
  private mutating func check(
    _ key: String, _ span: Span, _ other: Expression, _ comparison: Comparison
  ) {
    for case .null(let span) in other.members {
      add(
        .null, span, "a comparison with nil",
        remedy: "keep a field that says whether there is a value, and query that")
    }
    if case .aggregate(let items, let span) = other { checkCount(items.count, span) }
    guard let field = field(key) else { return }
    if field.type.isEncrypted || field.type.base == .asset {
      return add(
        .encrypted, span,
        "Field '\(key)' has a value type of \(field.type.valueTypeName) and cannot be queried "
          + "using filter type " + comparison.filterType, key: key,
        remedy: "store what you query in a plain field")
    }
    checkTypes(other, field, comparison)
    switch comparison.operation {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith:
      require(.queryable, orElse: .sortable, key, span)
    case .equal, .notEqual, .in, .contains, .endsWith, .like, .matches, .tokenMatches, .conformsTo,
      .isType:
      require(.queryable, key, span)
    }
  }

  private mutating func checkCount(_ count: Int, _ span: Span) {
    guard count > Self.fewestDoubtfulValues - 1 else { return }
    if count > Self.mostValues {
      add(
        .valueCount, span,
        "Query filter exceeds the limit of values: \(Self.mostValues) for container",
        remedy: "split the values across several queries")
    } else {
      add(
        .valueCount, span, "\(count) values, for which servers have returned internal errors",
        remedy: "stay below \(Self.fewestDoubtfulValues)", severity: .warning)
    }
  }

  /// The limit of a filter's values, and the lowest number that was seen to fail (P2.4.7).
  private static let mostValues = 250
  private static let fewestDoubtfulValues = 193

  private mutating func checkTypes(
    _ other: Expression, _ field: FieldSchema, _ comparison: Comparison
  ) {
    for member in other.members {
      guard let type = member.literalType else { continue }
      let isText = type == FieldType(.string)
      // The names of system fields may be written as text.
      if isText, SystemKey(field.name.text)?.type.base == .reference { continue }
      guard type.base.family != field.type.base.family || type.isList else { continue }
      return add(
        .valueType, member.span,
        "Invalid value, expected type \(field.type.base.rawValue) but actual value was of type "
          + type.valueTypeName, remedy: "give a value of the field's type")
    }
  }
}

extension Comparison {
  /// Whether it searches the record's strings for words, in one of CloudKit's three ways.
  var searchesText: Bool {
    if isSearch { return true }
    switch (quantifier, left, operation, right) {
    case (.all?, .function(.tokenize, _, _), .in, .key(allTokens, _)): return true
    case (nil, .key(allTokens, _), .tokenMatches, _): return true
    default: return false
    }
  }

  /// The words that it searches for.
  fileprivate var searchedWords: Expression {
    if case .function(.tokenize, let arguments, _) = left { arguments[0] } else { right }
  }

  /// Whether a literal on the left is tested against a field's members or values (P2.1): `'x' IN
  /// list`, `ANY {a, b} = field`, `ALL {a, b} IN list`.
  fileprivate var asksMembers: Bool {
    switch (quantifier, operation) {
    case (nil, .in): !left.isAggregate
    case (.any?, .equal), (.any?, .in), (.all?, .in): left.isAggregate
    default: false
    }
  }

  /// Whether a side is a distance.
  var hasDistance: Bool {
    if case .distance = left { return true }
    if case .distance = right { return true }
    return false
  }

  /// The server's filter for it (P2.1, W4.5).
  fileprivate var filterType: String {
    switch operation {
    case .equal: "EQUALS"
    case .notEqual: "NOT_EQUALS"
    case .less: "LESS_THAN"
    case .lessOrEqual: "LESS_THAN_OR_EQUALS"
    case .greater: "GREATER_THAN"
    case .greaterOrEqual, .between: "GREATER_THAN_OR_EQUALS"
    case .in: "IN"
    case .contains: "LIST_CONTAINS"
    case .beginsWith: "BEGINS_WITH"
    case .endsWith, .like, .matches, .tokenMatches, .conformsTo, .isType: operation.rawValue
    }
  }
}

extension Expression {
  var isKey: Bool {
    if case .key = self { true } else { false }
  }

  /// Whether it is a key, or contains one among its members.
  fileprivate var hasKey: Bool {
    if case .aggregate(let items, _) = self { items.contains(where: \.hasKey) } else { isKey }
  }

  /// Whether it is an untyped text, such as an argument of a command line.
  private var isUntyped: Bool {
    if case .untyped = self { true } else { false }
  }

  var isAggregate: Bool {
    if case .aggregate = self { true } else { false }
  }

  /// Whether it is a value supplied by the app.
  var isLiteral: Bool {
    if case .value = self { return true }
    if case .function(.now, _, _) = self { return true }
    return isUntyped
  }

  fileprivate var isText: Bool {
    if case .value(.string, _) = self { true } else { isUntyped }
  }

  fileprivate var isNumber: Bool {
    [FieldType(.int64), FieldType(.double)].contains(literalType) || isUntyped
  }

  fileprivate var isKeyOrPath: Bool {
    if case .path = self { true } else { isKey }
  }

  /// Its members, or itself if it has none.
  fileprivate var members: [Expression] {
    if case .aggregate(let items, _) = self { items } else { [self] }
  }

  /// The type of a literal; nil for other expressions, or if it takes the other side's type.
  fileprivate var literalType: FieldType? {
    if case .value(let value, _) = self { return value.type }
    if case .function(.now, _, _) = self { return FieldType(.timestamp) }
    return nil
  }
}
