internal import CSQLite

/// The linked SQLite library.
public enum Library {
  /// Whether it has the WAL-reset bug of 3.7.0 to 3.51.2, also fixed in 3.50.7: commits may be lost
  /// if several connections write and run checkpoints (RS0.1).
  public static var mayLoseCommits: Bool {
    let number = sqlite3_libversion_number()
    return (3_007_000...3_051_002).contains(number) && !(3_050_007..<3_051_000).contains(number)
  }

  /// Its version: `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
