internal import Basics
public import CloudModel
internal import SQLite

extension EnvironmentStore {
  /// Gives the records of a zone to `body` in the byte order of their names, of one type or of
  /// all, until `body` returns false. Throws `StoreError`, and what `body` throws.
  public func list(
    _ zone: StoredZone, type: TypeTable? = nil, _ body: (Record) throws -> Bool
  ) throws {
    let records = try names(zone, type)
    var rows: [Int64: (table: TypeTable, reader: FieldReader, row: Statement)] = [:]
    while try sql({ () throws(SQLiteError) in try records.step() }) {
      let record = try sql { () throws(SQLiteError) in
        let number = records.int64(2)
        if rows[number] == nil {
          let table = try table(of: number)
          let reader = FieldReader(table, keys: nil)
          rows[number] = (
            table, reader, try connection.transientStatement(table.selection(reader))
          )
        }
        guard let (table, reader, row) = rows[number] else { preconditionFailure("just made") }
        row.bind(records.int64(0), 1)
        try row.stepToRow(of: table)
        defer { row.reset() }
        var stored = try stored(in: row, table, zone.zone.name)
        stored.record.fields = reader.fields(in: row, from: SystemColumns.count)
        return stored.record
      }
      guard try body(record) else { return records.reset() }
    }
  }

  /// The records' numbers, names and types in the byte order of the names.
  private func names(_ zone: StoredZone, _ type: TypeTable?) throws(StoreError) -> Statement {
    try sql { () throws(SQLiteError) in
      let statement = try connection.transientStatement(
        """
        SELECT _id, name, type FROM _record WHERE zone = ?\
        \(type == nil ? "" : " AND type = ?") ORDER BY name
        """)
      statement.bind(zone.number, 1)
      if let type { statement.bind(type.number, 2) }
      return statement
    }
  }

  /// Gives views of the records of a zone to `body` in the byte order of their names, of one
  /// type or of all, until `body` returns false. Throws `StoreError`, and what `body` throws.
  public func view(
    _ zone: StoredZone, type: TypeTable? = nil, _ body: (RecordView) throws -> Bool
  ) throws {
    let records = try names(zone, type)
    var readers: [Int64: ViewReader] = [:]
    var isWanted = true
    while try isWanted && sql({ () throws(SQLiteError) in try records.step() }) {
      let reader = try sql { () throws(SQLiteError) in
        let number = records.int64(2)
        if let known = readers[number] { return known }
        let table = try table(of: number)
        let row = try connection.transientStatement(
          """
          SELECT t._parent\(FieldReader(table, keys: nil).list) FROM \(table.table) t
          WHERE t._id = ?
          """)
        let made = ViewReader(table, row, zone.zone.name)
        readers[number] = made
        return made
      }
      try sql { () throws(SQLiteError) in try reader.read(records) }
      isWanted = try body(reader.view)
      reader.row.reset()
      if Interrupt.isRaised { throw StoreError(.interrupted, "interrupted") }
    }
  }

  /// The numbers of the zones that have records of a type, and whether one there has a parent.
  /// Throws `StoreError`.
  public func extent(
    of table: TypeTable
  ) throws(StoreError) -> [(zone: Int64, hasParents: Bool)] {
    try sql { () throws(SQLiteError) in
      let statement = try connection.transientStatement(
        "SELECT _zone, max(_parent IS NOT NULL) FROM \(table.table) GROUP BY _zone")
      var zones: [(Int64, Bool)] = []
      while try statement.step() { zones.append((statement.int64(0), statement.int64(1) != 0)) }
      return zones
    }
  }

  /// How many records a type has in all zones. Throws `StoreError`.
  public func recordCount(of table: TypeTable) throws(StoreError) -> Int {
    try sql { () throws(SQLiteError) in
      Int(try connection.integer("SELECT count(*) FROM \(table.table)") ?? 0)
    }
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
  private let table: TypeTable

  init(_ table: TypeTable, _ row: Statement, _ zone: ZoneName) {
    self.row = row
    self.table = table
    columns = table.columns
    var place = 1
    sights = columns.map { column in
      defer { place += column.parts.count }
      return (column.sight, place)
    }
    view = RecordView(schema: table.schema, zone: zone)
  }

  func read(_ record: Statement) throws(SQLiteError) {
    row.bind(record.int64(0), 1)
    try row.stepToRow(of: table)
    view.name = record.utf8(1)
    view.parent = row.isNull(0) ? nil : RecordName(stored: row.text(0))
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
