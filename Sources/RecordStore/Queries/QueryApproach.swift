public import CloudModel
internal import PredicateLanguage
internal import SQLite

/// How a selection is answered with the indexes that there are.
public struct QueryApproach {
  /// Indexes that would help and are not there.
  public internal(set) var missing: [PhysicalIndex] = []
  /// Whether the sort's index must not be walked: few records match, and they are sorted.
  var hidesSort = false
  /// Whether an index of each zone gives the records in the order that is wanted.
  var isOrderedByZone = false
  /// The indexes that writers keep and that may be used.
  var kept: [PhysicalIndex] = []
  /// Whether no index of columns is of use: SQLite would take any for the zone's sake, which all
  /// begin with.
  var hidesZone = true
  /// The keys whose indexes must not be used: others find fewer records, or the sort's index is
  /// walked until there are enough.
  var hiddenKeys: Set<String> = []
  /// Whether an order by distance is gone through by the index of the places.
  var usesRings = false
  /// The part of the predicate whose index leads to the records one by one, in the order of their
  /// numbers.
  var lead: Lead?
}

/// An index that writers keep, as the first table of a join.
struct Lead {
  let index: PhysicalIndex
  /// The condition on the index `m` that gives the records, each once.
  let condition: SQLFragment
  /// Which part of an AND it answers; 0 where it answers the whole predicate.
  var place = 0
}

extension EnvironmentStore {
  /// How a selection would be answered now. Throws `StoreError`.
  public func approach(to selection: RecordSelection) throws(StoreError) -> QueryApproach {
    let table = selection.table
    var approach = QueryApproach()
    let drivers = selection.predicate.drivers.compactMap { table.index(for: $0) }
    approach.kept = try sql { () throws(SQLiteError) in try catalog.keptIndexes(of: table) }
    let first = selection.sort.first
    let isByRings = first?.origin != nil && first?.isAscending == true
    let sort = first.flatMap { $0.origin == nil || isByRings ? table.index(of: $0.key) : nil }
    for index in drivers + (sort.map { [$0] } ?? []) where !index.isKept {
      if try has(index, table) { approach.hidesZone = false }
    }
    for driver in drivers { try want(driver, table, &approach) }
    if drivers.isEmpty, let sort { try want(sort, table, &approach) }
    if approach.missing.isEmpty { try choose(Set(drivers), sort, selection, &approach) }
    let walksSort = try has(sort, table) && !approach.hidesSort
    approach.usesRings = isByRings && walksSort
    approach.isOrderedByZone =
      if selection.sort.isEmpty {
        !approach.hidesZone && approach.lead == nil
      } else {
        walksSort && !isByRings
      }
    // The rings find the places, not the circles of the predicate.
    if approach.usesRings, let sort { approach.hiddenKeys.insert(sort.key) }
    return approach
  }

  /// Chooses among the indexes of the parts of a predicate and that of the sort.
  private func choose(
    _ drivers: Set<PhysicalIndex>, _ sort: PhysicalIndex?, _ selection: RecordSelection,
    _ approach: inout QueryApproach
  ) throws(StoreError) {
    let table = selection.table
    let parts = selection.predicate.drivingParts(of: table)
    guard let first = parts.first, drivers.count > 1 || first.index != sort else { return }
    if parts.count == 1, drivers.count == 1, selection.sort.isEmpty {
      return lead(by: first, selection, &approach)
    }
    let counts = try counts(of: parts, selection, approach)
    guard
      let best = counts.enumerated().min(by: { $0.element < $1.element }).map({
        (index: parts[$0.offset].index, place: $0.offset, count: $0.element)
      })
    else { return }
    // Only the index that finds the fewest records is used, where one does.
    if best.count < countedRecords {
      approach.hiddenKeys = Set(parts.map(\.index.key)).subtracting([best.index.key])
      if selection.sort.isEmpty { lead(by: parts[best.place], selection, &approach) }
    }
    guard let sort, best.index != sort else { return }
    if try Double(best.count) <= walked(counts, table) {
      approach.hidesSort = true
    } else {
      try want(sort, table, &approach)
      if try has(sort, table) {
        approach.hiddenKeys = Set(drivers.map(\.key)).subtracting([sort.key])
      }
    }
  }

  /// Lets an index lead to the records, if it is one that can.
  private func lead(
    by part: Predicate.DrivingPart, _ selection: RecordSelection,
    _ approach: inout QueryApproach
  ) {
    let compiler = PredicateCompiler(selection, approach)
    guard var lead = compiler.lead(part.part) else { return }
    lead.place = part.place
    guard compiler.isDecisive(part.place, of: selection.predicate) else { return }
    approach.lead = lead
    approach.hiddenKeys.insert(lead.index.key)
    approach.hidesZone = true
  }

  /// How many records are walked past in the order of the sort until a page of them has matched,
  /// where indexes find so many of all for the parts of a predicate.
  private func walked(_ counts: [Int64], _ table: TypeTable) throws(StoreError) -> Double {
    let all = try recordNumber(of: table)
    let share = counts.reduce(1) { $0 * min(1, Double($1) / max(1, all)) }
    return pageRecords / max(share, 1e-9)
  }

  /// About how many records a type has at the most.
  private func recordNumber(of table: TypeTable) throws(StoreError) -> Double {
    try sql { () throws(SQLiteError) in
      let rows = table.table
      // Each by itself, or SQLite reads them all.
      return Double(
        try connection.integer(
          "SELECT (SELECT max(_id) FROM \(rows)) - (SELECT min(_id) FROM \(rows)) + 1") ?? 0)
    }
  }

  /// How many records the indexes find for the parts of a predicate, as far as they are counted:
  /// SQLite of itself has no idea (design.md §4).
  private func counts(
    of parts: [Predicate.DrivingPart], _ selection: RecordSelection, _ approach: QueryApproach
  ) throws(StoreError) -> [Int64] {
    var limit = countedRecords
    if parts.count == 1 {
      // With more of them than this, walking the sort's index is the shorter way.
      let all = try recordNumber(of: selection.table)
      limit = min(limit, Int64((pageRecords * all).squareRoot()) + 1)
    }
    var counts: [Int64] = []
    for part in parts {
      counts.append(try count(part.part, selection, approach, upTo: limit))
    }
    return counts
  }

  /// How many records a part of a predicate finds by its index, or the most that are counted.
  private func count(
    _ part: Predicate, _ selection: RecordSelection, _ approach: QueryApproach,
    upTo limit: Int64
  ) throws(StoreError) -> Int64 {
    let compiler = PredicateCompiler(selection, approach)
    var rows: SQLFragment
    let compiled = compiler.compile(part)
    if let lead = compiler.lead(part) {
      rows = SQLFragment("SELECT 1 FROM \(lead.index.identifier) m WHERE ") + lead.condition
    } else {
      let isKept = part.drivers.contains { selection.table.index(for: $0)?.isKept == true }
      rows =
        SQLFragment("SELECT 1 FROM \(selection.table.table) t WHERE ")
        + QueryStatement.isIn(selection.zones, isHidden: isKept) + SQLFragment(" AND (")
        + compiled.sql
      rows += ")"
    }
    return try sql { () throws(SQLiteError) in
      try prepareDistance(compiled, [])
      let statement = try connection.transientStatement(
        "SELECT count(*) FROM (\(rows.sql) LIMIT \(limit))")
      statement.bind(rows.bindings)
      return try statement.step() ? statement.int64(0) : 0
    }
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

  /// The order that the records of a selection without a sort come in by the index that finds
  /// them; its own sort where it has one, and none for the order of their numbers. Throws
  /// `StoreError`.
  public func naturalSort(of selection: RecordSelection) throws(StoreError) -> [SortKey] {
    let drivers = Set(selection.predicate.drivers)
    guard selection.sort.isEmpty, selection.after == nil, let driver = drivers.first,
      drivers.count == 1, driver.isRange, let index = selection.table.index(for: driver),
      try has(index, selection.table)
    else { return selection.sort }
    return [SortKey(driver.key)]
  }
}

extension TypeTable {
  /// The index that a driver of a predicate is; nil where it cannot be one.
  fileprivate func index(for driver: Driver) -> PhysicalIndex? {
    guard let index = index(of: driver.key) else { return nil }
    let isFitting =
      switch (index.kind, driver.kind) {
      case (.columns, .value), (.members, .member), (.words, .words): true
      default: false
      }
    return isFitting ? index : nil
  }
}

extension Predicate {
  /// What an index finds records by: one part of an AND, or several of one key.
  fileprivate struct DrivingPart {
    let index: PhysicalIndex
    var part: Predicate
    /// Where the first of them stands.
    let place: Int
  }

  /// The parts that indexes find records by, those by one index together; none where it is no AND
  /// of comparisons.
  fileprivate func drivingParts(of table: TypeTable) -> [DrivingPart] {
    let parts: [Predicate]
    switch self {
    case .and(let all, _): parts = all
    case .comparison: parts = [self]
    case .constant, .or, .not: return []
    }
    var found: [DrivingPart] = []
    for (place, part) in parts.enumerated() {
      guard case .comparison = part, let driver = part.drivers.first,
        let index = table.index(for: driver)
      else { continue }
      // Several members, or several searches, are several questions to one index.
      if !index.isKept, let known = found.firstIndex(where: { $0.index == index }) {
        found[known].part = .and([found[known].part, part], span)
      } else {
        found.append(DrivingPart(index: index, part: part, place: place))
      }
    }
    return found
  }
}
