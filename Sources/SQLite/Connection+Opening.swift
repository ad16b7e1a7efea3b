internal import Basics
internal import CSQLite

// The settings of every connection, in their order (RS2).
extension Connection {
  static func flags(_ mode: Mode) -> Int32 {
    let common =
      SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    return common | (mode == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
  }

  /// The name of a file with parameters for SQLite and our layer below it: a URI ("Uniform Resource
  /// Identifiers").
  static func name(_ path: String, isImmutable: Bool, makesChecksums: Bool) -> String {
    if path == ":memory:" { return path }
    let path = Self.absolute(path)
    var escaped = ""
    for byte in path.utf8 {
      let isPlain = byte.isPlainInURI
      escaped += isPlain ? String(Unicode.Scalar(byte)) : "%" + [byte].hexadecimal
    }
    if isImmutable { escaped += "?immutable=1" }
    if makesChecksums { escaped += (isImmutable ? "&" : "?") + "\(PageChecksums.parameter)=1" }
    // Two slashes begin a host name, which is empty here.
    return "file:\(path.hasPrefix("/") ? "//" : "")\(escaped)"
  }

  /// An absolute path, which our layer takes unchanged (`PageChecksums.vfs`).
  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = try? FileSystem.currentDirectory() else {
      return path
    }
    return "\(directory)/\(path)"
  }

  /// Treats the file as data: foreign triggers, views and schema functions do not run.
  func harden() throws(SQLiteError) {
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
      (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ] as [(Int32, Int32)] {
      let code = ckdb_sqlite3_db_config(handle, option, value)
      guard code == SQLITE_OK else { throw error(code) }
    }
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
      (SQLITE_LIMIT_EXPR_DEPTH, 1000), (SQLITE_LIMIT_COMPOUND_SELECT, 50),
      (SQLITE_LIMIT_FUNCTION_ARG, 16), (SQLITE_LIMIT_ATTACHED, 0),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
      (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] as [(Int32, Int32)] {
      sqlite3_limit(handle, limit, value)
    }
    setBusyTimeout(waitMilliseconds)
  }

  func setBusyTimeout(_ milliseconds: Int64) {
    sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  /// Lets SQLite sort in this many threads in addition to the caller's.
  public func setSortingThreads(_ count: Int32) throws(SQLiteError) {
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, count)
    try execute("PRAGMA threads = \(count)")
  }
}

extension UInt8 {
  fileprivate var isPlainInURI: Bool {
    (self | 0x20 >= 0x61 && self | 0x20 <= 0x7A) || (self >= 0x2D && self <= 0x39) || self == 0x5F
  }
}
