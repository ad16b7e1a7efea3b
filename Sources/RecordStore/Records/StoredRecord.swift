internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

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
  let modifier: Int64
  let checksum: UInt64

  /// The part of the checksum for the system fields, with another sequence number.
  func systemChecksum(sequence: Int64) -> UInt64 {
    RecordChecksum.system(
      name: record.name, type: type, sequence: sequence,
      created: (at: record.created?.at.milliseconds ?? 0, by: creator),
      modified: (at: record.modified?.at.milliseconds ?? 0, by: modifier),
      parent: record.parent, share: record.share)
  }
}

/// The columns of a type's table `t` that all types have.
enum SystemColumns {
  static let names = [
    "_id", "_zone", "_sequence", "_created", "_creator", "_modified", "_modifier", "_parent",
    "_share", "_checksum", "_name",
  ]
  /// Those that contain text.
  static let texts: Set = ["_parent", "_share", "_name"]
  static let list = names.map { "t." + $0 }.separated(by: ", ")
  static let count = 11
  static let (zone, sequence, created, creator) = (1, 2, 3, 4)
  static let (modified, modifier) = (5, 6)
  static let (parent, share, checksum, name) = (7, 8, 9, 10)
}

extension EnvironmentStore {
  /// A record by its name; nil if there is none. `keys` limits its fields. Throws `StoreError`,
  /// `damagedRecord` if the row does not match its checksum.
  public func record(
    _ name: RecordName, in zone: StoredZone, keys: [FieldName]? = nil
  ) throws(StoreError) -> StoredRecord? {
    let names = try connection.prepared(
      "SELECT _id, type FROM _record WHERE zone = ? AND name = ?")
    names.bind(zone.number, 1)
    names.bind(name.text, 2)
    guard try names.next() else { return nil }
    let (number, type) = (names.int64(0), names.int64(1))
    names.reset()
    let found = try stored(number, type, zone, keys)
    guard let found, found.record.name == name else {
      throw .damaged(name, in: zone.zone.id)
    }
    return found
  }

  /// The record with a number and a type's number. Throws `StoreError`, `damagedRecord` if the row
  /// does not match its checksum.
  public func stored(
    numbered number: Int64, type: Int64, in zone: StoredZone, keys: [FieldName]? = nil
  ) throws(StoreError) -> StoredRecord {
    if let found = try stored(number, type, zone, keys) { return found }
    let row = "record \(number)"
    throw StoreError(.corrupt, "\(file.databasePath): \(row) of type \(type) is missing")
  }

  /// Reads the row of a record in its type's table; nil if there is none. Throws `damagedRecord` if
  /// it does not match its checksum.
  private func stored(
    _ number: Int64, _ type: Int64, _ zone: StoredZone, _ keys: [FieldName]?
  ) throws(StoreError) -> StoredRecord? {
    guard let table = try catalog.table(number: type) else { return nil }
    let row = try table.selection(on: connection)
    row.bind(number, 1)
    guard try row.next() else { return nil }
    defer { row.reset() }
    var stored = try stored(in: row, table, zone.zone.id)
    stored.record.fields = FieldReader(table).fields(in: row, from: SystemColumns.count)
    guard table.isSound(row), stored.zone == zone.number else {
      throw .damaged(stored.record.name, in: zone.zone.id)
    }
    if let keys { stored.record.fields.keep(keys) }
    return stored
  }

  /// The table of a type's number in the catalog.
  func table(of type: Int64) throws(StoreError) -> TypeTable {
    guard let table = try catalog.table(number: type) else {
      throw connection.damage("a record has an unknown type")
    }
    return table
  }

  /// Reads the system columns at the start of the row; the fields stay empty.
  func stored(
    in row: Statement, _ table: TypeTable, _ zone: ZoneID
  ) throws(StoreError) -> StoredRecord {
    let name = RecordName(stored: row.text(SystemColumns.name))
    var record = Record(name: name, type: table.schema.name, zone: zone)
    record.changeTag = ChangeTag(sequence: row.int64(2))
    record.created = try stamp(row, 3)
    record.modified = try stamp(row, 5)
    if !row.isNull(7) { record.parent = RecordName(stored: row.text(7)) }
    if !row.isNull(8) { record.share = RecordName(stored: row.text(8)) }
    return StoredRecord(
      number: row.int64(0), record: record, sequence: row.int64(2), zone: row.int64(1),
      type: table.number, creator: row.int64(4), modifier: row.int64(6),
      checksum: UInt64(bitPattern: row.int64(9)))
  }

  private func stamp(_ row: Statement, _ column: Int) throws(StoreError) -> Record.Stamp {
    let author = try users.author(row.int64(column + 1))
    return Record.Stamp(
      at: Timestamp(milliseconds: row.int64(column)), by: author.name, on: author.device)
  }
}

extension TypeTable {
  /// Reads one row by its number: the system columns, then some fields.
  func selection(_ reader: FieldReader) -> String {
    "SELECT \(SystemColumns.list)\(reader.list) FROM \(table) t WHERE t._id = ?"
  }

  func selection(on connection: Connection) throws(StoreError) -> Statement {
    if let selection { return selection }
    let statement = try connection.query(selection(FieldReader(self)))
    selection = statement
    return statement
  }
}

/// Reads the fields of a type, or some of them, from rows.
struct FieldReader {
  let columns: [FieldColumn]

  init(_ table: TypeTable, keys: [FieldName]? = nil) {
    if let keys {
      let names = Set(keys)
      columns = table.columns.filter { names.contains($0.schema.name) }
    } else {
      columns = table.columns
    }
  }

  /// The columns' names for a SELECT from a table `t`, each with a comma before it.
  var list: String {
    var list = ""
    for column in columns {
      for part in column.parts { list += ", t." + part.name }
    }
    return list
  }

  /// The number of columns.
  var width: Int { columns.reduce(0) { $0 + $1.parts.count } }

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
