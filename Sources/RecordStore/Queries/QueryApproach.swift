internal import Basics
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
  /// The indexes that writers keep.
  var kept: [PhysicalIndex] = []
  /// Whether no index of columns finds the records: SQLite would take any for the zone's sake,
  /// which all begin with.
  var hidesZone = true
  /// The keys whose indexes must not be used: others find fewer records, or the sort's index is
  /// walked until there are enough.
  var hiddenKeys: Set<String> = []
  /// Whether the arms of an OR find the records, each by an index of its own.
  var findsByArms = false
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
    let drivers = Set(selection.predicate.drivers.compactMap { table.index(for: $0) })
    approach.kept = try sql { () throws(SQLiteError) in try catalog.keptIndexes(of: table) }
    let first = selection.sort.first
    let isByRings = first?.origin != nil && first?.isAscending == true
    let sort = first.flatMap { $0.origin == nil || isByRings ? table.index(of: $0.key) : nil }
    if selection.predicate.isByName {
      approach.hidesSort = true
      return approach
    }
    approach.missing = try missing(drivers.isEmpty ? Set(sort.map { [$0] } ?? []) : drivers, table)
    if approach.missing.isEmpty { try choose(drivers, sort, selection, &approach) }
    let walksSort = try has(sort, table) && !approach.hidesSort
    if walksSort { approach.hidesZone = false }
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
    let names = try sql { () throws(SQLiteError) in try catalog.indexNames(of: table) }
    let parts = selection.predicate.drivingParts(of: table).filter { part in
      part.indexes.allSatisfy { names.contains($0.name) }
    }
    guard let first = parts.first, parts.count > 1 || first.indexes != [sort] else { return }
    if parts.count == 1, selection.sort.isEmpty { return use(first, selection, &approach) }
    let counts = try counts(of: parts, selection, approach)
    guard let least = counts.min(), let best = counts.firstIndex(of: least).map({ parts[$0] })
    else { return }
    // Only the index that finds the fewest records is used, where one does.
    if least < countedRecords {
      approach.hiddenKeys = Set(parts.flatMap(\.keys)).subtracting(best.keys)
    }
    if let sort, best.indexes != [sort] {
      if try Double(least) > walked(counts, table) {
        approach.missing = try missing([sort], table)
        guard try !has(sort, table) else {
          approach.hiddenKeys = Set(drivers.map(\.key)).subtracting([sort.key])
          return
        }
      }
      approach.hidesSort = true
    }
    use(best, selection, &approach)
  }

  /// Lets the index of a part find the records: each arm of an OR its own within the zones; one
  /// that writers keep leads to them where they come by their numbers.
  private func use(
    _ part: Predicate.DrivingPart, _ selection: RecordSelection, _ approach: inout QueryApproach
  ) {
    if case .or = part.part {
      approach.findsByArms = true
      return
    }
    guard part.indexes.allSatisfy(\.isKept) else {
      approach.hidesZone = false
      return
    }
    guard selection.sort.isEmpty else { return }
    let compiler = PredicateCompiler(selection, approach)
    guard var lead = compiler.lead(part.part) else { return }
    lead.place = part.place
    guard compiler.isDecisive(part.place, of: selection.predicate) else { return }
    approach.lead = lead
    approach.hiddenKeys.insert(lead.index.key)
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
  /// SQLite of itself has no idea (DS4).
  private func counts(
    of parts: [Predicate.DrivingPart], _ selection: RecordSelection, _ approach: QueryApproach
  ) throws(StoreError) -> [Int64] {
    var limit = countedRecords
    if parts.count == 1 {
      // With more of them than this, walking the sort's index is the shorter way.
      let all = try recordNumber(of: selection.table)
      limit = min(limit, Int64((pageRecords * all).squareRoot()) + 1)
    }
    var counts = parts.map { _ in limit }
    // Arms of an OR are counted last, and nothing farther than it could be the least.
    let places = parts.indices.sorted { parts[$0].indexes.count < parts[$1].indexes.count }
    for place in places {
      counts[place] = try count(parts[place].part, selection, approach, upTo: limit)
      limit = min(limit, counts[place] + 1)
    }
    return counts
  }

  /// How many records a part of a predicate finds by its index, or the most that are counted.
  private func count(
    _ part: Predicate, _ selection: RecordSelection, _ approach: QueryApproach,
    upTo limit: Int64
  ) throws(StoreError) -> Int64 {
    var approach = approach
    if case .or = part { approach.findsByArms = true }
    let compiler = PredicateCompiler(selection, approach)
    var rows: SQLFragment
    let compiled = compiler.compile(part)
    if let lead = compiler.lead(part) {
      rows = SQLFragment("SELECT 1 FROM \(lead.index.identifier) m WHERE ") + lead.condition
    } else {
      let isZoneHidden =
        approach.findsByArms
        || part.drivers.contains { selection.table.index(for: $0)?.isKept == true }
      rows =
        SQLFragment("SELECT 1 FROM \(selection.table.table) t WHERE ")
        + QueryStatement.isIn(selection.zones, isHidden: isZoneHidden) + SQLFragment(" AND (")
        + compiled.sql
      rows += ")"
    }
    return try sql { () throws(SQLiteError) in
      try prepareDistance(selection)
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

  /// Those of some indexes that are not there and that a type is large enough for, in the byte
  /// order of their names.
  private func missing(
    _ indexes: Set<PhysicalIndex>, _ table: TypeTable
  ) throws(StoreError) -> [PhysicalIndex] {
    let names = try sql { () throws(SQLiteError) in try catalog.indexNames(of: table) }
    let missing = indexes.filter { !names.contains($0.name) }
    guard !missing.isEmpty, try isLarge(table) else { return [] }
    return missing.sorted { utf8Precedes($0.name, $1.name) }
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
  func index(for driver: Driver) -> PhysicalIndex? {
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
  /// What indexes find records by: one part of an AND, or several of one key.
  fileprivate struct DrivingPart {
    /// Several for the arms of an OR.
    let indexes: [PhysicalIndex]
    var part: Predicate
    /// Where the first of them stands.
    let place: Int

    var keys: [String] { indexes.map(\.key) }
  }

  /// The parts that indexes find records by, those by one index together.
  fileprivate func drivingParts(of table: TypeTable) -> [DrivingPart] {
    let parts: [Predicate] = if case .and(let all, _) = self { all } else { [self] }
    var found: [DrivingPart] = []
    for (place, part) in parts.enumerated() {
      let drivers = part.drivers
      let indexes = drivers.compactMap { table.index(for: $0) }
      guard !indexes.isEmpty, indexes.count == drivers.count else { continue }
      guard case .comparison = part else {
        if case .or = part {
          found.append(DrivingPart(indexes: indexes, part: part, place: place))
        }
        continue
      }
      // Several members, or several searches, are several questions to one index.
      if !indexes[0].isKept, let known = found.firstIndex(where: { $0.indexes == indexes }) {
        found[known].part = .and([found[known].part, part], span)
      } else {
        found.append(DrivingPart(indexes: indexes, part: part, place: place))
      }
    }
    return found
  }
}
