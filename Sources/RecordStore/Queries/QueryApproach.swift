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
  /// them; its own sort where it has one, and none for the order of their numbers. Throws
  /// `StoreError`.
  public func naturalSort(of selection: RecordSelection) throws(StoreError) -> [SortKey] {
    let drivers = Set(selection.predicate.drivers)
    guard selection.sort.isEmpty, selection.after == nil, let driver = drivers.first,
      drivers.count == 1, driver.isRange,
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
    guard approach.missing.isEmpty else { return approach }
    let counts = try counts(of: selection, approach)
    let best = counts.min { $0.count < $1.count }
    // Only the index that finds the fewest records is used, where one does.
    if let best, best.count < countedRecords {
      approach.hiddenKeys = Set(counts.map(\.key)).subtracting([best.key])
    }
    guard let sort, !drivers.contains(sort) else { return approach }
    if try Double(best?.count ?? 0) <= walked(counts.map(\.count), table) {
      approach.hidesSort = true
    } else {
      try want(sort, table, &approach)
      if try has(sort, table) { approach.hiddenKeys = Set(drivers.map(\.key)) }
    }
    return approach
  }

  /// How many records are walked past in the order of the sort until a page of them has matched,
  /// where indexes find so many of all for the parts of a predicate.
  private func walked(_ counts: [Int64], _ table: TypeTable) throws(StoreError) -> Double {
    let all = try sql { () throws(SQLiteError) in
      Double(try connection.integer("SELECT ifnull(max(_id), 0) FROM \(table.table)") ?? 0)
    }
    let share = counts.reduce(1) { $0 * min(1, Double($1) / max(1, all)) }
    return pageRecords / max(share, 1e-9)
  }

  /// How many records the indexes find for the parts of a predicate, as far as they are counted:
  /// SQLite of itself has no idea (design.md §4).
  private func counts(
    of selection: RecordSelection, _ approach: QueryApproach
  ) throws(StoreError) -> [(key: String, count: Int64)] {
    let parts = selection.predicate.drivingParts.filter { key, part in
      selection.table.index(of: key)?.isOfMembers == part.drivers.first?.isOfMembers
    }
    guard parts.count > 1 || !selection.sort.isEmpty else { return [] }
    var counts: [(key: String, count: Int64)] = []
    for (key, part) in parts { counts.append((key, try count(part, selection, approach))) }
    return counts
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

  /// How many records a part of a predicate finds by its index, or the most that are counted.
  private func count(
    _ part: Predicate, _ selection: RecordSelection, _ approach: QueryApproach
  ) throws(StoreError) -> Int64 {
    let compiled = PredicateCompiler(selection, approach).compile(part)
    return try sql { () throws(SQLiteError) in
      try prepareDistance(compiled, [])
      var sql = SQLFragment("SELECT count(*) FROM (SELECT 1 FROM \(selection.table.table) t")
      sql += zoneCondition(selection, isHidden: part.drivers.contains(where: \.isOfMembers))
      sql += SQLFragment(" AND (") + compiled.sql
      sql += ") LIMIT \(countedRecords))"
      let statement = try connection.transientStatement(sql.sql)
      statement.bind(sql.bindings)
      return try statement.step() ? statement.int64(0) : 0
    }
  }
}

extension Predicate {
  /// The parts that indexes find records by, those by one key together; none where it is no AND
  /// of comparisons.
  fileprivate var drivingParts: [(key: String, part: Predicate)] {
    let parts: [Predicate]
    switch self {
    case .and(let all, _): parts = all
    case .comparison: parts = [self]
    case .constant, .or, .not: return []
    }
    var found: [(key: String, parts: [Predicate])] = []
    for part in parts {
      guard case .comparison = part, let driver = part.drivers.first else { continue }
      if let place = found.firstIndex(where: { $0.key == driver.key }) {
        found[place].parts.append(part)
      } else {
        found.append((driver.key, [part]))
      }
    }
    return found.map { ($0.key, $0.parts.count == 1 ? $0.parts[0] : .and($0.parts, span)) }
  }
}
