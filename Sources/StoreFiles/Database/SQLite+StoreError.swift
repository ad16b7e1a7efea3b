public import SQLite

// The only place where an error of SQLite becomes the store's. The stores call these functions
// instead of those of `Connection` and `Statement` that throw `SQLiteError`.

/// Calls SQLite; its failure becomes a `StoreError`.
public func onSQLite<T>(_ call: () throws(SQLiteError) -> T) throws(StoreError) -> T {
  do { return try call() } catch { throw StoreError(error) }
}

extension Statement {
  /// Moves to the next row; returns false at the end, where the statement is ready for its next
  /// use.
  public func next() throws(StoreError) -> Bool {
    do throws(SQLiteError) { return try step() } catch { throw StoreError(error) }
  }

  /// Runs to the end.
  public func perform() throws(StoreError) {
    do throws(SQLiteError) { try run() } catch { throw StoreError(error) }
  }

  /// The error for rows that do not match their checksums.
  public func damage(_ message: String) -> StoreError {
    StoreError(SQLiteError(code: 11, message: message, sql: sql, path: path))
  }
}

extension Connection {
  /// Opens a file, or a database in memory.
  public static func open(
    _ path: String = ":memory:", _ mode: Mode = .readWrite, makesChecksums: Bool = false
  ) throws(StoreError) -> Connection {
    do throws(SQLiteError) {
      return try Connection(path: path, mode: mode, makesChecksums: makesChecksums)
    } catch { throw StoreError(error) }
  }

  /// A statement that is compiled once and kept, for one user at a time.
  public func prepared(_ sql: String) throws(StoreError) -> Statement {
    do throws(SQLiteError) { return try statement(sql) } catch { throw StoreError(error) }
  }

  /// A statement for one use.
  public func query(_ sql: String) throws(StoreError) -> Statement {
    do throws(SQLiteError) { return try transientStatement(sql) } catch { throw StoreError(error) }
  }

  /// A statement to give back after its use (`giveBack`).
  public func taken(_ sql: String) throws(StoreError) -> Statement {
    do throws(SQLiteError) { return try takeStatement(sql) } catch { throw StoreError(error) }
  }

  /// Runs statements that return no rows.
  public func perform(_ sql: String) throws(StoreError) {
    do throws(SQLiteError) { try execute(sql) } catch { throw StoreError(error) }
  }

  /// The first column of the first row as an integer; nil for no row.
  public func number(_ sql: String) throws(StoreError) -> Int64? {
    do throws(SQLiteError) { return try integer(sql) } catch { throw StoreError(error) }
  }

  /// The first column of all rows as integers.
  public func numbers(_ sql: String) throws(StoreError) -> [Int64] {
    do throws(SQLiteError) { return try integers(sql) } catch { throw StoreError(error) }
  }

  /// The first column of the first row as text; nil for no row.
  public func string(_ sql: String) throws(StoreError) -> String? {
    do throws(SQLiteError) { return try text(sql) } catch { throw StoreError(error) }
  }

  /// Copies the log into the database and empties it; returns false if readers keep some of it.
  @discardableResult
  public func emptyLog() throws(StoreError) -> Bool {
    do throws(SQLiteError) { return try checkpoint(.truncate) } catch { throw StoreError(error) }
  }

  /// The error for rows that do not match their checksums.
  public func damage(_ message: String) -> StoreError {
    StoreError(SQLiteError(code: 11, message: message, path: path))
  }
}
