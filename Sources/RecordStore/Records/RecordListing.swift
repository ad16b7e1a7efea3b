internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// Which records of a type are visible.
public enum VisibleRows: Sendable {
  case all
  /// Those whose authors have these row numbers.
  case ofAuthors(Set<Int64>)
  /// Those with these numbers.
  case numbered(Set<Int64>)

  /// Whether the record of a row is one of them.
  func has(_ row: Statement) -> Bool {
    switch self {
    case .all: true
    case .ofAuthors(let authors): authors.contains(row.int64(SystemColumns.creator))
    case .numbered(let numbers): numbers.contains(row.int64(0))
    }
  }
}

/// Called for each damaged record or zone that a read skips.
public typealias DamageReporter = (StoreError) throws -> Void

/// The visible rows of a zone's records, one after the other.
private struct SeenRows {
  private let store: EnvironmentStore
  private let wanted: ZoneRows.Wanted
  private let records: ZoneRows
  private var (type, seen): (Int64?, VisibleRows) = (nil, .all)
  private var found = ZoneSum()

  init(_ wanted: ZoneRows.Wanted, _ store: EnvironmentStore) throws(StoreError) {
    (self.wanted, self.store) = (wanted, store)
    records = try ZoneRows(wanted, store)
  }

  /// Moves to the next row; nil at the end, where the zone's count and sum are compared. Throws
  /// `StoreError`, and the errors of `visible` and `damaged`.
  mutating func next(
    _ visible: (TypeTable) throws -> VisibleRows, _ damaged: DamageReporter
  ) throws -> ZoneRows.Rows? {
    while try records.next() {
      try store.checkInterrupt()
      if let table = records.rows?.table, type != table.number {
        (type, seen) = (table.number, try visible(table))
      }
      guard records.isSound, let rows = records.rows else {
        found.hasDamage = true
        // Names of invisible records must not be revealed.
        if records.rows.map({ seen.has($0.statement) }) ?? true {
          try damaged(.damaged(records.name, in: wanted.zone.zone.id))
        }
        continue
      }
      found.add(UInt64(bitPattern: rows.statement.int64(SystemColumns.checksum)))
      if seen.has(rows.statement) { return rows }
    }
    records.end()
    if let error = try damage() { try damaged(error) }
    return nil
  }

  /// The damage of a zone, or of a type in it, whose records were all read; nil for none.
  private func damage() throws(StoreError) -> StoreError? {
    // Changes of this transaction are added to the sums at its end.
    guard wanted.prefix.isEmpty, store.state.changes == nil, !found.hasDamage else { return nil }
    guard let type = wanted.type else { return found.damage(of: wanted.zone) }
    return store.damage(of: type, in: [wanted.zone], found: found.found)
  }

  /// Ends reading before the last row.
  func end() { records.end() }
}

/// The records of a zone in the byte order of their names, read one by one within a transaction.
public struct RecordCursor {
  private let store: EnvironmentStore
  private let zone: StoredZone
  private let visible: (TypeTable) throws -> VisibleRows
  private var rows: SeenRows

  /// Begins before the first record; `visible` returns which of a type are visible.
  public init(
    _ zone: StoredZone, of store: EnvironmentStore,
    visible: @escaping (TypeTable) throws -> VisibleRows
  ) throws(StoreError) {
    (self.store, self.zone, self.visible) = (store, zone, visible)
    rows = try SeenRows(ZoneRows.Wanted(zone: zone), store)
  }

  /// The next record that is not a share; nil at the end. Throws `StoreError`, also for a damaged
  /// record or zone, and the errors of `visible`.
  public mutating func next() throws -> Record? {
    while let row = try rows.next(visible, { throw $0 }) {
      if row.table.schema.name != .share { return try store.record(in: row, of: zone) }
    }
    return nil
  }
}

extension EnvironmentStore {
  /// Passes the records of a zone to `body` in the byte order of their names or its reverse, of one
  /// type or of all, whose names begin with a prefix, until `body` returns false; `visible` returns
  /// which of a type are visible. Throws `StoreError`, and the errors of `body` and `damaged`.
  public func list(
    _ zone: StoredZone, type: TypeTable? = nil, beginningWith prefix: String = "",
    isDescending: Bool = false,
    visible: (TypeTable) throws -> VisibleRows = { _ in .all },
    damaged: DamageReporter = { throw $0 },
    _ body: (Record) throws -> Bool
  ) throws {
    let wanted = ZoneRows.Wanted(
      zone: zone, type: type, prefix: prefix, isDescending: isDescending)
    try read(wanted, visible, damaged) { rows in try body(record(in: rows, of: zone)) }
  }

  /// Passes the rows of visible records to `body`, until it returns false.
  private func read(
    _ wanted: ZoneRows.Wanted, _ visible: (TypeTable) throws -> VisibleRows,
    _ damaged: DamageReporter, _ body: (ZoneRows.Rows) throws -> Bool
  ) throws {
    var records = try SeenRows(wanted, self)
    while let rows = try records.next(visible, damaged) {
      if try !body(rows) { return records.end() }
    }
  }

  fileprivate func record(
    in rows: ZoneRows.Rows, of zone: StoredZone
  ) throws(StoreError) -> Record {
    var stored = try stored(in: rows.statement, rows.table, zone.zone.id)
    stored.record.fields = FieldReader(rows.table).fields(
      in: rows.statement, from: SystemColumns.count)
    return stored.record
  }

  /// Passes views of the records of a zone to `body` in the byte order of their names, of one type
  /// or of all, until `body` returns false; `visible` returns which of a type are visible. Throws
  /// `StoreError`, and the errors of `body` and `damaged`.
  public func view(
    _ zone: StoredZone, type: TypeTable? = nil,
    visible: (TypeTable) throws -> VisibleRows = { _ in .all },
    damaged: DamageReporter = { throw $0 },
    _ body: (RecordView) throws -> Bool
  ) throws {
    var views: [Int64: RecordViewReader] = [:]
    var reader: RecordViewReader?
    try read(ZoneRows.Wanted(zone: zone, type: type), visible, damaged) { rows in
      if reader?.table !== rows.table {
        reader = views[rows.table.number] ?? RecordViewReader(rows.table, zone.zone.id)
        views[rows.table.number] = reader
      }
      guard let reader else { return false }
      reader.look(at: rows.statement)
      return try body(reader.view)
    }
  }

  /// The numbers of the zones that have records of a type, each with whether one of these has a
  /// parent.
  public func extent(
    of table: TypeTable
  ) throws(StoreError) -> [(zone: Int64, hasParents: Bool)] {
    let statement = try connection.query(
      "SELECT _zone, max(_parent IS NOT NULL) FROM \(table.table) GROUP BY _zone")
    var zones: [(Int64, Bool)] = []
    while try statement.next() { zones.append((statement.int64(0), statement.int64(1) != 0)) }
    return zones
  }

  /// The number of records of a type in all zones.
  public func recordCount(of table: TypeTable) throws(StoreError) -> Int {
    Int(try connection.number("SELECT count(*) FROM \(table.table)") ?? 0)
  }

  /// The number of records with a value in a field of their type.
  public func valueCount(
    of field: FieldName, in table: TypeTable
  ) throws(StoreError) -> Int {
    guard let column = table.column(field.text) else { return 0 }
    let part = column.parts[0].name
    return Int(
      try connection.number(
        "SELECT count(*) FROM \(table.table) WHERE \(part) IS NOT NULL") ?? 0)
  }

  /// The number of visible records of a type in a zone. Throws `StoreError`, `damagedZone` if they
  /// are not those that were saved.
  public func count(
    _ table: TypeTable, in zone: StoredZone, _ visible: VisibleRows = .all
  ) throws(StoreError) -> Int {
    let condition: String
    switch visible {
    case .all: condition = ""
    case .ofAuthors(let authors):
      let list = authors.sorted().map(String.init).joined(separator: ", ")
      condition = " AND _creator IN (\(list))"
    case .numbered(let numbers): return numbers.count
    }
    let statement = try connection.query(
      "SELECT count(*) FROM \(table.table) WHERE _zone = ?\(condition)")
    statement.bind(zone.number, 1)
    let count = try statement.next() ? Int(statement.int64(0)) : 0
    if condition.isEmpty, let damage = damage(of: table, in: [zone], counted: count) {
      throw damage
    }
    return count
  }
}
