internal import SQLite
internal import StoreFiles

// Rows by their descriptions. A transaction without changes is not committed, so each change is
// noted here.
extension UbiquityStore {
  /// The rows that a condition selects.
  func rows<R: StoredRow>(
    _ condition: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> [R] {
    try database.rows(condition, values)
  }

  /// The first of them; nil for none.
  func row<R: StoredRow>(
    _ condition: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> R? {
    try database.row(condition, values)
  }

  /// Inserts a row; returns its number.
  @discardableResult
  func insert(
    _ row: some StoredRow, _ conflict: Table.Conflict = .fail
  ) throws(StoreError) -> Int64 {
    noteChange()
    return try database.insert(row, conflict)
  }

  /// Sets all values of a row.
  func change(_ row: some StoredRow) throws(StoreError) {
    noteChange()
    try database.update(row)
  }

  /// Deletes a row.
  func delete(_ row: some StoredRow) throws(StoreError) {
    noteChange()
    try database.delete(row)
  }

  /// Deletes the rows that a condition selects; returns how many.
  @discardableResult
  func delete(
    from table: Table, _ condition: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> Int {
    noteChange()
    return try database.delete(from: table, condition, values)
  }

  /// Runs a statement that changes rows of a table; returns how many.
  @discardableResult
  func run(
    on table: Table, _ sql: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> Int {
    noteChange()
    return try database.run(on: table, sql, values)
  }
}
