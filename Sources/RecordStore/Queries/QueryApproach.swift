public import CloudModel
internal import PredicateLanguage
internal import SQLite

/// How a selection is answered with the indexes that there are.
struct QueryApproach {
  /// Indexes that would help and are not there.
  var missing: [PhysicalIndex] = []
  /// Whether the sort's index must not be walked: few records match, and they are sorted.
  var hidesSort = false
  /// The indexes of lists' members that there are.
  var members: [PhysicalIndex] = []
  /// Whether no index of columns is of use: SQLite would take any for the zone's sake, which all
  /// begin with.
  var hidesZone = true
  /// The keys whose indexes must not be used: many records match, and the sort's index is
  /// walked until there are enough.
  var hiddenKeys: Set<String> = []
}

extension EnvironmentStore {
  /// The indexes that a selection wants and that are not there. Throws `StoreError`.
  public func missingIndexes(for selection: RecordSelection) throws(StoreError) -> [PhysicalIndex] {
    try approach(to: selection).missing
  }

  /// The order that the records of a selection without a sort come in by the index that finds
  /// them; nil for the order of their numbers. Throws `StoreError`.
  public func naturalSort(of selection: RecordSelection) throws(StoreError) -> [SortKey] {
    let drivers = Set(selection.predicate.drivers)
    guard selection.sort.isEmpty, let driver = drivers.first, drivers.count == 1, driver.isRange,
      try has(selection.table.index(of: driver.key), selection.table)
    else { return selection.sort }
    return [SortKey(driver.key)]
  }

  func approach(to selection: RecordSelection) throws(StoreError) -> QueryApproach {
    let table = selection.table
    var approach = QueryApproach()
    let drivers = selection.predicate.drivers.compactMap { driver in
      table.index(of: driver.key).flatMap { $0.isOfMembers == driver.isOfMembers ? $0 : nil }
    }
    approach.members = try sql { () throws(SQLiteError) in try catalog.memberIndexes(of: table) }
    let sort = selection.sort.first.flatMap { $0.origin == nil ? table.index(of: $0.key) : nil }
    for index in drivers + (sort.map { [$0] } ?? []) where !index.isOfMembers {
      if try has(index, table) { approach.hidesZone = false }
    }
    guard !drivers.isEmpty else {
      if let sort { try want(sort, table, &approach) }
      return approach
    }
    for driver in drivers { try want(driver, table, &approach) }
    guard let sort, approach.missing.isEmpty, !drivers.contains(sort) else { return approach }
    if try isSelective(selection) {
      approach.hidesSort = true
    } else {
      try want(sort, table, &approach)
      if try has(sort, table) {
        approach.hiddenKeys = Set(drivers.map(\.key))
      }
    }
    return approach
  }

  private func has(_ index: PhysicalIndex?, _ table: TypeTable) throws(StoreError) -> Bool {
    guard let index else { return false }
    return try sql { () throws(SQLiteError) in
      try catalog.indexNames(of: table).contains(index.name)
    }
  }

  private func want(
    _ index: PhysicalIndex, _ table: TypeTable, _ approach: inout QueryApproach
  ) throws(StoreError) {
    if approach.missing.contains(index) { return }
    guard try !has(index, table), try isLarge(table) else { return }
    approach.missing.append(index)
  }

  /// Whether few records are found by the indexes, as far as they have to be counted to know:
  /// SQLite of itself has no idea (design.md §4).
  private func isSelective(_ selection: RecordSelection) throws(StoreError) -> Bool {
    guard let driving = selection.predicate.driving else { return true }
    let members = try sql { () throws(SQLiteError) in
      try catalog.memberIndexes(of: selection.table)
    }
    let compiled = PredicateCompiler(table: selection.table, members: members).compile(driving)
    return try sql { () throws(SQLiteError) in
      try prepareDistance(compiled, [])
      var sql = SQLFragment("SELECT count(*) FROM (SELECT 1 FROM \(selection.table.table) t")
      sql += zoneCondition(selection, isHidden: false) + SQLFragment(" AND (") + compiled.sql
      sql += ") LIMIT \(manyRecords))"
      let statement = try connection.transientStatement(sql.sql)
      statement.bind(sql.bindings)
      return try statement.step() && statement.int64(0) < manyRecords
    }
  }
}

extension Predicate {
  /// The part that indexes find records by; nil where it is no plain AND of comparisons.
  fileprivate var driving: Predicate? {
    switch self {
    case .and(let parts, let span):
      let driving = parts.filter { !$0.drivers.isEmpty }
      return driving.contains { if case .comparison = $0 { false } else { true } }
        ? nil : .and(driving, span)
    case .comparison: return self
    case .constant, .or, .not: return nil
    }
  }
}
