internal import Basics
public import CloudModel
internal import PredicateLanguage
internal import SQLite

/// What the store is asked for: records of one type in some zones.
public struct RecordSelection {
  /// The type's table.
  public var table: TypeTable
  /// The zones to look in.
  public var zones: [StoredZone]
  /// Which records, bound to the type (`PredicateBinder`).
  public var predicate: Predicate
  /// In which order; ties and no sort at all go by the records' numbers.
  public var sort: [SortKey] = []
  /// Behind which place; nil from the beginning.
  public var after: QueryPlace?
  /// The fields that are searched for words; nil for all.
  public var searched: [FieldName]?
  /// The fields to read; nil for all.
  public var keys: [FieldName]?

  /// Puts a selection together.
  public init(table: TypeTable, zones: [StoredZone], predicate: Predicate) {
    self.table = table
    self.zones = zones
    self.predicate = predicate
  }
}

/// Runs selections.
enum QueryRunner {
  /// The SQL function for distances: latitude, longitude, latitude, longitude → metres.
  static let distanceFunction = "ckdb_distance"
  /// Where records without a place stand when sorted by distance: behind all others.
  static let farthest = 1e300
}

extension EnvironmentStore {
  /// Gives each selected record to `body`, with its place, until `body` returns false.
  ///
  /// Throws `StoreError`, `PredicateError` for values that do not fit, and what `body` throws.
  public func select(
    _ selection: RecordSelection, _ body: (Record, QueryPlace) throws -> Bool
  ) throws {
    let approach = try approach(to: selection)
    let compiled = PredicateCompiler(selection, approach).compile(selection.predicate)
    let order = QueryOrder(selection.sort, selection.table, isHidden: approach.hidesSort)
    try sql { () throws(SQLiteError) in try prepareDistance(compiled, selection.sort) }
    connection.setInterruptible(true)
    defer { connection.setInterruptible(false) }
    let filter = try compiled.isExact ? nil : CandidateFilter(selection, self)
    let rows = QueryRows(selection, order, keys: filter?.keys, isFiltered: filter != nil)
    for stretch in order.stretches(behind: selection.after) {
      let row = try sql { () throws(SQLiteError) in
        try statement(sql(selection, compiled, approach, rows, stretch))
      }
      while try sql({ () throws(SQLiteError) in try row.step() }) {
        if Interrupt.isRaised { throw StoreError(.interrupted, "interrupted") }
        let number = row.int64(0)
        let record: Record
        if let filter {
          guard let found = try filter.record(number, rows, row) else { continue }
          record = found
        } else {
          record = try sql { () throws(SQLiteError) in try rows.record(in: row, self) }
        }
        guard try body(record, rows.place(in: row)) else { return row.reset() }
      }
    }
  }

  /// How many records a selection has. Throws `StoreError`.
  public func count(_ selection: RecordSelection) throws -> Int {
    let approach = try approach(to: selection)
    let compiled = PredicateCompiler(selection, approach).compile(selection.predicate)
    guard compiled.isExact else {
      var count = 0
      var names = selection
      names.keys = []
      try select(names) { _, _ in
        count += 1
        return true
      }
      return count
    }
    connection.setInterruptible(true)
    defer { connection.setInterruptible(false) }
    return try sql { () throws(SQLiteError) in
      try prepareDistance(compiled, [])
      var sql = SQLFragment("SELECT count(*) FROM ")
      sql += "\(selection.table.table) t"
      sql += condition(selection, compiled, approach)
      let statement = try connection.transientStatement(sql.sql)
      statement.bind(sql.bindings)
      return try statement.step() ? Int(statement.int64(0)) : 0
    }
  }

  func prepareDistance(
    _ compiled: CompiledPredicate, _ sort: [SortKey]
  ) throws(SQLiteError) {
    guard
      compiled.sql.sql.contains(QueryRunner.distanceFunction)
        || sort.contains(where: { $0.origin != nil })
    else { return }
    try connection.addFunction(QueryRunner.distanceFunction) { Location.distance($0, $1, $2, $3) }
  }

  private func statement(_ sql: SQLFragment) throws(SQLiteError) -> Statement {
    let statement = try connection.transientStatement(sql.sql)
    statement.bind(sql.bindings)
    return statement
  }

  private func sql(
    _ selection: RecordSelection, _ compiled: CompiledPredicate, _ approach: QueryApproach,
    _ rows: QueryRows, _ stretch: SQLFragment?
  ) -> SQLFragment {
    var sql = SQLFragment("SELECT ") + rows.list + SQLFragment(" FROM ")
    sql += "\(selection.table.table) t"
    sql += condition(selection, compiled, approach)
    if let stretch { sql += SQLFragment(" AND (") + stretch + SQLFragment(")") }
    return sql + rows.order.sql
  }

  /// How a selection would be answered. Throws `StoreError`.
  public func plan(_ selection: RecordSelection) throws(StoreError) -> QueryPlan {
    let approach = try approach(to: selection)
    let compiled = PredicateCompiler(selection, approach).compile(selection.predicate)
    let order = QueryOrder(selection.sort, selection.table, isHidden: approach.hidesSort)
    let filter = try compiled.isExact ? nil : CandidateFilter(selection, self)
    let rows = QueryRows(selection, order, keys: filter?.keys, isFiltered: filter != nil)
    let fragment = sql(selection, compiled, approach, rows, nil)
    return try sql { () throws(SQLiteError) in
      try prepareDistance(compiled, selection.sort)
      let statement = try connection.transientStatement("EXPLAIN QUERY PLAN " + fragment.sql)
      statement.bind(fragment.bindings)
      var steps: [String] = []
      while try statement.step() { steps.append(statement.text(3)) }
      return QueryPlan(
        sql: fragment.sql, bindings: fragment.bindings.map(\.text), steps: steps,
        indexes: steps.compactMap(Self.index), isExact: compiled.isExact)
    }
  }

  /// The index of a step that finds rows of the type's table `t`.
  private static func index(of step: String) -> String? {
    let words = step.split(separator: " ")
    guard let place = words.firstIndex(of: "INDEX"), place + 1 < words.count,
      words[..<place].contains("t")
    else { return nil }
    let name = words[place + 1]
    let isOurs = name.hasPrefix(PhysicalIndex.prefix)
    return String(isOurs ? name.dropFirst(PhysicalIndex.prefix.count) : name)
  }

  private func condition(
    _ selection: RecordSelection, _ compiled: CompiledPredicate, _ approach: QueryApproach
  ) -> SQLFragment {
    zoneCondition(selection, isHidden: approach.hidesZone) + SQLFragment(" AND (") + compiled.sql
      + SQLFragment(")")
  }

  func zoneCondition(_ selection: RecordSelection, isHidden: Bool) -> SQLFragment {
    let bindings = selection.zones.map { SQLFragment.Binding.integer($0.number) }
    let zone = isHidden ? "+t._zone" : "t._zone"
    if bindings.count == 1 { return SQLFragment(" WHERE \(zone) = ?", bindings) }
    let marks = bindings.map { _ in "?" }.joined(separator: ", ")
    return SQLFragment(" WHERE \(zone) IN (\(marks))", bindings)
  }
}
