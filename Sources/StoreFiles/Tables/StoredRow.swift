package import SQLite

/// A row of a table: the current row of a statement that reads the table's `selection`.
package struct Row {
  private let statement: Statement
  private let table: Table
  private let first: Int

  /// The row whose selection begins at a column. Throws `StoreError` if it is damaged.
  package init(_ table: Table, in statement: Statement, from first: Int = 0) throws(StoreError) {
    if table.isSealed { try table.require(statement, first + table.width - 1) }
    self.init(damaged: table, in: statement, from: first)
  }

  /// The row as it is, even if it is damaged.
  package init(damaged table: Table, in statement: Statement, from first: Int = 0) {
    (self.table, self.statement, self.first) = (table, statement, first)
  }

  /// The number of the row.
  package var number: Int64 { statement.int64(first) }

  /// The value of a column.
  public subscript<Value: StoredValue>(_ name: String) -> Value {
    Value(stored: statement.value(place(of: name)))
  }

  private func place(of name: String) -> Int {
    var place = table.isNumbered ? first + 1 : first
    for column in table.columns where !column.isSeal {
      if column.name == name { return place }
      place += 1
    }
    preconditionFailure("\(table.name) has no column \(name)")
  }
}

/// A value that has a row of its own.
package protocol StoredRow {
  /// The table.
  static var table: Table { get }
  /// The number of the row; 0 for the next free one.
  var number: Int64 { get }
  /// Reads a row.
  init(_ row: Row)
  /// The values of the columns, in the order of the table.
  var values: KeyValuePairs<String, any StoredValue> { get }
}

extension StoredRow {
  /// The number of a row in a table without row numbers.
  package var number: Int64 { 0 }
}

extension Table {
  /// Binds the number and the values of a row to consecutive parameters.
  fileprivate func bind(
    _ number: Int64, _ values: KeyValuePairs<String, any StoredValue>, to statement: Statement
  ) {
    var place = 1
    if isNumbered {
      if number == 0 { statement.bindNull(1) } else { statement.bind(number, 1) }
      place = 2
    }
    var names = columns.lazy.filter { !$0.isSeal }.map(\.name).makeIterator()
    for (name, value) in values {
      precondition(names.next() == name, "\(self.name) has another column in the place of \(name)")
      value.bind(to: statement, place)
      place += 1
    }
    precondition(names.next() == nil, "a value of \(self.name) is missing")
  }
}

// Rows by their descriptions.
extension OpenDatabase {
  /// The rows that a condition selects, in its order; binds values to its parameters.
  package func rows<R: StoredRow>(
    _ condition: String = "", _ values: [any StoredValue] = []
  ) throws(StoreError) -> [R] {
    try all("SELECT \(R.table.selection()) FROM \(R.table.name) \(condition)", values) {
      (statement) throws(StoreError) -> R in
      R(try Row(R.table, in: statement))
    }
  }

  /// The first of them; nil for none.
  package func row<R: StoredRow>(
    _ condition: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> R? {
    let found: [R] = try rows(condition + " LIMIT 1", values)
    return found.first
  }

  /// The rows of a query, each as `read` returns it.
  package func all<T>(
    _ query: String, _ values: [any StoredValue] = [],
    read: (Statement) throws(StoreError) -> T
  ) throws(StoreError) -> [T] {
    let statement = try prepared(query, values)
    var found: [T] = []
    while try statement.next() { found.append(try read(statement)) }
    return found
  }

  /// The first row of a query, as `read` returns it; nil for none.
  package func first<T>(
    _ query: String, _ values: [any StoredValue] = [], read: (Statement) throws(StoreError) -> T
  ) throws(StoreError) -> T? {
    let statement = try prepared(query, values)
    guard try statement.next() else { return nil }
    defer { statement.reset() }
    return try read(statement)
  }

  /// The first column of the first row of a query; nil for no row.
  package func value<V: StoredValue>(
    _ query: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> V? {
    let statement = try prepared(query, values)
    guard try statement.next() else { return nil }
    defer { statement.reset() }
    return V(stored: statement.value(0))
  }

  /// The first column of all rows of a query.
  package func values<V: StoredValue>(
    _ query: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> [V] {
    try all(query, values) { V(stored: $0.value(0)) }
  }

  /// Whether a query has a row.
  package func hasRow(_ query: String, _ values: [any StoredValue] = []) throws(StoreError) -> Bool
  {
    let statement = try prepared(query, values)
    defer { statement.reset() }
    return try statement.next()
  }

  /// Runs a statement that changes rows of a table; returns how many. Only a table without sums may
  /// be left out.
  @discardableResult
  package func run(
    on table: Table? = nil, _ sql: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> Int {
    if let table { try keepSums(of: table) }
    try prepared(sql, values).perform()
    return connection.changedRows
  }

  /// Runs statements without values.
  package func execute(_ sql: String) throws(StoreError) {
    try connection.perform(sql)
  }

  private func prepared(
    _ sql: String, _ values: [any StoredValue]
  ) throws(StoreError) -> Statement {
    let statement = try connection.prepared(sql)
    statement.bind(values)
    return statement
  }

  // MARK: Writing

  /// Inserts a row; returns its number.
  @discardableResult
  package func insert<R: StoredRow>(
    _ row: R, _ conflict: Table.Conflict = .fail
  ) throws(StoreError) -> Int64 {
    try insert(R.table, row.values, number: row.number, conflict)
  }

  /// Inserts a row of values in the order of the table; returns its number.
  @discardableResult
  package func insert(
    _ table: Table, _ values: KeyValuePairs<String, any StoredValue>, number: Int64 = 0,
    _ conflict: Table.Conflict = .fail
  ) throws(StoreError) -> Int64 {
    try keepSums(of: table)
    let statement = try insertion(into: table, conflict)
    table.bind(number, values, to: statement)
    try statement.perform()
    return connection.lastInsertedRow
  }

  /// Sets all values of a row.
  package func update<R: StoredRow>(_ row: R) throws(StoreError) {
    try keepSums(of: R.table)
    let statement = try connection.prepared(R.table.change)
    R.table.bind(row.number, row.values, to: statement)
    try statement.perform()
  }

  /// Deletes a row by its number.
  package func delete(_ row: some StoredRow) throws(StoreError) {
    let table = type(of: row).table
    try delete(from: table, "\(table.numberColumn ?? "rowid") = ?", [row.number])
  }

  /// Deletes the rows that a condition selects; returns how many.
  @discardableResult
  package func delete(
    from table: Table, _ condition: String, _ values: [any StoredValue] = []
  ) throws(StoreError) -> Int {
    try run(on: table, "DELETE FROM \(table.name) WHERE \(condition)", values)
  }
}
