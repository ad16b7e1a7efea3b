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
    let compiled = PredicateCompiler(table: selection.table).compile(selection.predicate)
    let keys = compiled.isExact ? selection.keys : nil
    let reader = FieldReader(selection.table, keys: keys)
    let order = try order(selection.sort, selection.table)
    let zones = Dictionary(
      uniqueKeysWithValues: selection.zones.map { ($0.number, $0.zone.name) })
    let row = try sql { () throws(SQLiteError) in
      try prepareDistance(compiled, selection.sort)
      return try statement(selection, compiled, reader, order)
    }
    let evaluator = PredicateEvaluator(
      selection.predicate, searched: selection.searched,
      following: RecordFollower(self, selection.zones).record)
    while try sql({ () throws(SQLiteError) in try row.step() }) {
      var stored = try sql { () throws(SQLiteError) in
        try self.stored(
          in: row, RecordName(stored: row.text(SystemColumns.count)), selection.table,
          zones[row.int64(1)] ?? .defaultZone)
      }
      let firstKey = SystemColumns.count + 1
      stored.record.fields = reader.fields(in: row, from: firstKey + order.count)
      if try !compiled.isExact && !evaluator.matches(stored.record) { continue }
      let place = QueryPlace(
        values: order.enumerated().map { $1.value(in: row, at: firstKey + $0) },
        number: stored.number)
      if Interrupt.isRaised { throw StoreError(.interrupted, "interrupted") }
      guard try body(stored.record, place) else { return row.reset() }
    }
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

  private func prepareDistance(
    _ compiled: CompiledPredicate, _ sort: [SortKey]
  ) throws(SQLiteError) {
    guard
      compiled.sql.sql.contains(QueryRunner.distanceFunction)
        || sort.contains(where: { $0.origin != nil })
    else { return }
    try connection.addFunction(QueryRunner.distanceFunction) { Location.distance($0, $1, $2, $3) }
  }

  private func statement(
    _ selection: RecordSelection, _ compiled: CompiledPredicate, _ reader: FieldReader,
    _ order: [OrderTerm]
  ) throws(SQLiteError) -> Statement {
    let sql = sql(selection, compiled, reader, order)
    let statement = try connection.transientStatement(sql.sql)
    statement.bind(sql.bindings)
    return statement
  }

  private func sql(
    _ selection: RecordSelection, _ compiled: CompiledPredicate, _ reader: FieldReader,
    _ order: [OrderTerm]
  ) -> SQLFragment {
    var sql = SQLFragment("SELECT \(SystemColumns.list), r.name")
    for term in order { sql += SQLFragment(", ") + term.sql }
    sql += reader.list + " FROM "
    sql += source(selection, compiled, needsName: true)
    sql += condition(selection, compiled)
    if let after = selection.after {
      sql += SQLFragment(" AND (") + OrderTerm.behind(after, order[...]) + SQLFragment(")")
    }
    sql += " ORDER BY "
    for term in order { sql += term.sql + SQLFragment(term.isAscending ? ", " : " DESC, ") }
    sql += "t._id"
    return sql
  }

  /// How a selection would be answered. Throws `StoreError`.
  public func plan(_ selection: RecordSelection) throws(StoreError) -> QueryPlan {
    let compiled = PredicateCompiler(table: selection.table).compile(selection.predicate)
    let reader = FieldReader(selection.table, keys: compiled.isExact ? selection.keys : nil)
    let fragment = sql(selection, compiled, reader, try order(selection.sort, selection.table))
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
    return String(words[place + 1])
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
    let marks = selection.zones.map { _ in "?" }.joined(separator: ", ")
    return SQLFragment(
      " WHERE t._zone IN (\(marks)) AND (", selection.zones.map { .integer($0.number) })
      + compiled.sql + SQLFragment(")")
  }

  private func order(
    _ sort: [SortKey], _ table: TypeTable
  ) throws(StoreError) -> [OrderTerm] {
    sort.compactMap { OrderTerm($0, table) }
  }
}

/// One key of an order in SQL.
struct OrderTerm {
  let sql: SQLFragment
  let isAscending: Bool
  private let base: FieldType.Base

  init?(_ key: SortKey, _ table: TypeTable) {
    isAscending = key.isAscending
    if let system = SystemKey(key.key) {
      sql = SQLFragment(system.sql ?? "t._sequence")
      base = system == .changeTag ? .int64 : system.type.base
      return
    }
    guard let column = table.column(key.key) else { return nil }
    if column.schema.type.base == .location {
      guard let origin = key.origin else { return nil }
      sql =
        SQLFragment("ifnull(") + PredicateCompiler.distance(column, origin)
        + SQLFragment(", \(QueryRunner.farthest))")
      base = .double
    } else {
      sql = SQLFragment("t." + column.parts[0].name)
      base = column.schema.type.base
    }
  }

  /// The value of this key in a row that has it at `column`.
  func value(in row: Statement, at column: Int) -> FieldValue? {
    if row.isNull(column) { return nil }
    switch base {
    case .string: return .string(row.text(column))
    case .int64: return .int64(row.int64(column))
    case .double: return .double(row.double(column))
    case .timestamp: return .timestamp(Timestamp(milliseconds: row.int64(column)))
    case .reference: return .reference(Reference(RecordName(stored: row.text(column))))
    case .number:
      return row.isInteger(column) ? .int64(row.int64(column)) : .double(row.double(column))
    case .bytes: return .bytes(row.bytes(column))
    case .location, .asset: return nil
    }
  }

  /// The condition that a row stands behind a place: behind it by the first key, or equal by
  /// that and behind by the others, at last by the record's number.
  static func behind(_ place: QueryPlace, _ terms: ArraySlice<OrderTerm>) -> SQLFragment {
    guard let term = terms.first else {
      return SQLFragment("t._id > ?", [.integer(place.number)])
    }
    let value = place.values[terms.startIndex]
    let equal =
      term.sql + SQLFragment(" IS ?", [value?.binding ?? .null]) + SQLFragment(" AND (")
      + behind(place, terms.dropFirst()) + SQLFragment(")")
    guard let later = term.later(than: value) else { return equal }
    return later + SQLFragment(" OR ") + equal
  }

  /// The condition that the key alone puts a row behind a value; nil where nothing is behind.
  private func later(than value: FieldValue?) -> SQLFragment? {
    switch (isAscending, value?.binding) {
    case (true, nil): sql + SQLFragment(" IS NOT NULL")
    case (true, let binding?): sql + SQLFragment(" > ?", [binding])
    case (false, nil): nil
    case (false, let binding?):
      SQLFragment("(") + sql + SQLFragment(" < ? OR ", [binding]) + sql
        + SQLFragment(" IS NULL)")
    }
  }
}
