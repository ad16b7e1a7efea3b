internal import Basics
public import CloudModel
internal import SQLite

extension EnvironmentStore {
  /// Gives the records of a zone to `body` in the byte order of their names, of one type or of
  /// all, until `body` returns false. Throws `StoreError`, and what `body` throws.
  public func list(
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

  /// Gives views of the records of a zone to `body` in the byte order of their names, of one
  /// type or of all, until `body` returns false. Throws `StoreError`, and what `body` throws.
  public func view(
    _ zone: StoredZone, type: TypeTable? = nil, _ body: (RecordView) throws -> Bool
  ) throws {
    let records = try sql { () throws(SQLiteError) in
      let statement = try connection.transientStatement(
        """
        SELECT r._id, r.name, r.type, r.parent FROM _record r WHERE r.zone = ?\
        \(type == nil ? "" : " AND r.type = ?") ORDER BY r.name
        """)
      statement.bind(zone.number, 1)
      if let type { statement.bind(type.number, 2) }
      return statement
    }
    var readers: [Int64: ViewReader] = [:]
    var isWanted = true
    while try isWanted && sql({ () throws(SQLiteError) in try records.step() }) {
      let reader = try sql { () throws(SQLiteError) in
        let number = records.int64(2)
        if let known = readers[number] { return known }
        guard let table = try catalog.table(number: number) else {
          throw SQLiteError(code: 11, message: "a record has an unknown type")
        }
        let (fields, row) = try fieldRow(table)
        let made = ViewReader(table, fields, row, zone.zone.name)
        readers[number] = made
        return made
      }
      try sql { () throws(SQLiteError) in try reader.read(records) }
      isWanted = try body(reader.view)
      reader.row.reset()
      if Interrupt.isRaised { throw StoreError(.interrupted, "interrupted") }
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
  public func count(_ table: TypeTable, in zone: StoredZone) throws(StoreError) -> Int {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT count(*) FROM \(table.table) WHERE _zone = ?")
      statement.bind(zone.number, 1)
      defer { statement.reset() }
      return try statement.step() ? Int(statement.int64(0)) : 0
    }
  }
}

/// Reads views of one type's records.
private final class ViewReader {
  let row: Statement
  private(set) var view: RecordView
  private let columns: [FieldColumn]
  /// How each value is looked at, and in which column it begins.
  private let sights: [(sight: FieldColumn.Sight, place: Int)]
  private let table: String

  init(_ table: TypeTable, _ fields: FieldReader, _ row: Statement, _ zone: ZoneName) {
    self.row = row
    self.table = table.table
    columns = fields.columns
    var place = 1
    sights = fields.columns.map { column in
      defer { place += column.parts.count }
      return (column.sight, place)
    }
    view = RecordView(schema: table.schema, zone: zone)
  }

  func read(_ record: Statement) throws(SQLiteError) {
    row.bind(record.int64(0), 1)
    guard try row.step() else {
      throw SQLiteError(code: 11, message: "a record has no row in \(table)")
    }
    view.name = record.utf8(1)
    view.parent = record.isNull(3) ? nil : RecordName(stored: record.text(3))
    look(&view.values)
  }

  private func look(_ values: inout [RecordView.Value]) {
    values.removeAll(keepingCapacity: true)
    for index in sights.indices {
      let (sight, place) = sights[index]
      if row.isNull(place) {
        values.append(.none)
        continue
      }
      switch sight {
      case .text: values.append(.text(row.utf8(place)))
      case .int64: values.append(.value(.int64(row.int64(place))))
      case .double: values.append(.value(.double(row.double(place))))
      case .plainList:
        let text = row.utf8(place)
        // An empty list shows no type, which whoever writes it has to know.
        values.append(text.count > 2 ? .plainList(text) : .value(.list([])))
      case .references:
        let text = row.utf8(place)
        values.append(ListText.isOfNames(text) ? .references(text) : value(index, place))
      case .other: values.append(value(index, place))
      }
    }
  }

  private func value(_ index: Int, _ place: Int) -> RecordView.Value {
    columns[index].value(in: row, at: place).map { .value($0) } ?? .none
  }
}
