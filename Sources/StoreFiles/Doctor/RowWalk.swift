public import SQLite

/// Reads the rows of a table that may be damaged: all that can be read, around what cannot. SQLite
/// reads as far as it can; the rest comes from the pages.
public struct RowWalk {
  /// The damaged database.
  public let connection: Connection
  /// What the pages hold; nil where the files cannot be read.
  public let tables: PageTables?

  /// Reads with SQLite, and from pages.
  public init(connection: Connection, tables: PageTables?) {
    (self.connection, self.tables) = (connection, tables)
  }

  /// Gives the rows of a table `t` with row numbers to `body`, each once. `columns` is what is read
  /// of each, the row's number first; the quoted `names` are columns that the table may have
  /// lost. Returns whether all could be read.
  public func rows(
    of table: String, _ columns: String, names: [String] = [],
    _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    var next: Int64 = 0
    let query = "SELECT \(columns) FROM \(table.quotedIdentifier) t ORDER BY t._id"
    if let rows = try statement(query), try scan(rows, from: &next, body) { return isWhole(table) }
    return try tables?.rows(of: table, columns, names: names, from: next, body) ?? false
  }

  /// Reads row by row; returns whether that went to the end, and sets the number after that of the
  /// last row that was read.
  private func scan(
    _ rows: Statement, from next: inout Int64, _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    defer { rows.reset() }
    while let isRow = try readable({ () throws(StoreError) in try rows.next() }) {
      guard isRow else { return true }
      // Numbers grow, but for damage.
      guard rows.int64(0) >= next, rows.int64(0) < .max else { return false }
      next = rows.int64(0) + 1
      try body(rows)
    }
    return false
  }

  /// Gives the rows of a table `t` without row numbers to `body`, some of them twice where the
  /// table is damaged. Returns whether all could be read.
  public func rows(
    keyed table: String, _ columns: String,
    _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    if let rows = try statement("SELECT \(columns) FROM \(table.quotedIdentifier) t") {
      // A damaged tree may go in circles.
      var rest = Int64(tables?.pages.count ?? 0) * Int64(DatabasePages.pageSize)
      while let isRow = try readable({ () throws(StoreError) in try rows.next() }), rest > 0 {
        guard isRow else { return isWhole(table) }
        rest -= 1
        try body(rows)
      }
    }
    return try tables?.rows(of: table, columns, names: [], from: 0, body) ?? false
  }

  /// Whether a table that SQLite read to its end has no damaged page: of one that lost its cells,
  /// rows are missing and nothing tells.
  private func isWhole(_ table: String) -> Bool {
    if connection.damagedPages.isEmpty { return true }
    guard let tables, let root = tables[table]?.root else { return false }
    return tables.pages.isWhole(root: root, but: Set(connection.damagedPages))
  }

  private func statement(_ sql: String) throws(StoreError) -> Statement? {
    try readable { () throws(StoreError) in try connection.query(sql) }
  }

  /// Reads something; nil where that is damaged. Throws `SQLiteError` for any other failure.
  public func readable<T>(_ work: () throws(StoreError) -> T) throws(StoreError) -> T? {
    do throws(StoreError) { return try work() } catch {
      switch error.cause?.kind {
      case .corrupt, .other, .inputOutput, .tooBig, .constraint: return nil
      case .busy, .full, .readOnly, .interrupted, nil: throw error
      }
    }
  }
}
