internal import CSQLite

/// The SQLite library that is linked.
public enum Library {
  /// Its version: `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
