public import CloudModel
internal import SQLite

/// A record with its place in the store.
public struct StoredRecord: Sendable {
  /// The number of its rows.
  public let number: Int64
  /// The record.
  public var record: Record
  /// The sequence number of its last change.
  public let sequence: Int64
  let zone: Int64
  let type: Int64
  let creator: Int64
  let checksum: UInt64
}

/// The columns of `_record` that a record is read from, and how.
enum RecordColumns {
  static let list = """
    r._id, r.zone, r.name, r.type, r.sequence, r.created, r.creator, r.modified, r.modifier, \
    r.parent, r.share, r.checksum
    """
  static let count = 12
}

extension EnvironmentStore {
  /// A record by its name; nil for none. `keys` limits the fields that are read.
  /// Throws `StoreError`.
  public func record(
    _ name: RecordName, in zone: StoredZone, keys: [FieldName]? = nil
  ) throws(StoreError) -> StoredRecord? {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT \(RecordColumns.list) FROM _record r WHERE r.zone = ? AND r.name = ?")
      statement.bind(zone.number, 1)
      statement.bind(name.text, 2)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      guard let table = try catalog.table(number: statement.int64(3)) else {
        throw SQLiteError(code: 11, message: "a record has an unknown type")
      }
      var stored = try stored(in: statement, table, zone.zone.name)
      stored.record.fields = try fields(of: stored.number, table, keys)
      return stored
    }
  }

  /// Reads the columns of `_record`; the fields are left empty.
  func stored(
    in row: Statement, _ table: TypeTable, _ zone: ZoneName
  ) throws(SQLiteError) -> StoredRecord {
    var record = Record(
      name: RecordName(stored: row.text(2)), type: table.schema.name, zone: zone)
    record.changeTag = ChangeTag(sequence: row.int64(4))
    record.created = try stamp(row, 5)
    record.modified = try stamp(row, 7)
    if !row.isNull(9) { record.parent = RecordName(stored: row.text(9)) }
    if !row.isNull(10) { record.share = RecordName(stored: row.text(10)) }
    return StoredRecord(
      number: row.int64(0), record: record, sequence: row.int64(4), zone: row.int64(1),
      type: row.int64(3), creator: row.int64(6),
      checksum: UInt64(bitPattern: row.int64(11)))
  }

  private func stamp(_ row: Statement, _ column: Int) throws(SQLiteError) -> Record.Stamp {
    Record.Stamp(
      at: Timestamp(milliseconds: row.int64(column)), by: try users.name(row.int64(column + 1)))
  }

  private func fields(
    of number: Int64, _ table: TypeTable, _ keys: [FieldName]?
  ) throws(SQLiteError) -> RecordFields {
    let reader = FieldReader(table, keys: keys)
    guard !reader.columns.isEmpty else { return RecordFields() }
    let statement = try keys == nil ? table.selection(on: connection) : row(reader, table)
    statement.bind(number, 1)
    guard try statement.step() else {
      throw SQLiteError(code: 11, message: "a record has no row in \(table.table)")
    }
    defer { statement.reset() }
    return reader.fields(in: statement, from: 0)
  }
}

extension EnvironmentStore {
  fileprivate func row(
    _ reader: FieldReader, _ table: TypeTable
  ) throws(SQLiteError) -> Statement {
    try connection.transientStatement(
      "SELECT \(reader.list) FROM \(table.table) t WHERE t._id = ?")
  }
}

extension TypeTable {
  fileprivate func selection(on connection: Connection) throws(SQLiteError) -> Statement {
    if let selection { return selection }
    let statement = try connection.transientStatement(
      "SELECT \(FieldReader(self, keys: nil).list) FROM \(table) t WHERE t._id = ?")
    selection = statement
    return statement
  }
}

/// Reads the fields of a type, or some of them, from rows.
struct FieldReader {
  let columns: [FieldColumn]

  init(_ table: TypeTable, keys: [FieldName]?) {
    if let keys {
      let names = Set(keys)
      columns = table.columns.filter { names.contains($0.schema.name) }
    } else {
      columns = table.columns
    }
  }

  /// The columns' names for a SELECT from a table `t`.
  var list: String {
    columns.flatMap(\.parts).map { "t." + $0.name }.joined(separator: ", ")
  }

  func fields(in row: Statement, from first: Int) -> RecordFields {
    var entries: [RecordFields.Entry] = []
    entries.reserveCapacity(columns.count)
    var place = first
    for column in columns {
      if let value = column.value(in: row, at: place) {
        entries.append(RecordFields.Entry(column.schema.name, value))
      }
      place += column.parts.count
    }
    return RecordFields(sorted: entries)
  }
}
