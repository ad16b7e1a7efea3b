internal import CSQLite

/// The SQLite library that is linked.
public enum Library {
  /// Whether it has the WAL-reset fault of 3.7.0 to 3.51.2, which 3.50.7 mends, too: commits may
  /// be lost where several connections write and make checkpoints (RS0.1).
  public static var mayLoseCommits: Bool {
    let number = sqlite3_libversion_number()
    return (3_007_000...3_051_002).contains(number) && !(3_050_007..<3_051_000).contains(number)
  }

  /// Its version: `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
