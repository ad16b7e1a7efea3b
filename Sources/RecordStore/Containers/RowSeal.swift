internal import Basics
internal import SQLite

/// The hash that each row of our own tables ends with, where nothing else in the file says the
/// same: SQLite's integrity check does not see a bit that flips within a value.
///
/// Rows that can be told from the records (`_record`, `_reference`, `_asset`) have none. The
/// numbers of rows are not part of it: what refers to a row shows when its number is damaged.
enum RowSeal {
  /// The columns that each table's seal covers.
  static let columns: [(table: String, columns: [String])] = [
    ("_state", ["catalog", "forgotten"]),
    ("_user", ["account", "name"]),
    ("_author", ["user", "device"]),
    (
      "_zone",
      ["scope", "owner", "name", "made", "sequence", "records", "checksum", "bytes", "client"]
    ),
    ("_type", ["name", "location", "kept", "grants"]),
    ("_field", ["type", "name", "kind", "location", "indexes"]),
    ("_tombstone", ["zone", "name", "type", "sequence", "share"]),
    ("_zone_tombstone", ["scope", "owner", "name", "sequence", "reason"]),
    ("_role", ["name"]),
    ("_incarnation", ["identity", "until"]),
  ]

  /// The columns that the seal of a table covers.
  static func columns(of table: String) -> [String] {
    columns.first { $0.table == table }?.columns ?? []
  }

  /// An SQL expression: whether the seal of a row matches its columns.
  static func fits(_ table: String, _ alias: String? = nil) -> String {
    let alias = alias.map { $0 + "." } ?? ""
    var text = alias + "seal = ckdb_seal("
    // By hand: joined(separator:) takes longer at its first call than the row takes to be read.
    var separator = ""
    for column in columns(of: table) {
      text += separator + alias + column
      separator = ", "
    }
    return text + ")"
  }

  /// Throws `SQLiteError` for a row that is not what was written: `column` holds what `fits` says
  /// of it.
  static func require(
    _ row: Statement, _ column: Int, of table: String
  ) throws(SQLiteError) {
    if row.int64(column) != 0 { return }
    row.reset()
    throw SQLiteError(code: 11, message: "a row of \(table) is not what was written")
  }

  /// Makes the function `ckdb_seal` known, which each statement that reads or writes such a row
  /// uses.
  static func addFunction(to connection: Connection) throws(SQLiteError) {
    try connection.addFunction("ckdb_seal") { values in
      var checksum = Checksum64(seed: 2)
      values.forEach { checksum.add($0) }
      return Int64(bitPattern: checksum.finish())
    }
  }

  /// Seals all rows as they are now.
  static func sealAll(on connection: Connection) throws(SQLiteError) {
    for (table, columns) in columns {
      try connection.execute(
        "UPDATE \(table) SET seal = ckdb_seal(\(columns.joined(separator: ", ")))")
    }
  }
}

extension Checksum64 {
  fileprivate mutating func add(_ value: FunctionArguments.Value) {
    switch value {
    case .null: add(0)
    case .integer(let number):
      add(1)
      add(UInt64(bitPattern: number))
    case .real(let number):
      add(2)
      add(number.bitPattern)
    case .text(let bytes):
      add(3)
      add(bytes)
    case .blob(let bytes):
      add(4)
      add(bytes)
    }
  }
}
