internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The rows of a zone's records in the order of their names, each verified.
///
/// Records of all types are found one by one, in the tables of their types; those of one type come
/// from one statement, which is faster.
final class ZoneRows {
  /// Which records.
  struct Wanted {
    var zone: StoredZone
    /// Of one type, or of all.
    var type: TypeTable?
    /// The prefix of their names.
    var prefix = ""
    var isDescending = false

    /// Whether they are all records of the zone.
    var isWhole: Bool { type == nil && prefix.isEmpty }
  }

  /// The rows of one type.
  final class Rows {
    let table: TypeTable
    /// It has the system columns, then all fields.
    let statement: Statement
    init(_ table: TypeTable, _ statement: Statement) {
      (self.table, self.statement) = (table, statement)
    }
  }

  private let store: EnvironmentStore
  private let wanted: Wanted
  private let names: Statement
  /// The column of `names` with the name.
  private let nameColumn: Int
  private var known: [Int64: Rows] = [:]

  /// The current record's row; nil if its type does not exist.
  private(set) var rows: Rows?
  /// Whether the current record exists and matches its checksum.
  private(set) var isSound = false

  init(_ wanted: Wanted, _ store: EnvironmentStore) throws(StoreError) {
    self.store = store
    self.wanted = wanted
    let columns = wanted.type.map { "\(SystemColumns.list)\(FieldReader($0).list), r.name" }
    let names = try wanted.statement(columns ?? "r.name, r._id, r.type", on: store.connection)
    self.names = names
    nameColumn = wanted.type.map { SystemColumns.count + FieldReader($0).width } ?? 0
    rows = wanted.type.map { Rows($0, names) }
  }

  /// The current record's name.
  var name: RecordName { RecordName(stored: names.text(nameColumn)) }

  /// Moves to the next record; returns false at the end.
  func next() throws(StoreError) -> Bool {
    // A statement that stays at a row slows every other one.
    if wanted.type == nil { rows?.statement.reset() }
    guard try names.next() else { return false }
    if wanted.type != nil {
      isSound = rows.map(fits) ?? false
    } else {
      rows = try rows(of: names.int64(2))
      isSound = try rows.map { (rows) throws(StoreError) in try find(in: rows) } ?? false
    }
    return true
  }

  /// Ends reading before the last record.
  func end() {
    names.reset()
    rows?.statement.reset()
  }

  /// Moves to the row of the current record; returns false if it does not exist or does not match
  /// its checksum.
  private func find(in rows: Rows) throws(StoreError) -> Bool {
    rows.statement.bind(names.int64(1), 1)
    return try rows.statement.next() && fits(rows)
  }

  private func fits(_ rows: Rows) -> Bool {
    let row = rows.statement
    return rows.table.isSound(row) && row.int64(SystemColumns.zone) == wanted.zone.number
      && row.value(SystemColumns.name).utf8.isEqual(names.value(nameColumn).utf8)
  }

  private func rows(of type: Int64) throws(StoreError) -> Rows? {
    if let rows, rows.table.number == type { return rows }
    if let known = known[type] { return known }
    guard let table = try store.catalog.table(number: type) else { return nil }
    let statement = try store.connection.query(table.selection(FieldReader(table)))
    let rows = Rows(table, statement)
    known[type] = rows
    return rows
  }
}

extension ZoneRows.Wanted {
  fileprivate func statement(
    _ columns: String, on connection: Connection
  ) throws(StoreError) -> Statement {
    // Names are ASCII: a text greater than all with a prefix is the prefix and a greater byte.
    let statement = try connection.query(
      """
      SELECT \(columns) FROM _record r\
      \(type.map { " LEFT JOIN \($0.table) t ON t._id = r._id" } ?? "") WHERE r.zone = ?1\
      \(type == nil ? "" : " AND r.type = ?2")\
      \(prefix.isEmpty ? "" : " AND r.name >= ?3 AND r.name < ?3 || char(127)") ORDER BY r.name\
      \(isDescending ? " DESC" : "")
      """)
    statement.bind(zone.number, 1)
    if let type { statement.bind(type.number, 2) }
    if !prefix.isEmpty { statement.bind(prefix, 3) }
    return statement
  }
}
