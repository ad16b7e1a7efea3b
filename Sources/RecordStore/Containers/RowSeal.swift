internal import Basics
internal import SQLite

/// The hash that each row of our own tables ends with, where nothing else in the file says the
/// same: SQLite's integrity check does not see a bit that flips within a value.
///
/// Rows that can be told from others (`_record`, `_reference`, `_asset`, `_cover`) have none. The
/// numbers of rows are not part of it: what refers to a row shows when its number is damaged.
enum RowSeal {
  /// The tables with the columns that their seals cover.
  static let tables = [
    Table("_state", ["catalog", "forgotten"]),
    Table("_user", ["account", "name"]),
    Table("_author", ["user", "device"]),
    Table(
      "_zone",
      ["scope", "owner", "name", "made", "sequence", "records", "checksum", "bytes", "client"]),
    Table("_type", ["name", "location", "kept", "grants"]),
    Table("_field", ["type", "name", "kind", "location", "indexes"]),
    Table("_tombstone", ["zone", "name", "type", "sequence", "share"]),
    Table("_zone_tombstone", ["scope", "owner", "name", "sequence", "reason"]),
    Table("_role", ["name"]),
    Table("_incarnation", ["identity", "until"]),
    Table("_share", ["zone", "name", "root", "token", "permission", "requests"]),
    Table(
      "_participant",
      [
        "share", "participant", "user", "address", "role", "permission", "status", "added", "token",
        "requester", "account",
      ]),
    Table("_window", ["user", "owner", "name", "zone", "since", "until"]),
    Table(
      "_subscription",
      [
        "user", "scope", "name", "kind", "zone", "type", "predicate", "events", "once", "info",
      ]),
    Table(
      "_notification",
      [
        "user", "device", "subscription", "kind", "scope", "zone", "owner", "record", "reason",
        "read", "at", "contents",
      ]),
    Table("_inbox", ["user", "device", "cleared", "held", "badges"]),
    Table("_visibility", ["user", "zone", "name", "type", "sequence", "gained"]),
  ]

  /// A table with a seal.
  struct Table {
    let name: String
    let columns: [String]

    init(_ name: String, _ columns: [String]) { (self.name, self.columns) = (name, columns) }
  }

  /// The columns that the seal of a table covers.
  static func columns(of table: String) -> [String] {
    tables.first { $0.name == table }?.columns ?? []
  }

  /// An SQL expression: whether the seal of a row matches its columns.
  static func fits(_ table: String, _ alias: String? = nil) -> String {
    let alias = alias.map { $0 + "." } ?? ""
    let columns = columns(of: table).map { alias + $0 }
    return "\(alias)seal = ckdb_seal(\(columns.separated(by: ", ")))"
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
    for table in tables {
      try connection.execute(
        "UPDATE \(table.name) SET seal = ckdb_seal(\(table.columns.joined(separator: ", ")))")
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
