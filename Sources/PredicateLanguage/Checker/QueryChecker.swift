internal import Basics
public import CloudModel

/// Finds the parts of a query that CloudKit would refuse, with reasons: a pure pass over predicate,
/// sort and schema that evaluates nothing (P2 and P3).
public struct QueryChecker {
  let schema: RecordTypeSchema?
  private(set) var findings: [Finding] = []
  /// The fields whose missing index has been reported.
  private var told: Set<String> = []

  /// Returns the findings, in the order of the text. Without a schema, checks only the predicate's
  /// form.
  public static func findings(
    _ predicate: Predicate, sort: [SortKey] = [], schema: RecordTypeSchema? = nil
  ) -> [Finding] {
    var checker = QueryChecker(schema: schema)
    checker.checkType(predicate)
    checker.check(predicate)
    for key in sort { checker.require(.sortable, key.key, nil) }
    return checker.findings.enumerated()
      .sorted {
        ($0.element.span?.lowerBound ?? .max, $0.offset) < (
          $1.element.span?.lowerBound ?? .max, $1.offset
        )
      }
      .map(\.element)
  }

  private init(schema: RecordTypeSchema?) { self.schema = schema }

  mutating func add(
    _ code: Finding.Code, _ span: Span?, _ message: String, key: String? = nil,
    remedy: Remedy? = nil, severity: Finding.Severity? = nil
  ) {
    findings.append(
      Finding(code, span, message, key: key, remedy: remedy, severity: severity))
  }

  // MARK: Compounds

  mutating func check(_ predicate: Predicate) {
    switch predicate {
    case .constant(true, let span): require(.queryable, SystemKey.recordName.rawValue, span)
    case .constant: break
    case .and(let parts, _): for part in parts { check(part) }
    case .or(let nested, let span):
      let parts = Self.flattened(nested)
      add(.or, span, "OR", remedy: Self.rewrite(parts))
      for case .and(let inner, let innerSpan) in parts
      where inner.first?.span.lowerBound == innerSpan.lowerBound {
        add(
          .precedence, innerSpan, "AND binds tighter than OR",
          remedy: "put the parts that belong together in parentheses")
      }
      for part in parts { check(part) }
    case .not(let part, let span):
      checkNot(part, span)
      check(part)
    case .comparison(let comparison): check(comparison)
    }
  }

  /// The parts of an OR, with nested ORs flattened.
  private static func flattened(_ parts: [Predicate]) -> [Predicate] {
    parts.flatMap { part in
      if case .or(let inner, _) = part { flattened(inner) } else { [part] }
    }
  }

  /// How to rewrite an OR: one field's values in one list, or one query for each part.
  private static func rewrite(_ parts: [Predicate]) -> Remedy {
    var key: String?
    var values: [String] = []
    for part in parts {
      guard case .comparison(let comparison) = part, comparison.operation == .equal,
        comparison.quantifier == nil, comparison.options.isEmpty,
        comparison.left.isKey, comparison.right.isLiteral,
        key == nil || key == comparison.left.text
      else { return "run one query for each part and merge their records by name" }
      key = comparison.left.text
      values.append(comparison.right.text)
    }
    let shown = values.prefix(20).joined(separator: ", ")
    return "write \(key ?? "") IN {\(shown)\(values.count > 20 ? ", …" : "")}"
  }

  /// Checks that NOT precedes a single comparison (P2.1.13).
  private mutating func checkNot(_ part: Predicate, _ span: Span) {
    switch part {
    case .constant, .and, .or, .not:
      add(
        .notCompound, span, "NOT before something other than a comparison",
        remedy: Self.opposite(of: part))
    case .comparison(let comparison) where comparison.operation == .between:
      add(
        .notBetween, span, "NOT before BETWEEN",
        remedy: "run two queries, one with < and one with >")
    case .comparison(let comparison) where comparison.searchesText:
      add(
        .notText, span, "NOT before a text search", remedy: "filter the records in the app")
    case .comparison(let comparison) where comparison.hasDistance:
      add(
        .notDistance, span, "NOT before a distance", remedy: "filter the records in the app")
    case .comparison: break
    }
  }

  private static func opposite(of part: Predicate) -> Remedy {
    switch part {
    case .constant(let value, _): "write \(value ? "FALSEPREDICATE" : "TRUEPREDICATE")"
    case .not: "remove both NOTs"
    case .or: "write NOT before each part and AND between them"
    case .and, .comparison: "run one query for each part, with NOT before it, and merge the records"
    }
  }

  // MARK: Schema

  private mutating func checkType(_ predicate: Predicate) {
    guard let schema else { return }
    if schema.name == .users {
      add(.users, nil, CloudError.queryForUsers.message, remedy: CloudError.queryForUsers.remedy)
    } else if isUnindexed {
      add(
        .unindexedType, nil, "Type is not marked indexable: \(schema.name.text)",
        remedy: firstField(of: predicate).map { field in
          var wanted = field
          wanted.indexes = .queryable
          return Self.remedy(wanted, of: schema, .queryable)
        })
    }
  }

  /// The first field of a predicate that can have an index; `recordName` if there is none.
  private func firstField(of predicate: Predicate) -> FieldSchema? {
    var found: FieldSchema?
    predicate.visit { expression in
      guard found == nil, case .key(let key, _) = expression, let field = self.field(key) else {
        return
      }
      if field.type.allowedIndexes.contains(.queryable) { found = field }
    }
    return found ?? field(SystemKey.recordName.rawValue)
  }

  /// Whether no field of the type has an index.
  private var isUnindexed: Bool {
    guard let schema else { return false }
    return schema.name != .users && schema.indexedSystemFields.isEmpty
      && schema.fields.allSatisfy(\.indexes.isEmpty)
  }

  /// Requires an index of a key; an index for sorting also serves a filter by order (R7.3.6).
  mutating func require(
    _ index: FieldIndexes, orElse other: FieldIndexes = [], _ key: String, _ span: Span?
  ) {
    guard let schema, let field = field(key), !isUnindexed, schema.name != .users,
      field.indexes.isDisjoint(with: index.union(other)),
      told.insert("\(field.name.text) \(index.rawValue)").inserted
    else { return }
    let isSort = index == .sortable
    let name = SystemKey(key) == .recordName ? SystemKey.recordName.rawValue : field.name.text
    var wanted = field
    wanted.indexes.formUnion(index)
    add(
      isSort ? .sortable : .queryable, span,
      "Field '\(name)' is not marked \(isSort ? "sortable" : "queryable")",
      remedy: Self.remedy(wanted, of: schema, index))
  }

  /// The missing index, and the line of the schema that declares it.
  static func remedy(
    _ field: FieldSchema, of schema: RecordTypeSchema, _ index: FieldIndexes
  ) -> Remedy {
    .declareIndex(
      schema.name, key: SystemKey(field.name.text)?.rawValue ?? field.name.text, index,
      line: field.schemaLine())
  }

  /// A field or an indexed system field of the schema, with its indexes.
  func field(_ key: String) -> FieldSchema? {
    guard let schema else { return nil }
    guard let system = SystemKey(key) else { return schema.field(key) }
    return system.schemaName.map {
      FieldSchema(
        name: FieldName(stored: $0), type: system.type,
        indexes: schema.systemIndexes[system] ?? [])
    }
  }
}
