package import CloudModel
internal import SQLite

extension EnvironmentStore {
  /// Gives the records of a zone to `body` in the byte order of their names, of one type or of
  /// all, until `body` returns false. Throws `StoreError`, and what `body` throws.
  package func list(
    _ zone: StoredZone, type: TypeTable? = nil, _ body: (Record) throws -> Bool
  ) throws {
    let records = try sql { () throws(SQLiteError) in
      let statement = try connection.transientStatement(
        """
        SELECT \(RecordColumns.list) FROM _record r WHERE r.zone = ?\
        \(type == nil ? "" : " AND r.type = ?") ORDER BY r.name
        """)
      statement.bind(zone.number, 1)
      if let type { statement.bind(type.number, 2) }
      return statement
    }
    var rows: [Int64: (FieldReader, Statement)] = [:]
    while try sql({ () throws(SQLiteError) in try records.step() }) {
      let record = try sql { () throws(SQLiteError) in
        guard let table = try catalog.table(number: records.int64(3)) else {
          throw SQLiteError(code: 11, message: "a record has an unknown type")
        }
        var stored = try stored(in: records, table, zone.zone.name)
        if rows[table.number] == nil { rows[table.number] = try fieldRow(table) }
        guard let (reader, row) = rows[table.number] else { return stored.record }
        row.bind(stored.number, 1)
        guard try row.step() else {
          throw SQLiteError(code: 11, message: "a record has no row in \(table.table)")
        }
        stored.record.fields = reader.fields(in: row, from: 1)
        row.reset()
        return stored.record
      }
      guard try body(record) else { return records.reset() }
    }
  }

  private func fieldRow(_ table: TypeTable) throws(SQLiteError) -> (FieldReader, Statement) {
    let reader = FieldReader(table, keys: nil)
    let columns = reader.columns.isEmpty ? "" : ", " + reader.list
    let statement = try connection.transientStatement(
      "SELECT t._id\(columns) FROM \(table.table) t WHERE t._id = ?")
    return (reader, statement)
  }

  /// How many records a type has in a zone. Throws `StoreError`.
  package func count(_ table: TypeTable, in zone: StoredZone) throws(StoreError) -> Int {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT count(*) FROM \(table.table) WHERE _zone = ?")
      statement.bind(zone.number, 1)
      defer { statement.reset() }
      return try statement.step() ? Int(statement.int64(0)) : 0
    }
  }
}
