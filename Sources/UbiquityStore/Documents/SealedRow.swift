internal import CloudModel
internal import SQLite
internal import StoreFiles

/// A row of a sealed table.
protocol SealedRow {
  static var table: SealedTable { get }
  /// The number of the row; 0 before it was inserted.
  var number: Int64 { get set }
  /// Reads a row: column 0 is its number, then those of the table follow.
  init(_ row: Statement)
  /// The values of the columns, in their order.
  var values: [SealedValue] { get }
}

/// The value of a column.
enum SealedValue {
  case integer(Int64?)
  case text(String?)

  static func flag(_ value: Bool) -> SealedValue { .integer(value ? 1 : 0) }
  static func time(_ value: Timestamp?) -> SealedValue { .integer(value?.milliseconds) }
}

extension Statement {
  func bind(_ value: SealedValue, at place: Int) {
    switch value {
    case .integer(let number?): bind(number, place)
    case .text(let text?): bind(text, place)
    case .integer(nil), .text(nil): bindNull(place)
    }
  }

  func integer(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
  func flag(_ column: Int) -> Bool { int64(column) != 0 }
  func time(_ column: Int) -> Timestamp { Timestamp(milliseconds: int64(column)) }
}

extension SealedTable {
  private var places: String {
    columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
  }

  /// Inserts a row; the values of its columns are bound in their order.
  fileprivate var insertion: String {
    """
    INSERT INTO \(name)(\(columns.joined(separator: ", ")), seal)
    VALUES (\(places), ckdb_seal(\(places)))
    """
  }

  /// Changes all columns of a row, whose number is bound after them.
  fileprivate var change: String {
    let assignments = columns.enumerated().map { "\($0.element) = ?\($0.offset + 1)" }
    return """
      UPDATE \(name) SET \(assignments.joined(separator: ", ")), seal = ckdb_seal(\(places))
      WHERE _id = ?\(columns.count + 1)
      """
  }

  /// Reads rows; a condition follows.
  fileprivate var selection: String {
    "SELECT _id, \(columns.joined(separator: ", ")), \(fits()) FROM \(name)"
  }
}

extension UbiquityStore {
  /// The rows that a condition names, with values for its places.
  func rows<Row: SealedRow>(
    _ condition: String, _ values: SealedValue...
  ) throws(StoreError) -> [Row] {
    var found: [Row] = []
    try forEach(condition, values) { (row: Row) in found.append(row) }
    return found
  }

  /// The first of them; nil for none.
  func row<Row: SealedRow>(
    _ condition: String, _ values: SealedValue...
  ) throws(StoreError) -> Row? {
    var found: Row?
    try forEach(condition + " LIMIT 1", values) { (row: Row) in found = row }
    return found
  }

  /// Gives them to `body`, one by one.
  func forEach<Row: SealedRow>(
    _ condition: String, _ values: [SealedValue], _ body: (Row) -> Void
  ) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement("\(Row.table.selection) \(condition)")
      for (place, value) in values.enumerated() { row.bind(value, at: place + 1) }
      let seal = Row.table.columns.count + 1
      while try row.step() {
        try Row.table.require(row, seal)
        body(Row(row))
      }
    }
  }

  /// Inserts a row, and returns it with its number.
  @discardableResult
  func insert<Row: SealedRow>(_ row: Row) throws(StoreError) -> Row {
    noteChange()
    var row = row
    row.number = try sql { () throws(SQLiteError) in
      try run(Row.table.insertion, row.values)
      return connection.lastInsertedRow
    }
    return row
  }

  /// Keeps what was changed of a row.
  func change<Row: SealedRow>(_ row: Row) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      try run(Row.table.change, row.values + [.integer(row.number)])
    }
  }

  /// Deletes a row.
  func delete<Row: SealedRow>(_ row: Row) throws(StoreError) {
    try delete(from: Row.table, "_id = ?", .integer(row.number))
  }

  /// Deletes the rows that a condition names.
  func delete(
    from table: SealedTable, _ condition: String, _ values: SealedValue...
  ) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      try run("DELETE FROM \(table.name) WHERE \(condition)", values)
    }
  }

  private func run(_ sql: String, _ values: [SealedValue]) throws(SQLiteError) {
    let statement = try connection.statement(sql)
    for (place, value) in values.enumerated() { statement.bind(value, at: place + 1) }
    try statement.run()
  }
}
