public import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

extension EnvironmentStore {
  /// Drops a type with its records, which leave tombstones. Throws `StoreError`, and the errors of
  /// the journal's `select`.
  public func drop(_ table: TypeTable) throws {
    try drop(indexes(of: table), of: table)
    for (zone, _) in try extent(of: table) {
      try naming(zone) { try deleteAll(of: table, in: StoredZone(unnamed: zone)) }
    }
    // The number may be that of another type later.
    try database.run(
      EnvironmentTables.remoteRecord.update(["type": "0"]) + " WHERE type = ?", [table.number])
    state.journal?.dropped.append((table.schema.name, table.number))
    try catalog.drop(table)
  }

  /// Drops a field with its values. The records keep their change tags. Throws `StoreError`.
  public func dropField(_ name: FieldName, of table: TypeTable) throws {
    guard let column = table.column(name.text) else { return }
    for (number, zone) in try rows(of: table, where: "\(column.parts[0].name) IS NOT NULL") {
      let old = try stored(number, table, in: zone)
      guard let value = old.record.fields[name] else { continue }
      var record = old.record
      record.fields[name] = nil
      let difference = 0 &- RecordChecksum.value(value, salt: column.salt)
      try database.run(
        "UPDATE \(table.table) SET _checksum = ? WHERE _id = ?",
        [Int64(bitPattern: old.checksum &+ difference), number])
      try changeLinks(
        of: (number, record.name), table, in: zone, from: old.record.links, to: record.links)
      try changeAssets(from: old.record.fields, to: record.fields, table)
      state.changes?.note(
        zone: zone, type: table.number, Extent(checksum: difference),
        bytes: record.fields.quotaSize - old.record.fields.quotaSize)
    }
    try catalog.drop(column, of: table)
  }

  /// Changes the declared indexes of a field.
  public func setIndexes(
    _ indexes: FieldIndexes, of name: FieldName, in table: TypeTable
  ) throws(StoreError) {
    try catalog.setIndexes(indexes, of: name, in: table)
  }

  /// Changes how the numbers of a NUMBER field are shown; the values stay.
  public func setType(
    _ type: FieldType, of name: FieldName, in table: TypeTable
  ) throws(StoreError) {
    try catalog.setType(type, of: name, in: table)
  }

  /// Changes the declared indexes of a system field.
  public func setIndexes(
    _ indexes: FieldIndexes, of key: SystemKey, in table: TypeTable
  ) throws(StoreError) {
    try catalog.setIndexes(indexes, of: key, in: table)
  }

  /// The numbers of a type's rows with their zones.
  private func rows(
    of table: TypeTable, where condition: String
  ) throws(StoreError) -> [(number: Int64, zone: Int64)] {
    let statement = try connection.query(
      "SELECT _id, _zone FROM \(table.table) WHERE \(condition)")
    var rows: [(Int64, Int64)] = []
    while try statement.next() { rows.append((statement.int64(0), statement.int64(1))) }
    return rows
  }

  /// A record by its number, whatever the name of its zone.
  private func stored(
    _ number: Int64, _ table: TypeTable, in zone: Int64
  ) throws -> StoredRecord {
    try naming(zone) {
      try stored(numbered: number, type: table.number, in: StoredZone(unnamed: zone), keys: nil)
    }
  }

  /// Runs work on records of a zone known only by its row number; the error about a damaged one
  /// names the zone. Throws `StoreError`.
  func naming<T>(_ zone: Int64, _ work: () throws -> T) throws -> T {
    do { return try work() } catch let error as StoreError {
      guard case .damagedRecord(let record, _) = error.kind else { throw error }
      let name = try connection.string("SELECT name FROM _zone WHERE _id = \(zone)")
      throw StoreError.damaged(record, in: ZoneID(stored: name ?? ""))
    }
  }
}
