internal import Basics
public import CloudModel
internal import PredicateLanguage
internal import SQLite
public import StoreFiles

/// How a selection is answered with the existing indexes.
///
/// The planner's terms:
/// - A *driver* is a key whose index can find the records of a predicate (`Driver`).
/// - A *part* of an AND is a condition with drivers (`DrivingPart`); an OR has an *arm* for each of
/// its conditions, and each arm has a driver of its own.
/// - A *lead* is an index that writers maintain, of list members or words, as the first table of a
/// join: it leads to the records one by one (`Lead`).
/// - To *walk* the sort is to read records in the order of the sort's index until a page is full.
/// - A *stretch* is a part of that order, which one condition on columns selects
/// (`QueryOrder.stretches`).
/// - A *ring* is the locations between two distances, for an order by distance (`DistanceRings`).
/// - A *witness* is a function in the SQL of a plan that counts the rows that SQLite reads
/// (`QueryStatement.witness`).
/// - A *cover* is the share of a record: it finds the few records that a participant sees.
/// - A key, the sort or the zone is *hidden* from SQLite by a `+`, which keeps SQLite from using
/// its index.
public struct QueryApproach {
  /// Indexes that would help and do not exist.
  public let missing: [PhysicalIndex]
  /// The indexes that writers maintain.
  let kept: [PhysicalIndex]
  /// What finds the records.
  let finder: Finder
  /// Whether an index of each zone returns the records in the wanted order.
  let isOrderedByZone: Bool
  /// Whether the sort's index must not be walked: few records match, and they are sorted.
  let hidesSort: Bool
  /// Whether no index of columns finds the records: SQLite would take any of them for the zone,
  /// which is the first column of each.
  let hidesZone: Bool
  /// The keys whose indexes must not be used: others find fewer records, or the sort is walked.
  let hiddenKeys: Set<String>
  /// Whether an order by distance is read ring by ring, by the index of locations.
  let usesRings: Bool

  /// Whether the rows are already known (`QueryMatcher`).
  private(set) var isByNumber = false

  /// What finds the records of a selection.
  enum Finder {
    /// No index: each record of the zones is read, in the order of the sort or of the numbers.
    case none
    /// Indexes of columns, among which SQLite chooses.
    case columns
    /// An index that writers maintain.
    case lead(Lead)
    /// The arms of an OR, each by an index of its own.
    case arms
    /// The shares that cover what the audience sees.
    case covers
  }

  /// The choice among the drivers and the sort.
  fileprivate struct Choice {
    var finder = Finder.none
    var hiddenKeys: Set<String> = []
    var hidesSort = false
    /// The sort's index, if it would help and does not exist.
    var missing: [PhysicalIndex] = []
  }

  /// Combines a choice and the sort; `sort` is the sort's index if it is walked.
  fileprivate init(
    _ choice: Choice, kept: [PhysicalIndex], walking sort: PhysicalIndex? = nil,
    of selection: RecordSelection? = nil
  ) {
    let isByRings = sort != nil && selection?.sort.first?.origin != nil
    missing = choice.missing
    self.kept = kept
    finder = choice.finder
    hidesSort = choice.hidesSort
    hidesZone = if case .columns = choice.finder { false } else { sort == nil }
    usesRings = isByRings
    // The rings find the locations, not the circles of the predicate.
    hiddenKeys =
      choice.hiddenKeys.union(choice.finder.hiddenKeys)
      .union(isByRings ? sort.map { [$0.key] } ?? [] : [])
    isOrderedByZone =
      if selection?.sort.isEmpty == true {
        !hidesZone && choice.finder.lead == nil
      } else {
        sort != nil && !isByRings
      }
  }

  /// The index that leads to the records.
  var lead: Lead? { finder.lead }

  /// Whether the shares that cover the records find them, even if nothing else does.
  var findsByCover: Bool {
    switch finder {
    case .covers, .none: !isOrderedByZone
    case .columns, .lead, .arms: false
    }
  }

  /// Whether the arms of an OR find the records.
  var findsByArms: Bool { if case .arms = finder { true } else { false } }
}

extension QueryApproach.Finder {
  fileprivate var lead: Lead? { if case .lead(let lead) = self { lead } else { nil } }

  /// No other index needs to find what a lead finds.
  fileprivate var hiddenKeys: Set<String> { lead.map { [$0.index.key] } ?? [] }
}

/// An index that writers maintain, as the first table of a join.
struct Lead {
  let index: PhysicalIndex
  /// The condition on the index `m` that returns the records, each once.
  let condition: SQLFragment
  /// Which part of an AND it answers; 0 if it answers the whole predicate.
  var place = 0
}

extension QueryApproach {
  /// Without any index: records are found by their numbers.
  static var byNumber: QueryApproach {
    var approach = QueryApproach(Choice(hidesSort: true), kept: [])
    approach.isByNumber = true
    return approach
  }
}

extension EnvironmentStore {
  /// How a selection would be answered now.
  public func approach(to selection: RecordSelection) throws(StoreError) -> QueryApproach {
    let table = selection.table
    let kept = try catalog.keptIndexes(of: table)
    if selection.predicate.isByName {
      return QueryApproach(QueryApproach.Choice(hidesSort: true), kept: kept)
    }
    let sort = selection.sortIndex
    let drivers = Set(selection.predicate.drivers.compactMap { table.index(for: $0) })
    if let audience = selection.narrowAudience, try sees(audience, fewOf: table) {
      let keys = Set(drivers.map(\.key))
      return QueryApproach(
        QueryApproach.Choice(finder: .covers, hiddenKeys: keys, hidesSort: true), kept: kept)
    }
    let missing = try missing(
      drivers.isEmpty ? Set(sort.map { [$0] } ?? []) : drivers, table)
    let choice =
      try missing.isEmpty
      ? choose(drivers, sort, selection, kept) : QueryApproach.Choice(missing: missing)
    let isWalked = try has(sort, table) && !choice.hidesSort
    return QueryApproach(choice, kept: kept, walking: isWalked ? sort : nil, of: selection)
  }

  /// Chooses among the indexes of the parts of a predicate and that of the sort.
  private func choose(
    _ drivers: Set<PhysicalIndex>, _ sort: PhysicalIndex?, _ selection: RecordSelection,
    _ kept: [PhysicalIndex]
  ) throws(StoreError) -> QueryApproach.Choice {
    let table = selection.table
    var choice = QueryApproach.Choice()
    let names = try catalog.indexNames(of: table)
    let parts = selection.predicate.drivingParts(of: table).filter { part in
      part.indexes.allSatisfy { names.contains($0.name) }
    }
    guard let first = parts.first, parts.count > 1 || first.indexes != [sort] else { return choice }
    if parts.count == 1, selection.sort.isEmpty {
      choice.finder = finder(first, selection, kept)
      return choice
    }
    let counts = try counts(of: parts, selection, kept)
    guard let least = counts.min(), let best = counts.firstIndex(of: least).map({ parts[$0] })
    else { return choice }
    // Only the index that finds the fewest records is used, if one is best.
    if least < countedRecords {
      choice.hiddenKeys = Set(parts.flatMap(\.keys)).subtracting(best.keys)
    }
    if let sort, best.indexes != [sort] {
      if try Double(least) > walked(counts, table) {
        choice.missing = try missing([sort], table)
        guard try !has(sort, table) else {
          choice.hiddenKeys = Set(drivers.map(\.key)).subtracting([sort.key])
          return choice
        }
      }
      choice.hidesSort = true
    }
    choice.finder = finder(best, selection, kept)
    return choice
  }

  /// How the index of a part finds the records: each arm of an OR its own within the zones; a lead
  /// if they come by number.
  private func finder(
    _ part: Predicate.DrivingPart, _ selection: RecordSelection, _ kept: [PhysicalIndex]
  ) -> QueryApproach.Finder {
    if case .or = part.part { return .arms }
    guard part.indexes.allSatisfy(\.isKept) else { return .columns }
    guard selection.sort.isEmpty else { return .none }
    let compiler = PredicateCompiler(selection, QueryApproach(.init(), kept: kept))
    guard var lead = compiler.lead(part.part) else { return .none }
    lead.place = part.place
    return compiler.isDecisive(part.place, of: selection.predicate) ? .lead(lead) : .none
  }

  /// How many records are read in the order of the sort until a page of them has matched, given how
  /// many of all the indexes find for the parts of a predicate.
  private func walked(_ counts: [Int64], _ table: TypeTable) throws(StoreError) -> Double {
    let all = try recordNumber(of: table)
    let share = counts.reduce(1) { $0 * min(1, Double($1) / max(1, all)) }
    return pageRecords / max(share, 1e-9)
  }

  /// An upper estimate of the number of records of a type.
  private func recordNumber(of table: TypeTable) throws(StoreError) -> Double {
    let rows = table.table
    // Count each by itself: SQLite would otherwise read them all.
    return Double(
      try connection.number(
        "SELECT (SELECT max(_id) FROM \(rows)) - (SELECT min(_id) FROM \(rows)) + 1") ?? 0)
  }

  /// How many records the indexes find for the parts of a predicate, counted up to a limit: SQLite
  /// itself does not know (DS4).
  private func counts(
    of parts: [Predicate.DrivingPart], _ selection: RecordSelection, _ kept: [PhysicalIndex]
  ) throws(StoreError) -> [Int64] {
    var limit = countedRecords
    if parts.count == 1 {
      // With more matches than this, walking the sort's index is faster.
      let all = try recordNumber(of: selection.table)
      limit = min(limit, Int64((pageRecords * all).squareRoot()) + 1)
    }
    var counts = parts.map { _ in limit }
    // Arms of an OR are counted last, and only as far as they could still be the least.
    let places = parts.indices.sorted { parts[$0].indexes.count < parts[$1].indexes.count }
    for place in places {
      counts[place] = try count(parts[place].part, selection, kept, upTo: limit)
      limit = min(limit, counts[place] + 1)
    }
    return counts
  }

  /// How many records a part of a predicate finds by its index, at most the limit of counting.
  private func count(
    _ part: Predicate, _ selection: RecordSelection, _ kept: [PhysicalIndex],
    upTo limit: Int64
  ) throws(StoreError) -> Int64 {
    var choice = QueryApproach.Choice()
    if case .or = part { choice.finder = .arms }
    let approach = QueryApproach(choice, kept: kept)
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
    try prepareDistance(selection)
    let statement = try connection.query(
      "SELECT count(*) FROM (\(rows.sql) LIMIT \(limit))")
    statement.bind(rows.bindings)
    return try statement.next() ? statement.int64(0) : 0
  }

  /// Whether an audience sees so few records of a type by their shares that each can be read.
  private func sees(
    _ audience: RecordSelection.Audience, fewOf table: TypeTable
  ) throws(StoreError) -> Bool {
    let covered = Self.coveredNumbers(of: table, in: audience.zone, seenBy: audience.user)
    let row = try connection.query(
      "SELECT count(*) FROM (\(covered.sql) LIMIT \(countedRecords))")
    row.bind(covered.bindings)
    return try row.next() ? row.int64(0) < countedRecords : true
  }

  private func has(_ index: PhysicalIndex?, _ table: TypeTable) throws(StoreError) -> Bool {
    guard let index else { return false }
    return try catalog.indexNames(of: table).contains(index.name)
  }

  /// The missing ones of some indexes, if the type is large enough for them, in the byte order of
  /// their names.
  private func missing(
    _ indexes: Set<PhysicalIndex>, _ table: TypeTable
  ) throws(StoreError) -> [PhysicalIndex] {
    let names = try catalog.indexNames(of: table)
    let missing = indexes.filter { !names.contains($0.name) }
    guard !missing.isEmpty, try isLarge(table) else { return [] }
    return missing.sorted { utf8Precedes($0.name, $1.name) }
  }

  /// The order in which the records of a selection without a sort come, by the index that finds
  /// them; the selection's own sort if it has one, and none for the order of numbers.
  public func naturalSort(of selection: RecordSelection) throws(StoreError) -> [SortKey] {
    let drivers = Set(selection.predicate.drivers)
    guard selection.sort.isEmpty, selection.after == nil, let driver = drivers.first,
      drivers.count == 1, driver.isRange, let index = selection.table.index(for: driver),
      try has(index, selection.table)
    else { return selection.sort }
    return [SortKey(driver.key)]
  }
}

extension RecordSelection {
  /// The index in whose order the first key of the sort puts the records; nil if none can. After a
  /// place, only the nearest first.
  fileprivate var sortIndex: PhysicalIndex? {
    guard let first = sort.first, first.origin == nil || first.isAscending else { return nil }
    return table.index(of: first.key)
  }
}

extension TypeTable {
  /// The index for a driver of a predicate; nil if there can be none.
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
  /// What indexes find records by: one part of an AND, or several with the same key.
  fileprivate struct DrivingPart {
    /// Several for the arms of an OR.
    let indexes: [PhysicalIndex]
    var part: Predicate
    /// The position of the first one.
    let place: Int

    var keys: [String] { indexes.map(\.key) }
  }

  /// The parts that indexes find records by, grouped by index.
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
      // Several members, or several searches, are several searches of one index.
      if !indexes[0].isKept, let known = found.firstIndex(where: { $0.indexes == indexes }) {
        found[known].part = .and([found[known].part, part], span)
      } else {
        found.append(DrivingPart(indexes: indexes, part: part, place: place))
      }
    }
    return found
  }
}
