internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import SQLite

/// Translates a bound predicate to SQL over the type's table `t`.
///
/// A condition yields 1 for a record that matches, otherwise 0 or NULL. Negate it with IS NOT 1
/// only, since predicates have no third truth value (P4.2.4), and never with IS NOT TRUE: if the
/// type has a field named TRUE, SQLite compares with the field.
struct PredicateCompiler {
  let table: TypeTable
  /// The keys whose indexes SQLite must not use.
  let hiddenKeys: Set<String>
  /// The indexes that writers maintain.
  let kept: [PhysicalIndex]
  /// Whether words are searched for in all texts, as an index of words does.
  let searchesAll: Bool
  /// The part of the predicate whose index leads to the records.
  private let lead: Lead?
  /// The zones that are searched.
  private let zones: [StoredZone]
  /// Whether the rows are already known, so that no index has to find them.
  private let isByNumber: Bool
  /// Whether each arm of an OR names the zones, for its index.
  private let findsByArms: Bool

  init(_ selection: RecordSelection, _ approach: QueryApproach) {
    table = selection.table
    zones = selection.zones
    isByNumber = approach.isByNumber
    findsByArms = approach.findsByArms
    hiddenKeys = approach.hiddenKeys
    kept = approach.kept
    searchesAll = selection.searched == nil
    lead = approach.lead
  }

  /// Translates the predicate of a selection, except what the index that leads to the records
  /// already ensures.
  func compile(whole predicate: Predicate) -> CompiledPredicate {
    guard let lead else { return compile(predicate) }
    switch predicate {
    case .and(let parts, _):
      let compiled = parts.decisive.enumerated().map { place, part in
        place == lead.place ? led(part) : compile(part)
      }
      return Self.join(compiled, of: parts, Self.and)
    case .constant, .or, .not, .comparison: return led(predicate)
    }
  }

  /// Whether a part of an AND excludes records, instead of only marking those that do not match.
  func isDecisive(_ place: Int, of predicate: Predicate) -> Bool {
    guard case .and(let parts, _) = predicate else { return true }
    return parts.decisive.indices.contains(place)
  }

  func compile(_ predicate: Predicate) -> CompiledPredicate {
    switch predicate {
    case .constant(let value, _): return .exact(SQLFragment(value ? "1" : "0"))
    case .and(let parts, _): return join(parts, Self.and)
    case .or(let parts, _): return join(parts, " OR ")
    case .not(let part, _): return opposite(of: compile(part))
    case .comparison(let comparison): return compile(comparison)
    }
  }

  private func join(_ parts: [Predicate], _ separator: String) -> CompiledPredicate {
    if separator == Self.and {
      return Self.join(parts.decisive.map { compile($0) }, of: parts, separator)
    }
    let isZoned = findsByArms && zones.count * parts.count <= Self.mostZonedArms
    return Self.join(parts.map { isZoned ? arm($0) : compile($0) }, of: parts, separator)
  }

  /// Up to this number, zones may be repeated in each arm of an OR.
  private static let mostZonedArms = 4096

  /// A part of an OR that finds its records in the zones.
  private func arm(_ part: Predicate) -> CompiledPredicate {
    var compiled = compile(part)
    let isByColumns = part.drivers.first.flatMap { table.index(for: $0) }?.isKept == false
    guard isByColumns else { return compiled }
    // Bind the zones: SQLite would otherwise see that all arms have the same condition, and pick
    // any index for it.
    compiled.sql =
      QueryStatement.isIn(zones, isHidden: false) + SQLFragment(" AND (") + compiled.sql
      + SQLFragment(")")
    compiled.depth += 1
    return compiled
  }

  private static let and = " AND "

  private static func join(
    _ compiled: [CompiledPredicate], of parts: [Predicate], _ separator: String
  ) -> CompiledPredicate {
    let halvings = max(1, Int.bitWidth - (compiled.count - 1).leadingZeroBitCount)
    let depth = (compiled.map(\.depth).max() ?? 0) + halvings
    guard depth <= CompiledPredicate.mostDepth else { return .undecided }
    return CompiledPredicate(
      sql: .balanced(compiled.map(\.sql), separator),
      isExact: compiled.allSatisfy(\.isExact) && compiled.count == parts.count, depth: depth)
  }

  private func compile(_ comparison: Comparison) -> CompiledPredicate {
    if let search = comparison.textSearch { return words(search) }
    let left = operand(comparison.left)
    let right = operand(comparison.right)
    // SQLite folds the case of ASCII letters only.
    guard comparison.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) else {
      return .undecided
    }
    switch comparison.quantifier {
    case .any: return any(left, comparison.operation, right)
    case .notOne: return opposite(of: any(left, comparison.operation, right))
    case .all: return .undecided
    case nil:
      var compiled = test(left, comparison.operation, right)
      compiled.sql = box(comparison) + compiled.sql
      return compiled
    }
  }

  /// The box around a requested circle, followed by AND; empty for other tests.
  private func box(_ comparison: Comparison) -> SQLFragment {
    guard comparison.operation == .less || comparison.operation == .lessOrEqual,
      case .distance(let one, let other, _) = comparison.left,
      let distance = distance(one, other), case .value(let value, _) = comparison.right,
      let radius = value.number, radius >= 0
    else { return SQLFragment("") }
    let isHidden = hiddenKeys.contains(distance.column.schema.name.text)
    return distance.box(radius, isHidden: isHidden) + SQLFragment(" AND ")
  }

  /// The negation of a wider condition would be too narrow.
  private func opposite(of compiled: CompiledPredicate) -> CompiledPredicate {
    guard compiled.isExact else { return .undecided }
    var opposite = compiled
    opposite.sql = SQLFragment("(") + compiled.sql + SQLFragment(") IS NOT 1")
    opposite.depth += 1
    return opposite.depth <= CompiledPredicate.mostDepth ? opposite : .undecided
  }

  // MARK: Operands

  /// A side of a comparison as SQL sees it.
  enum Operand {
    case null
    case value(FieldValue)
    case values([FieldValue?])
    /// A single value that SQL computes.
    case scalar(SQLFragment, FieldValue.Family, isName: Bool)
    case place(FieldColumn)
    case list(FieldColumn)
    /// Something that SQL cannot compute.
    case opaque
  }

  func operand(_ expression: Expression) -> Operand {
    switch expression {
    case .null: return .null
    case .value(let value, _): return .value(value)
    case .untyped(let text, _): return .value(.string(text))
    case .key(let key, _): return self.key(key)
    case .aggregate(let items, _): return aggregate(items)
    case .record: return key(SystemKey.recordName.rawValue)
    case .function(.string, let arguments, _) where arguments.first?.isRecordName == true:
      return .scalar(SQLFragment("t._name"), .string, isName: true)
    case .function, .path, .variable, .assignment, .subquery, .conditional: return .opaque
    case .distance(let one, let other, _):
      guard let distance = distance(one, other) else { return .opaque }
      return .scalar(distance.sql, .number, isName: false)
    }
  }

  private func distance(_ one: Expression, _ other: Expression) -> PlaceDistance? {
    switch (operand(one), operand(other)) {
    case (.place(let column), .value(.location(let place))),
      (.value(.location(let place)), .place(let column)):
      PlaceDistance(column: column, origin: place)
    default: nil
    }
  }

  private func aggregate(_ items: [Expression]) -> Operand {
    var values: [FieldValue?] = []
    for item in items {
      switch operand(item) {
      case .null: values.append(nil)
      case .value(let value): values.append(value)
      case .values, .scalar, .place, .list, .opaque: return .opaque
      }
    }
    return .values(values)
  }

  private func key(_ key: String) -> Operand {
    if let system = SystemKey(key) {
      guard let sql = system.sql, let family = system.type.family else { return .opaque }
      return .scalar(
        SQLFragment(hidden(system.rawValue) + sql), family, isName: system == .recordName)
    }
    guard let column = table.column(key) else { return .opaque }
    if column.schema.type.isList { return .list(column) }
    if column.schema.type.base == .location { return .place(column) }
    guard let family = column.schema.type.family else { return .opaque }
    return .scalar(
      SQLFragment(hidden(column.schema.name.text) + "t." + column.parts[0].name), family,
      isName: false)
  }

  /// The condition that a record has a name, which the table of all names finds.
  func named(_ test: SQLFragment) -> SQLFragment { found(name + test) }

  private func named(beginningWith prefix: String) -> SQLFragment {
    found(Self.prefix(name, prefix))
  }

  private var name: SQLFragment { SQLFragment(isByNumber ? "t._name" : "name") }

  private func found(_ test: SQLFragment) -> SQLFragment {
    if isByNumber { return SQLFragment("(") + test + SQLFragment(")") }
    let zones = self.zones.map { String($0.number) }.joined(separator: ", ")
    return SQLFragment("t._id IN (SELECT _id FROM _record WHERE zone IN (\(zones)) AND ")
      + test + SQLFragment(")")
  }

  /// A sign that hides a column from the planner and changes nothing else.
  private func hidden(_ key: String) -> String { hiddenKeys.contains(key) ? "+" : "" }

  // MARK: Tests

  private func test(
    _ left: Operand, _ operation: Comparison.Operation, _ right: Operand
  ) -> CompiledPredicate {
    switch operation {
    case .equal: return equality(left, right)
    case .notEqual: return opposite(of: equality(left, right))
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return order(left, operation, right)
    case .between: return between(left, right)
    case .in: return membership(of: left, in: right)
    case .contains: return membership(of: right, in: left)
    case .beginsWith:
      guard case .scalar(let sql, .string, let isName) = left,
        case .value(.string(let prefix)) = right
      else { return .undecided }
      return .exact(isName ? named(beginningWith: prefix) : Self.prefix(sql, prefix))
    case .endsWith:
      guard case .scalar(let sql, .string, _) = left, case .value(.string(let suffix)) = right,
        !suffix.utf8.contains(0)
      else { return .undecided }
      return CompiledPredicate(
        sql: SQLFragment("instr(") + sql + SQLFragment(", ?) > 0", [.text(suffix)]),
        isExact: false)
    case .like:
      guard case .scalar(let sql, .string, _) = left, case .value(.string(let pattern)) = right
      else { return .undecided }
      // By Unicode scalars, as LIKE compares: a character may be a star with a combining mark.
      let start = String(
        String.UnicodeScalarView(pattern.unicodeScalars.prefix { !["*", "?", "\\"].contains($0) }))
      guard !start.isEmpty else { return .undecided }
      return CompiledPredicate(sql: Self.prefix(sql, start), isExact: false)
    case .matches, .tokenMatches, .conformsTo, .isType: return .undecided
    }
  }

  private func equality(_ left: Operand, _ right: Operand) -> CompiledPredicate {
    switch (left, right) {
    case (.null, .null): return .exact(SQLFragment("1"))
    case (.null, .scalar(let sql, _, _)), (.scalar(let sql, _, _), .null):
      return .exact(sql + SQLFragment(" IS NULL"))
    case (.null, .place(let column)), (.place(let column), .null),
      (.null, .list(let column)), (.list(let column), .null):
      return .exact(SQLFragment("t.\(column.parts[0].name) IS NULL"))
    case (.scalar(let sql, let family, let isName), .value(let value)),
      (.value(let value), .scalar(let sql, let family, let isName)):
      guard value.family == family else { return .exact(SQLFragment("0")) }
      guard let binding = value.binding else { return .undecided }
      let isSame = SQLFragment(" = ?", [binding])
      return .exact(isName ? named(isSame) : sql + isSame)
    case (.scalar(let a, let familyA, _), .scalar(let b, let familyB, _)):
      guard familyA == familyB else {
        return .exact(a + SQLFragment(" IS NULL AND ") + b + SQLFragment(" IS NULL"))
      }
      return .exact(a + SQLFragment(" IS ") + b)
    case (.place(let column), .value(.location(let place))),
      (.value(.location(let place)), .place(let column)):
      return .exact(
        SQLFragment(
          "t.\(column.parts[0].name) = ? AND t.\(column.parts[1].name) = ?",
          [.real(place.latitude), .real(place.longitude)]))
    default: return .undecided
    }
  }

  private func order(
    _ left: Operand, _ operation: Comparison.Operation, _ right: Operand
  ) -> CompiledPredicate {
    switch (left, right) {
    case (.scalar(let sql, let family, _), .value(let value)):
      guard value.family == family, let binding = value.binding else { return .undecided }
      return .exact(sql + SQLFragment(" \(operation.rawValue) ?", [binding]))
    case (.value(let value), .scalar(let sql, let family, _)):
      guard value.family == family, let binding = value.binding else { return .undecided }
      return .exact(SQLFragment("? \(operation.rawValue) ", [binding]) + sql)
    case (.scalar(let a, let familyA, _), .scalar(let b, let familyB, _)):
      guard familyA == familyB else { return .undecided }
      var test = a + SQLFragment(" \(operation.rawValue) ") + b
      if operation == .lessOrEqual || operation == .greaterOrEqual {
        test += SQLFragment(" OR (") + a + SQLFragment(" IS NULL AND ") + b
        test += " IS NULL)"
      }
      return .exact(test)
    case (.scalar(let sql, _, _), .null), (.null, .scalar(let sql, _, _)):
      let isInclusive = operation == .lessOrEqual || operation == .greaterOrEqual
      return .exact(isInclusive ? sql + SQLFragment(" IS NULL") : SQLFragment("0"))
    default: return .undecided
    }
  }

  private func between(_ left: Operand, _ right: Operand) -> CompiledPredicate {
    guard case .scalar(let sql, let family, _) = left, case .values(let bounds) = right,
      bounds.count == 2
    else { return .undecided }
    guard let low = bounds[0], let high = bounds[1] else { return .exact(SQLFragment("0")) }
    guard low.family == family, high.family == family, let first = low.binding,
      let last = high.binding
    else { return .undecided }
    return .exact(sql + SQLFragment(" BETWEEN ? AND ?", [first, last]))
  }

  /// `text BEGINSWITH prefix` as a range of bytes; LIKE would fold the case of letters.
  static func prefix(_ sql: SQLFragment, _ prefix: String) -> SQLFragment {
    guard !prefix.isEmpty else { return SQLFragment("0") }
    let start = sql + SQLFragment(" >= ?", [.text(prefix)])
    guard let end = prefix.firstTextBehindAllWithThisPrefix else { return start }
    return start + SQLFragment(" AND ") + sql + SQLFragment(" < ?", [.text(end)])
  }
}

extension Expression {
  fileprivate var isRecordName: Bool {
    if case .key(let key, _) = self { SystemKey(key) == .recordName } else { false }
  }
}

extension [Predicate] {
  /// The parts of an AND up to the first one that may be an error for a record: what follows must
  /// not exclude that record (P1.5.17).
  var decisive: ArraySlice<Predicate> {
    firstIndex(where: \.mayNotFit).map { self[...$0] } ?? self[...]
  }
}

extension Predicate {
  /// Whether its types are known only when a record is read.
  fileprivate var mayNotFit: Bool {
    var isOpen = false
    visit { expression in
      switch expression {
      case .path, .variable, .assignment, .subquery, .conditional: isOpen = true
      case .value, .null, .untyped, .key, .record, .aggregate, .distance, .function: break
      }
    }
    return isOpen
  }
}

extension FieldColumn {
  /// A member's value in json_each: for a reference its name, even if it has an action.
  var memberSQL: String {
    schema.type.base == .reference
      ? "CASE m.type WHEN 'array' THEN json_extract(m.value, '$[0]') ELSE m.value END" : "m.value"
  }
}

extension FieldType {
  var family: FieldValue.Family? { isList ? nil : base.family }
}

extension FieldValue {
  /// The value as SQL sees it in a column; nil if it takes several columns.
  var binding: SQLFragment.Binding? {
    switch self {
    case .string(let text): .text(text)
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .timestamp(let time): .integer(time.milliseconds)
    case .bytes(let bytes): .blob(bytes)
    case .reference(let reference): .text(reference.name.text)
    case .location, .asset, .list: nil
    }
  }

  /// The value as SQL sees it among a list's members, in which bytes are Base64.
  var memberBinding: SQLFragment.Binding? {
    if case .bytes(let bytes) = self { .text(Base64.encode(bytes)) } else { binding }
  }

  var number: Double? {
    switch self {
    case .int64(let number): Double(number)
    case .double(let number): number
    case .string, .timestamp, .bytes, .location, .reference, .asset, .list: nil
    }
  }
}

extension String {
  /// The smallest text that sorts after every text with this prefix; nil if there is none. The last
  /// scalar that has a successor is replaced by it, and the rest removed.
  var firstTextBehindAllWithThisPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      let next: UInt32 = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
      }
    }
    return nil
  }
}

extension SystemKey {
  /// The key in SQL over the type's table `t`.
  var sql: String? {
    switch self {
    case .recordName: "t._name"
    case .creationDate: "t._created"
    case .modificationDate: "t._modified"
    case .creatorUserRecordID: Self.author("_creator")
    case .lastModifiedUserRecordID: Self.author("_modifier")
    case .parent: "t._parent"
    case .share: "t._share"
    case .changeTag: nil
    }
  }

  /// The user record name of the author in a column.
  private static func author(_ column: String) -> String {
    """
    (SELECT u.name FROM _author a JOIN _user u ON u._id = a.user WHERE a._id = t.\(column))
    """
  }
}
