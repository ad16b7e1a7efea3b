internal import CSQLite

/// The SQLite library that is linked.
package enum Library {
  /// Its version: `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }
}
