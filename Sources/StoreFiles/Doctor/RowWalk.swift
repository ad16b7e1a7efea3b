public import SQLite

/// Reads all rows of a damaged table that can be read. SQLite reads as far as it can; the rest
/// comes from the pages.
public struct RowWalk {
  /// The damaged database.
  public let connection: Connection
  /// The pages; nil if the files cannot be read.
  public let tables: PageTables?

  /// Reads with SQLite, and from pages.
  public init(connection: Connection, tables: PageTables?) {
    (self.connection, self.tables) = (connection, tables)
  }

  /// Passes the rows of a table `t` with row numbers to `body`, each once. `columns` are the
  /// columns to read, the row's number first; the quoted `names` are columns that the table may
  /// have lost. Returns whether all could be read.
  public func rows(
    of table: String, _ columns: String, names: [String] = [],
    _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    var count = 0
    let query = "SELECT \(columns) FROM \(table.quotedIdentifier) t ORDER BY t._id"
    if let rows = try statement(query), try scan(rows, &count, body) { return isWhole(table) }
    // The pages have the same rows in the same order.
    return try tables?.rows(of: table, columns, names: names, after: count, body) ?? false
  }

  /// Reads row by row, and counts the rows. Returns whether that reached the end.
  private func scan(
    _ rows: Statement, _ count: inout Int, _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    defer { rows.reset() }
    var next: Int64 = 0
    while let isRow = try readable({ () throws(StoreError) in try rows.next() }) {
      guard isRow else { return true }
      // Numbers ascend, except where a page is damaged or has the rows of another.
      guard rows.int64(0) >= next, rows.int64(0) < .max else { return false }
      next = rows.int64(0) + 1
      count += 1
      try body(rows)
    }
    return false
  }

  /// Passes the rows of a table `t` without row numbers to `body`, some of them twice if the table
  /// is damaged. Returns whether all could be read.
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
    return try tables?.rows(of: table, columns, names: [], body) ?? false
  }

  /// Whether a table that SQLite read to its end has no damaged page: if a page lost its cells,
  /// rows are missing without an error.
  private func isWhole(_ table: String) -> Bool {
    if connection.damagedPages.isEmpty { return true }
    guard let tables, let root = tables[table]?.root else { return false }
    return tables.pages.isWhole(root: root, but: Set(connection.damagedPages))
  }

  private func statement(_ sql: String) throws(StoreError) -> Statement? {
    try readable { () throws(StoreError) in try connection.query(sql) }
  }

  /// Reads something; nil if it is damaged. Rethrows any other failure.
  public func readable<T>(_ work: () throws(StoreError) -> T) throws(StoreError) -> T? {
    do throws(StoreError) { return try work() } catch {
      switch error.cause?.kind {
      case .corrupt, .other, .inputOutput, .tooBig, .constraint: return nil
      case .busy, .full, .readOnly, .unavailable, .interrupted, nil: throw error
      }
    }
  }
}
