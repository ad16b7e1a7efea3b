internal import SQLite

/// Reads the rows of a table that may be damaged: all that can be read, around what cannot.
struct RowWalk {
  let connection: Connection
  /// A file of so many bytes has fewer rows; in a damaged one a walk may go in circles.
  let fileBytes: Int64

  /// Gives the rows of a table `t` with row numbers to `body`, in order. `columns` is what is read
  /// of each, the row's number first; no number is behind `last`. Returns whether all could be
  /// read.
  func rows(
    of table: String, _ columns: String, upTo last: Int64,
    _ body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) -> Bool {
    let query = "SELECT \(columns) FROM \(table) t WHERE t._id"
    guard
      let rows = try statement("\(query) >= ? ORDER BY t._id"),
      let row = try statement("\(query) = ?")
    else { return false }
    var next: Int64 = 0
    if try scan(rows, from: &next, body) { return true }
    while next <= max(last, fileBytes) {
      // Reading on from row to row fails here: each number is looked for by itself.
      row.bind(next, 1)
      let isThere = try readable { () throws(SQLiteError) in try row.step() }
      next += 1
      guard isThere == true else { continue }
      try body(row)
      row.reset()
      if try scan(rows, from: &next, body) { return false }
    }
    return false
  }

  /// Reads row by row; returns whether that went to the end, and sets the number behind the last
  /// row that was read.
  private func scan(
    _ rows: Statement, from next: inout Int64, _ body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) -> Bool {
    rows.bind(next, 1)
    defer { rows.reset() }
    while let isRow = try readable({ () throws(SQLiteError) in try rows.step() }) {
      guard isRow else { return true }
      // Numbers grow, but for damage.
      guard rows.int64(0) >= next, rows.int64(0) < .max else { return false }
      next = rows.int64(0) + 1
      try body(rows)
    }
    return false
  }

  /// Gives the rows of a table without row numbers to `body`, from its beginning and from its end
  /// as far as each goes; the columns of its key come first. Returns whether all could be read.
  func rows(
    of table: String, _ columns: String, key: [String],
    _ body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) -> Bool {
    for order in ["ASC", "DESC"] {
      let keys = key.map { "\($0) \(order)" }.joined(separator: ", ")
      guard let rows = try statement("SELECT \(columns) FROM \(table) ORDER BY \(keys)") else {
        return false
      }
      var count: Int64 = 0
      while count < fileBytes,
        let isRow = try readable({ () throws(SQLiteError) in try rows.step() })
      {
        guard isRow else { return order == "ASC" }
        count += 1
        try body(rows)
      }
    }
    return false
  }

  private func statement(_ sql: String) throws(SQLiteError) -> Statement? {
    try readable { () throws(SQLiteError) in try connection.transientStatement(sql) }
  }

  /// Reads something; nil where that is damaged. Throws `SQLiteError` for any other failure.
  func readable<T>(_ work: () throws(SQLiteError) -> T) throws(SQLiteError) -> T? {
    do throws(SQLiteError) { return try work() } catch {
      switch error.kind {
      case .corrupt, .other, .inputOutput, .tooBig, .constraint: return nil
      case .busy, .full, .readOnly, .interrupted: throw error
      }
    }
  }
}
