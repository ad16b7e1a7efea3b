internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The SQL of a selection.
struct QueryStatement {
  let selection: RecordSelection
  let approach: QueryApproach
  let compiled: CompiledPredicate
  let order: QueryOrder
  /// The columns of the rows.
  let rows: QueryRows
  /// The filter for each row, if SQL cannot decide everything.
  let filter: CandidateFilter?
  /// A condition that is true for every row that SQLite reads.
  var witness: String?

  init(
    _ selection: RecordSelection, _ approach: QueryApproach, _ store: EnvironmentStore
  ) throws(StoreError) {
    self.selection = selection
    self.approach = approach
    compiled = PredicateCompiler(selection, approach).compile(whole: selection.predicate)
    var order = QueryOrder(
      selection.sort, selection.table, isHidden: approach.hidesSort,
      number: approach.lead?.index.number ?? "t._id")
    if approach.usesRings, let key = selection.sort.first, let origin = key.origin,
      let column = selection.table.column(key.key)
    {
      order.rings = DistanceRings(
        PlaceDistance(column: column, origin: origin), within: selection.predicate)
    }
    self.order = order
    filter = try compiled.isExact ? nil : CandidateFilter(selection, store)
    rows = QueryRows(selection, order, keys: filter?.keys)
  }

  /// The record of a row; nil if the filter excludes it. Throws `StoreError`, also if the record,
  /// or one that it leads to, is damaged.
  func record(in row: Statement, _ store: EnvironmentStore) throws -> Record? {
    guard let filter else { return rows.given(try rows.whole(in: row, store)) }
    return try filter.record(rows, row).map(rows.given)
  }

  /// More zones than this, or longer conditions for all of them, are not merged in order but sorted
  /// together.
  private static let mostMergedZones = 50
  private static let mostMergedText = 32_768

  /// The statement for the rows of a stretch of the order, in order.
  func sql(_ stretch: SQLFragment?) -> SQLFragment {
    let zones = selection.zones
    let isMerged =
      approach.isOrderedByZone && (2...Self.mostMergedZones).contains(zones.count)
      && zones.count * compiled.sql.sql.utf8.count <= Self.mostMergedText
    var sql: SQLFragment
    if isMerged {
      sql = .join(zones.map { select(rows.list, in: [$0], stretch) }, " UNION ALL ")
      sql += order.sql(firstColumn: rows.firstKey)
    } else {
      sql = select(rows.list, in: zones, stretch) + order.sql
    }
    if let limit = selection.limit, compiled.isExact {
      sql += SQLFragment(" LIMIT ?", [.integer(Int64(limit))])
    }
    return sql
  }

  /// The statement that counts the rows.
  var counting: SQLFragment { select(SQLFragment("count(*)"), in: selection.zones, nil) }

  private func select(
    _ columns: SQLFragment, in zones: [StoredZone], _ stretch: SQLFragment?
  ) -> SQLFragment {
    var sql = SQLFragment("SELECT ") + columns + SQLFragment(" FROM ")
    let table = "\(selection.table.table) t"
    if let lead = approach.lead {
      sql += "\(lead.index.identifier) m CROSS JOIN \(table) ON t._id = \(lead.index.number)"
      sql += SQLFragment(" WHERE ") + lead.condition + SQLFragment(" AND ")
    } else {
      sql += "\(table) WHERE "
    }
    if let witness { sql += "\(witness) AND " }
    sql += Self.isIn(zones, isHidden: approach.hidesZone)
    if let seen { sql += SQLFragment(" AND (") + seen + SQLFragment(")") }
    sql += SQLFragment(" AND (") + compiled.sql + SQLFragment(")")
    if let stretch { sql += SQLFragment(" AND (") + stretch + SQLFragment(")") }
    return sql
  }

  /// The condition that the audience sees a row of `t`; nil if it sees all of them.
  private var seen: SQLFragment? {
    guard let audience = selection.narrowAudience else { return nil }
    let whole = selection.zones.filter { audience.seesAll(of: $0) }
    let covered =
      SQLFragment("\(approach.findsByCover && whole.isEmpty ? "" : "+")t._id IN (")
      + EnvironmentStore.coveredNumbers(
        of: selection.table, in: audience.zone, seenBy: audience.user) + SQLFragment(")")
    if whole.isEmpty { return covered }
    return Self.isIn(whole, isHidden: true) + SQLFragment(" OR ") + covered
  }

  /// The condition that a row of `t` is in one of some zones.
  static func isIn(_ zones: [StoredZone], isHidden: Bool) -> SQLFragment {
    let bindings = zones.map { SQLFragment.Binding.integer($0.number) }
    let zone = isHidden ? "+t._zone" : "t._zone"
    if bindings.count == 1 { return SQLFragment("\(zone) = ?", bindings) }
    let marks = bindings.map { _ in "?" }.joined(separator: ", ")
    return SQLFragment("\(zone) IN (\(marks))", bindings)
  }
}

extension PhysicalIndex {
  /// The record's number in a row `m` of an index that writers maintain.
  fileprivate var number: String {
    if case .words = kind { "m.rowid" } else { "m._id" }
  }
}
