internal import Basics
internal import CSQLite

extension Connection {
  /// Adds an SQL function that returns the checksum of any number of values and their types, as a
  /// signed integer.
  public func addChecksum(_ name: String, seed: UInt8) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      UnsafeMutableRawPointer(bitPattern: UInt(seed)),
      { context, count, arguments in
        var checksum = Checksum64(seed: UInt64(UInt(bitPattern: sqlite3_user_data(context))))
        for place in 0..<Int(count) { checksum.add(arguments?[place]) }
        sqlite3_result_int64(context, Int64(bitPattern: checksum.finish()))
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }
}

extension Checksum64 {
  /// Adds an SQL value and its type.
  fileprivate mutating func add(_ value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      add(1)
      add(UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_FLOAT:
      add(2)
      add(sqlite3_value_double(value).bitPattern)
    case SQLITE_TEXT:
      add(3)
      let start = sqlite3_value_text(value)
      add(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    case SQLITE_BLOB:
      add(4)
      let start = sqlite3_value_blob(value)
      add(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    default: add(0)
    }
  }
}
