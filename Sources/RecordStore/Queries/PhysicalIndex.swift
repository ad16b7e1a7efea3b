internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import SQLite
public import StoreFiles

/// An index of a type's table by one key, made when a query first needs it (DS4).
public struct PhysicalIndex: Hashable, Sendable {
  /// The name of the field or of the system key; `allTokens` for the words of all texts.
  public let key: String
  /// The name in SQLite.
  let name: String
  let kind: Kind

  enum Kind: Hashable {
    /// An SQLite index by zone and columns.
    case columns([String])
    /// A table of the members of a list in a column; the SQL is that of a row of json_each called
    /// `m`.
    case members(column: String, String)
    /// An FTS5 table of words; the SQL is that of a row of the type's table `t`.
    case words(String)
  }

  /// The prefix of the names of all indexes; the table and the column follow.
  static let prefix = "_index_"

  /// Whether writers maintain it, instead of SQLite.
  var isKept: Bool {
    if case .columns = kind { false } else { true }
  }

  /// The name as SQL wants it.
  var identifier: String { name.quotedIdentifier }

  // MARK: Making and dropping

  /// The statement that makes it from the existing rows.
  func creation(on table: TypeTable) -> String {
    switch kind {
    case .columns(let columns):
      let columns = (["_zone"] + columns).separated(by: ", ")
      return "CREATE INDEX IF NOT EXISTS \(identifier) ON \(table.table)(\(columns))"
    case .members:
      return """
        CREATE TABLE IF NOT EXISTS \(identifier)(value ANY NOT NULL, _id INTEGER NOT NULL,
          PRIMARY KEY(value, _id)) STRICT, WITHOUT ROWID;
        INSERT OR IGNORE INTO \(identifier) \(contents(of: table)) ORDER BY 1, 2
        """
    case .words:
      // The words come folded and with spaces between them, which this tokenizer leaves alone.
      return """
        CREATE VIRTUAL TABLE IF NOT EXISTS \(identifier) USING fts5(words, content = '',
          columnsize = 0, detail = none, tokenize = 'ascii');
        INSERT INTO \(identifier)(words, rowid) \(contents(of: table))
        """
    }
  }

  var dropping: String {
    "DROP \(isKept ? "TABLE" : "INDEX") IF EXISTS \(identifier)"
  }

  // MARK: Maintenance

  /// Its contents for the rows of a type's table `t`: values with the rows' numbers. It ends in a
  /// condition, to which others may be added.
  func contents(of table: TypeTable) -> String {
    switch kind {
    case .columns: preconditionFailure("SQLite knows")
    case .members(let column, let member):
      """
      SELECT \(member), t._id FROM \(table.table) t, json_each(t.\(column)) AS m
      WHERE m.value IS NOT NULL
      """
    case .words(let words): "SELECT \(words), t._id FROM \(table.table) t WHERE 1"
    }
  }

  /// The statement that adds one row.
  func addition(on table: TypeTable) -> String {
    let columns = if case .words = kind { "(words, rowid)" } else { "" }
    return "INSERT OR IGNORE INTO \(identifier)\(columns) \(contents(of: table)) AND t._id = ?"
  }

  /// The statement that removes the rows that a condition on `t` selects, which still exist.
  func removal(on table: TypeTable, where condition: String) -> String {
    switch kind {
    case .columns: preconditionFailure("SQLite does")
    case .members:
      "DELETE FROM \(identifier) WHERE (value, _id) IN (\(contents(of: table)) AND \(condition))"
    case .words(let words):
      """
      INSERT INTO \(identifier)(\(identifier), words, rowid)
      SELECT 'delete', \(words), t._id FROM \(table.table) t WHERE \(condition)
      """
    }
  }

  /// Whether its contents for two records differ.
  fileprivate func differs(_ one: RecordFields, _ other: RecordFields, _ table: TypeTable) -> Bool {
    let fields =
      if case .words = kind { table.texts.map(\.schema.name) } else { [FieldName(key: key)] }
    return fields.contains { one[$0] != other[$0] }
  }
}

extension EnvironmentStore {
  /// The indexes that a type's table has, in the byte order of their keys.
  public func indexes(of table: TypeTable) throws(StoreError) -> [PhysicalIndex] {
    let names = try catalog.indexNames(of: table)
    return table.possibleIndexes.filter { names.contains($0.name) }
      .sorted { utf8Precedes($0.key, $1.key) }
  }

  /// Makes those indexes that do not exist, for the current type, in a write transaction.
  public func build(_ indexes: [PhysicalIndex], of table: TypeTable) throws(StoreError) {
    try catalog.addWordFunctions()
    // Threads for sorting save a fifth of the time of making an index.
    try onSQLite { () throws(SQLiteError) in try connection.setSortingThreads(2) }
    defer { _ = try? connection.setSortingThreads(0) }
    let wanted = Set(indexes.map(\.name)).subtracting(try catalog.indexNames(of: table))
    for index in table.possibleIndexes where wanted.contains(index.name) {
      try connection.perform(index.creation(on: table))
    }
    try catalog.changed(indexesOf: table)
  }

  /// Drops indexes, in a write transaction.
  public func drop(_ indexes: [PhysicalIndex], of table: TypeTable) throws(StoreError) {
    connection.forgetStatements()
    for index in indexes { try connection.perform(index.dropping) }
    try catalog.changed(indexesOf: table)
  }

  /// Whether a type has enough records for an index to pay off.
  func isLarge(_ table: TypeTable) throws(StoreError) -> Bool {
    try connection.number(
      "SELECT EXISTS(SELECT 1 FROM \(table.table) LIMIT 1 OFFSET \(fewRecords - 1))") == 1
  }
}

// What writers do for the indexes that they maintain.
extension EnvironmentStore {
  /// Adds a row to the indexes.
  func addToIndexes(_ number: Int64, _ table: TypeTable) throws(StoreError) {
    for index in try catalog.keptIndexes(of: table) {
      try run(index.addition(on: table), number)
    }
  }

  /// Removes from the indexes the rows that a condition on `t` selects, which still exist.
  func removeFromIndexes(
    _ table: TypeTable, where condition: String, _ number: Int64? = nil
  ) throws(StoreError) {
    for index in try catalog.keptIndexes(of: table) {
      let statement = try connection.prepared(index.removal(on: table, where: condition))
      if let number { statement.bind(number, 1) }
      try statement.perform()
    }
  }

  /// Changes a row by `change`, and the indexes whose contents for it change.
  func change(
    _ number: Int64, _ table: TypeTable, from old: RecordFields, to new: RecordFields,
    _ change: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let touched = try catalog.keptIndexes(of: table).filter { $0.differs(old, new, table) }
    for index in touched {
      try run(index.removal(on: table, where: "t._id = ?"), number)
    }
    try change()
    for index in touched { try run(index.addition(on: table), number) }
  }

  private func run(_ sql: String, _ number: Int64) throws(StoreError) {
    let statement = try connection.prepared(sql)
    statement.bind(number, 1)
    try statement.perform()
  }
}
