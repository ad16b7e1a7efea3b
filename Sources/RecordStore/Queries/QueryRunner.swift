internal import Basics
public import CloudModel
internal import PredicateLanguage
internal import SQLite
public import StoreFiles

/// A request to the store: records of one type in some zones.
public struct RecordSelection {
  /// The type's table.
  public var table: TypeTable
  /// The zones to search.
  public var zones: [StoredZone]
  /// The condition, bound to the type (`PredicateBinder`).
  public var predicate: Predicate
  /// The order; ties, and selections without an order, go by the records' numbers.
  public var sort: [SortKey] = []
  /// The place to continue after; nil from the beginning.
  public var after: QueryPlace?
  /// The maximum number of records; nil for all.
  public var limit: Int?
  /// The fields to search for words; nil for all.
  public var searched: [FieldName]?
  /// The fields to read; nil for all.
  public var keys: [FieldName]?

  /// The participant, in the shared database: the records are limited to those that accepted shares
  /// cover, except in zones that are shared as a whole.
  public var audience: Audience?

  /// A participant who reads the zones of others.
  public struct Audience {
    let user: UserRecordName
    let zone: StoredZone?
    private let wholeZones: [Int64]

    /// A user, with the zone that is read, nil for several, and the zones that are shared as a
    /// whole.
    public init(_ user: UserRecordName, zone: StoredZone?, wholeZones: [StoredZone]) {
      (self.user, self.zone, self.wholeZones) = (user, zone, wholeZones.map(\.number))
    }

    /// Whether all of a zone is visible.
    func seesAll(of zone: StoredZone) -> Bool { wholeZones.contains(zone.number) }
  }

  /// The audience, if it does not see all of the zones.
  var narrowAudience: Audience? {
    guard let audience, !zones.allSatisfy({ audience.seesAll(of: $0) }) else { return nil }
    return audience
  }

  /// Whether it has all records of the type in its zones, if it is read to its end.
  var isWhole: Bool {
    guard case .constant(true, _) = predicate else { return false }
    return after == nil && audience == nil
  }

  /// Describes a selection.
  public init(table: TypeTable, zones: [StoredZone], predicate: Predicate) {
    self.table = table
    self.zones = zones
    self.predicate = predicate.mergingEqualities(of: table.schema)
  }
}

/// A record that a query has found.
public enum FoundRecord {
  /// The record itself.
  case record(Record)
  /// A view of its row, valid until the next one is found.
  case view(RecordView)
}

extension EnvironmentStore {
  /// Passes each selected record to `body`, with a function that reads its place, until `body`
  /// returns false. With `asViews` it passes views, unless a filter must read the records.
  ///
  /// Throws `StoreError`, `PredicateError` for values that do not fit, and the errors of `body` and
  /// `damaged`.
  public func select(
    _ selection: RecordSelection, _ approach: QueryApproach, asViews: Bool = false,
    damaged: DamageReporter = { throw $0 },
    _ body: (FoundRecord, () -> QueryPlace) throws -> Bool
  ) throws {
    var page = Optional(selection)
    var sum = selection.isWhole ? Extent() : nil
    while let current = page {
      page = try select(page: current, approach, asViews, &sum, damaged, body)
    }
    if let sum, sum.count != selection.limit,
      let error = damage(of: selection.table, in: selection.zones, found: sum)
    {
      try damaged(error)
    }
  }

  /// Returns the page that replaces damaged records; nil for none. Adds the records to `sum`, which
  /// becomes nil if some are not read.
  private func select(
    page selection: RecordSelection, _ approach: QueryApproach, _ asViews: Bool,
    _ sum: inout Extent?, _ damaged: DamageReporter,
    _ body: (FoundRecord, () -> QueryPlace) throws -> Bool
  ) throws -> RecordSelection? {
    let query = try QueryStatement(selection, approach, self)
    let views = asViews && query.filter == nil ? QueryViews(query.rows, self) : nil
    var (last, leftOut, isEnded): (QueryPlace?, Int, Bool) = (nil, 0, false)
    try select(query) { row in
      defer { if leftOut > 0 { last = query.rows.place(in: row) } }
      let found: FoundRecord
      do {
        if let views {
          found = .view(try views.view(of: row))
        } else {
          guard let record = try query.record(in: row, self) else { return true }
          found = .record(record)
        }
      } catch let error as StoreError where error.isDamageOfPart {
        leftOut += 1
        try damaged(error)
        return true
      }
      sum? += Extent(count: 1, checksum: query.rows.checksum(of: row))
      isEnded = try !body(found) { query.rows.place(in: row) }
      return !isEnded
    }
    if isEnded || leftOut > 0 { sum = nil }
    // SQL has counted the skipped ones as a part of the page.
    guard leftOut > 0, !isEnded, selection.limit != nil, let last else { return nil }
    var next = selection
    (next.after, next.limit) = (last, leftOut)
    return next
  }

  /// Passes each row to `body`, until it returns false.
  func select(_ query: QueryStatement, _ body: (Statement) throws -> Bool) throws {
    try prepareDistance(query.selection)
    for stretch in query.order.stretches(after: query.selection.after) {
      let sql = query.sql(stretch)
      let row = try connection.taken(sql.sql)
      defer { connection.giveBack(row) }
      row.bind(sql.bindings)
      while try row.next() {
        try checkInterrupt()
        guard try body(row) else { return }
      }
      try checkInterrupt()
    }
  }

  /// The number of records of a selection. Throws `StoreError`, `damagedZone` if all records of a
  /// type are not those that were saved.
  public func count(_ selection: RecordSelection, _ approach: QueryApproach) throws -> Int {
    var names = selection
    names.keys = []
    names.limit = nil
    let query = try QueryStatement(names, approach, self)
    if let filter = query.filter {
      var count = 0
      try select(query) { row in
        if try filter.matches(query.rows, row) { count += 1 }
        return true
      }
      return count
    }
    try prepareDistance(query.selection)
    let row = try statement(query.counting)
    let count = try row.next() ? Int(row.int64(0)) : 0
    if selection.isWhole,
      let error = damage(of: selection.table, in: selection.zones, counted: count)
    {
      throw error
    }
    return count
  }

  /// Makes the SQL function that a selection with distances calls.
  func prepareDistance(_ selection: RecordSelection) throws(StoreError) {
    guard selection.predicate.hasDistances || selection.sort.contains(where: { $0.origin != nil })
    else { return }
    try onSQLite { () throws(SQLiteError) in
      try connection.addFunction(PlaceDistance.function) { Location.distance($0, $1, $2, $3) }
    }
  }

  func statement(_ sql: SQLFragment) throws(StoreError) -> Statement {
    let statement = try connection.query(sql.sql)
    statement.bind(sql.bindings)
    return statement
  }
}
