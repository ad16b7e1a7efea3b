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
    let compiled = PredicateCompiler(table: selection.table, hiddenKeys: approach.hiddenKeys)
      .compile(selection.predicate)
    let reader = FieldReader(selection.table, keys: compiled.isExact ? selection.keys : nil)
    let order = QueryOrder(selection.sort, selection.table, isHidden: approach.hidesSort)
    let evaluator = PredicateEvaluator(
      selection.predicate, searched: selection.searched,
      following: RecordFollower(self, selection.zones).record)
    try sql { () throws(SQLiteError) in try prepareDistance(compiled, selection.sort) }
    for stretch in order.stretches(behind: selection.after) {
      let row = try sql { () throws(SQLiteError) in
        try statement(sql(selection, compiled, reader, order, stretch))
      }
      let isGoingOn = try read(row, selection, order, reader) { record, place in
        if try !compiled.isExact && !evaluator.matches(record) { return true }
        return try body(record, place)
      }
      if !isGoingOn { return }
    }
  }

  /// Gives the records of a statement to `body`; whether it wanted all of them.
  private func read(
    _ row: Statement, _ selection: RecordSelection, _ order: QueryOrder, _ reader: FieldReader,
    _ body: (Record, QueryPlace) throws -> Bool
  ) throws -> Bool {
    let zones = Dictionary(
      uniqueKeysWithValues: selection.zones.map { ($0.number, $0.zone.name) })
    let firstKey = SystemColumns.count + 1
    while try sql({ () throws(SQLiteError) in try row.step() }) {
      var stored = try sql { () throws(SQLiteError) in
        try self.stored(
          in: row, RecordName(stored: row.text(SystemColumns.count)), selection.table,
          zones[row.int64(1)] ?? .defaultZone)
      }
      stored.record.fields = reader.fields(in: row, from: firstKey + order.terms.count)
      let place = QueryPlace(
        values: order.terms.enumerated().map { $1.value(in: row, at: firstKey + $0) },
        number: stored.number)
      if Interrupt.isRaised { throw StoreError(.interrupted, "interrupted") }
      guard try body(stored.record, place) else {
        row.reset()
        return false
      }
    }
    return true
  }

  /// How many records a selection has. Throws `StoreError`.
  public func count(_ selection: RecordSelection) throws -> Int {
    let compiled = PredicateCompiler(table: selection.table).compile(selection.predicate)
    guard compiled.isExact else {
      var count = 0
      try select(selection) { _, _ in
        count += 1
        return true
      }
      return count
    }
    return try sql { () throws(SQLiteError) in
      try prepareDistance(compiled, [])
      var sql = SQLFragment("SELECT count(*) FROM ")
      sql += source(selection, compiled, needsName: false)
      sql += condition(selection, compiled)
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
    _ selection: RecordSelection, _ compiled: CompiledPredicate, _ reader: FieldReader,
    _ order: QueryOrder, _ stretch: SQLFragment?
  ) -> SQLFragment {
    var sql = SQLFragment("SELECT \(SystemColumns.list), r.name")
    for term in order.terms { sql += SQLFragment(", ") + term.sql }
    sql += reader.list + " FROM "
    sql += source(selection, compiled, needsName: true)
    sql += condition(selection, compiled)
    if let stretch { sql += SQLFragment(" AND (") + stretch + SQLFragment(")") }
    return sql + order.sql
  }

  /// How a selection would be answered. Throws `StoreError`.
  public func plan(_ selection: RecordSelection) throws(StoreError) -> QueryPlan {
    let approach = try approach(to: selection)
    let compiled = PredicateCompiler(table: selection.table, hiddenKeys: approach.hiddenKeys)
      .compile(selection.predicate)
    let reader = FieldReader(selection.table, keys: compiled.isExact ? selection.keys : nil)
    let order = QueryOrder(selection.sort, selection.table, isHidden: approach.hidesSort)
    let fragment = sql(selection, compiled, reader, order, nil)
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

  /// The tables; the type's own is read first unless the predicate asks for names, where SQLite
  /// may know better.
  private func source(
    _ selection: RecordSelection, _ compiled: CompiledPredicate, needsName: Bool
  ) -> String {
    let table = "\(selection.table.table) t"
    if compiled.usesNames { return "\(table) JOIN _record r ON r._id = t._id" }
    return needsName ? "\(table) CROSS JOIN _record r ON r._id = t._id" : table
  }

  private func condition(
    _ selection: RecordSelection, _ compiled: CompiledPredicate
  ) -> SQLFragment {
    zoneCondition(selection) + SQLFragment(" AND (") + compiled.sql + SQLFragment(")")
  }

  func zoneCondition(_ selection: RecordSelection) -> SQLFragment {
    let bindings = selection.zones.map { SQLFragment.Binding.integer($0.number) }
    if bindings.count == 1 { return SQLFragment(" WHERE t._zone = ?", bindings) }
    let marks = bindings.map { _ in "?" }.joined(separator: ", ")
    return SQLFragment(" WHERE t._zone IN (\(marks))", bindings)
  }
}
