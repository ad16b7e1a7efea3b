internal import CSQLite

/// A compiled statement. Parameters count from 1, columns from 0, as in SQLite.
public final class Statement {
  private let handle: OpaquePointer
  private unowned let connection: Connection
  private let isKept: Bool
  private var bindingFailure: Int32 = SQLITE_OK
  /// The statement's text.
  public let sql: String
  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ sql: String, on connection: Connection, isKept: Bool) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(connection.handle, sql, -1, flags, &handle, nil)
    guard code == SQLITE_OK, let handle else { throw connection.error(code, sql: sql) }
    self.handle = handle
    self.connection = connection
    self.isKept = isKept
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  /// The path of the database.
  public var path: String { connection.path }

  // MARK: Running

  /// Advances to the next row; returns false at the end, when the statement is ready for reuse.
  public func step() throws(SQLiteError) -> Bool {
    if bindingFailure != SQLITE_OK {
      defer { bindingFailure = SQLITE_OK }
      throw SQLiteError(
        code: bindingFailure, message: String(cString: sqlite3_errstr(bindingFailure)), sql: sql,
        path: connection.path)
    }
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let error = connection.error(code, sql: sql)
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
    return false
  }

  /// Runs to the end.
  public func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Stops reading rows before the last one.
  public func reset() { sqlite3_reset(handle) }

  /// Stops reading rows, and forgets the bindings.
  func clear() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    bindingFailure = SQLITE_OK
  }

  // MARK: Binding

  /// A value that could not be bound (too large) must not become NULL: the next step fails.
  private func note(_ code: Int32) {
    if code != SQLITE_OK { bindingFailure = code }
  }

  /// Binds NULL.
  public func bindNull(_ place: Int) { sqlite3_bind_null(handle, Int32(place)) }

  /// Binds an integer.
  public func bind(_ value: Int64, _ place: Int) {
    sqlite3_bind_int64(handle, Int32(place), value)
  }

  /// Binds a real number; NaN becomes NULL.
  public func bind(_ value: Double, _ place: Int) {
    sqlite3_bind_double(handle, Int32(place), value)
  }

  /// Binds a string.
  public func bind(_ value: String, _ place: Int) {
    var value = value
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // An empty string has no address, which SQLite would treat as NULL.
        note(
          sqlite3_bind_text(
            handle, Int32(place), characters.baseAddress ?? emptyText, Int32(characters.count),
            Self.transient))
      }
    }
  }

  /// Binds a blob.
  public func bind(_ value: [UInt8], _ place: Int) {
    value.withUnsafeBytes { bytes in
      if bytes.isEmpty {
        note(sqlite3_bind_zeroblob(handle, Int32(place), 0))
      } else {
        note(
          sqlite3_bind_blob64(
            handle, Int32(place), bytes.baseAddress, UInt64(bytes.count), Self.transient))
      }
    }
  }

  /// Binds the value of another statement's column unchanged.
  public func bind(_ column: Int, of row: Statement, _ place: Int) {
    note(
      sqlite3_bind_value(
        handle, Int32(place), sqlite3_column_value(row.handle, Int32(column))))
  }

  /// Binds UTF-8 bytes as a string.
  public func bind(utf8 value: [UInt8], _ place: Int) {
    value.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        note(
          sqlite3_bind_text(
            handle, Int32(place), characters.baseAddress ?? emptyText, Int32(characters.count),
            Self.transient))
      }
    }
  }

  /// Binds UTF-8 bytes without copying; they must stay valid until the statement has run.
  public func bind(borrowedText bytes: UnsafeRawBufferPointer, _ place: Int) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText
    sqlite3_bind_text(handle, Int32(place), start, Int32(bytes.count), nil)
  }

  /// Binds bytes without copying; they must stay valid until the statement has run.
  public func bind(borrowedBlob bytes: UnsafeRawBufferPointer, _ place: Int) {
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(handle, Int32(place), 0)
    } else {
      sqlite3_bind_blob64(handle, Int32(place), bytes.baseAddress, UInt64(bytes.count), nil)
    }
  }

  // MARK: Reading

  /// Whether the column is NULL.
  public func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  /// Whether the column is an integer (rather than a real number or a text).
  public func isInteger(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER
  }

  /// Whether a column of the row is a text.
  public func isText(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_TEXT
  }

  /// The column as an integer.
  public func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  /// The column as a real number.
  public func double(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

  /// The column as a string; repairs invalid UTF-8.
  public func text(_ column: Int) -> String {
    String(decoding: utf8(column), as: UTF8.self)
  }

  /// The column's UTF-8 bytes, valid until the next step.
  public func utf8(_ column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_text(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  /// The column as a blob.
  public func bytes(_ column: Int) -> [UInt8] { Array(blob(column)) }

  /// The column's bytes, valid until the next step.
  public func blob(_ column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }
}

extension Statement {
  /// The value of a column of the current row, to be examined several times: valid until the next
  /// step.
  ///
  /// Connections have no mutex (`SQLITE_OPEN_NOMUTEX`), so column values are as safe as function
  /// arguments ("Protected and Unprotected sqlite3_value").
  public struct ColumnValue {
    private let value: OpaquePointer?

    fileprivate init(_ value: OpaquePointer?) { self.value = value }

    /// Whether it is NULL.
    public var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }
    /// Whether it is an integer.
    public var isInteger: Bool { sqlite3_value_type(value) == SQLITE_INTEGER }
    /// The value as an integer.
    public var int64: Int64 { sqlite3_value_int64(value) }
    /// The value as a real number.
    public var double: Double { sqlite3_value_double(value) }

    /// Its UTF-8 bytes; none for NULL.
    public var utf8: UnsafeRawBufferPointer {
      let start = sqlite3_value_text(value)
      return bytes(UnsafeRawPointer(start))
    }

    /// Its bytes; none for NULL.
    public var blob: UnsafeRawBufferPointer { bytes(sqlite3_value_blob(value)) }

    private func bytes(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(
        start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
  }

  /// The value of a column.
  public func value(_ column: Int) -> ColumnValue {
    ColumnValue(sqlite3_column_value(handle, Int32(column)))
  }
}

private nonisolated(unsafe) let emptyText: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.pointee = 0
  return UnsafePointer(text)
}()
