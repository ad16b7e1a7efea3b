internal import Basics
public import CloudModel
internal import SQLite

/// Which records of a type somebody sees.
public enum VisibleRows: Sendable {
  case all
  /// Those that users made on devices, by the rows of these.
  case ofAuthors(Set<Int64>)

  func contains(author: Int64) -> Bool {
    switch self {
    case .all: true
    case .ofAuthors(let authors): authors.contains(author)
    }
  }
}

extension EnvironmentStore {
  /// Gives the records of a zone to `body` in the byte order of their names or the opposite, of one
  /// type or of all, and whose names begin with a text, until `body` returns false; `visible` tells
  /// which of a type are seen. Throws `StoreError`, and what `body` throws.
  public func list(
    _ zone: StoredZone, type: TypeTable? = nil, beginningWith prefix: String = "",
    isDescending: Bool = false,
    visible: (TypeTable) throws -> VisibleRows = { _ in .all },
    _ body: (Record) throws -> Bool
  ) throws {
    let records = try names(zone, type, prefix, isDescending: isDescending)
    var readers: [Int64: RecordReader] = [:]
    while try sql({ () throws(SQLiteError) in try records.step() }) {
      try StoreError.checkInterrupt()
      let number = records.int64(2)
      let reader: RecordReader
      if let known = readers[number] {
        reader = known
      } else {
        let table = try sql { () throws(SQLiteError) in try self.table(of: number) }
        let fields = FieldReader(table, keys: nil)
        let row = try sql { () throws(SQLiteError) in
          try connection.transientStatement(table.selection(fields))
        }
        reader = RecordReader(table: table, fields: fields, row: row, visible: try visible(table))
        readers[number] = reader
      }
      guard let record = try record(records.int64(0), reader, zone.zone.name) else { continue }
      guard try body(record) else { return records.reset() }
    }
  }

  /// Reads records of one type.
  private struct RecordReader {
    let table: TypeTable
    let fields: FieldReader
    let row: Statement
    let visible: VisibleRows
  }

  /// The record of a number; nil for one that is not seen.
  private func record(
    _ number: Int64, _ reader: RecordReader, _ zone: ZoneName
  ) throws(StoreError) -> Record? {
    try sql { () throws(SQLiteError) in
      reader.row.bind(number, 1)
      try reader.row.stepToRow(of: reader.table)
      defer { reader.row.reset() }
      var stored = try stored(in: reader.row, reader.table, zone)
      guard reader.visible.contains(author: stored.creator) else { return nil }
      stored.record.fields = reader.fields.fields(in: reader.row, from: SystemColumns.count)
      return stored.record
    }
  }

  /// The records' numbers, names and types in the byte order of the names.
  private func names(
    _ zone: StoredZone, _ type: TypeTable?, _ prefix: String, isDescending: Bool = false
  ) throws(StoreError) -> Statement {
    try sql { () throws(SQLiteError) in
      // Names are ASCII: what is greater than all of a prefix begins with it and a greater byte.
      let statement = try connection.transientStatement(
        """
        SELECT _id, name, type FROM _record WHERE zone = ?1\
        \(type == nil ? "" : " AND type = ?2")\
        \(prefix.isEmpty ? "" : " AND name >= ?3 AND name < ?3 || char(127)") ORDER BY name\
        \(isDescending ? " DESC" : "")
        """)
      statement.bind(zone.number, 1)
      if let type { statement.bind(type.number, 2) }
      if !prefix.isEmpty { statement.bind(prefix, 3) }
      return statement
    }
  }

  /// Gives views of the records of a zone to `body` in the byte order of their names, of one
  /// type or of all, until `body` returns false; `visible` tells which of a type are seen. Throws
  /// `StoreError`, and what `body` throws.
  public func view(
    _ zone: StoredZone, type: TypeTable? = nil,
    visible: (TypeTable) throws -> VisibleRows = { _ in .all },
    _ body: (RecordView) throws -> Bool
  ) throws {
    let records = try names(zone, type, "")
    var readers: [Int64: ViewReader] = [:]
    var isWanted = true
    while try isWanted && sql({ () throws(SQLiteError) in try records.step() }) {
      let number = records.int64(2)
      let reader = try readers[number] ?? viewReader(number, zone.zone.name, visible)
      readers[number] = reader
      let isSeen = try sql { () throws(SQLiteError) in try reader.read(records) }
      if isSeen { isWanted = try body(reader.view) }
      reader.row.reset()
      try StoreError.checkInterrupt()
    }
  }

  private func viewReader(
    _ type: Int64, _ zone: ZoneName, _ visible: (TypeTable) throws -> VisibleRows
  ) throws -> ViewReader {
    let table = try sql { () throws(SQLiteError) in try self.table(of: type) }
    let row = try sql { () throws(SQLiteError) in
      try connection.transientStatement(
        """
        SELECT t._parent, t._creator\(FieldReader(table, keys: nil).list) FROM \(table.table) t
        WHERE t._id = ?
        """)
    }
    return ViewReader(table, row, zone, try visible(table))
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

  /// How many records have a value in a field of their type. Throws `StoreError`.
  public func valueCount(
    of field: FieldName, in table: TypeTable
  ) throws(StoreError) -> Int {
    guard let column = table.column(field.text) else { return 0 }
    return try sql { () throws(SQLiteError) in
      let part = column.parts[0].name
      return Int(
        try connection.integer(
          "SELECT count(*) FROM \(table.table) WHERE \(part) IS NOT NULL") ?? 0)
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
  private let visible: VisibleRows

  init(_ table: TypeTable, _ row: Statement, _ zone: ZoneName, _ visible: VisibleRows) {
    self.row = row
    self.table = table
    self.visible = visible
    columns = table.columns
    var place = 2
    sights = columns.map { column in
      defer { place += column.parts.count }
      return (column.sight, place)
    }
    view = RecordView(schema: table.schema, zone: zone)
  }

  /// Reads a record; false for one that is not seen.
  func read(_ record: Statement) throws(SQLiteError) -> Bool {
    row.bind(record.int64(0), 1)
    try row.stepToRow(of: table)
    guard visible.contains(author: row.int64(1)) else { return false }
    view.name = record.utf8(1)
    view.parent = row.isNull(0) ? nil : RecordName(stored: row.text(0))
    look(&view.values)
    return true
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
