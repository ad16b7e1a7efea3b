internal import Basics
public import SQLite

/// A table whose rows end with a hash of their columns: SQLite's integrity check does not see a bit
/// that flips within a value.
public struct SealedTable: Sendable {
  /// The table's name.
  public let name: String
  /// The columns that the seal covers. The numbers of rows are not among them: what refers to a row
  /// shows when its number is damaged.
  public let columns: [String]

  /// Names a table and its columns.
  public init(_ name: String, _ columns: [String]) {
    (self.name, self.columns) = (name, columns)
  }

  /// An SQL expression: whether the seal of a row matches its columns.
  public func fits(_ alias: String? = nil) -> String {
    let alias = alias.map { $0 + "." } ?? ""
    return "\(alias)seal = ckdb_seal(\(columns.map { alias + $0 }.separated(by: ", ")))"
  }

  /// Throws `SQLiteError` for a row that is not what was written: `column` holds what `fits` says
  /// of it.
  public func require(_ row: Statement, _ column: Int) throws(SQLiteError) {
    if row.int64(column) != 0 { return }
    row.reset()
    throw SQLiteError(code: 11, message: "a row of \(name) does not match its checksum")
  }

  /// Seals all rows as they are now.
  public func sealAll(on connection: Connection) throws(SQLiteError) {
    try connection.execute(
      "UPDATE \(name) SET seal = ckdb_seal(\(columns.joined(separator: ", ")))")
  }

  /// Makes the function `ckdb_seal` known, which each statement that reads or writes such a row
  /// uses.
  public static func addFunction(to connection: Connection) throws(SQLiteError) {
    try connection.addChecksum("ckdb_seal", seed: 2)
  }
}
