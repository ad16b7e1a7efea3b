internal import SQLite
internal import StoreFiles

/// The hash that each row of our own tables ends with, where nothing else in the file says the
/// same: SQLite's integrity check does not see a bit that flips within a value.
///
/// Rows that can be told from others (`_record`, `_reference`, `_asset`, `_cover`) have none. The
/// numbers of rows are not part of it: what refers to a row shows when its number is damaged.
enum RowSeal {
  /// The tables with the columns that their seals cover.
  static let tables = [
    SealedTable("_state", ["catalog", "forgotten"]),
    SealedTable("_user", ["account", "name"]),
    SealedTable("_author", ["user", "device"]),
    SealedTable(
      "_zone",
      ["scope", "owner", "name", "made", "sequence", "records", "checksum", "bytes", "client"]),
    SealedTable("_type", ["name", "location", "kept", "grants"]),
    SealedTable("_field", ["type", "name", "kind", "location", "indexes"]),
    SealedTable("_tombstone", ["zone", "name", "type", "sequence", "share"]),
    SealedTable("_zone_tombstone", ["scope", "owner", "name", "sequence", "reason"]),
    SealedTable("_role", ["name"]),
    SealedTable("_incarnation", ["identity", "until"]),
    SealedTable("_share", ["zone", "name", "root", "token", "permission", "requests"]),
    SealedTable(
      "_participant",
      [
        "share", "participant", "user", "address", "role", "permission", "status", "added", "token",
        "requester", "account",
      ]),
    SealedTable("_window", ["user", "owner", "name", "zone", "since", "until"]),
    SealedTable(
      "_subscription",
      [
        "user", "scope", "name", "kind", "zone", "type", "predicate", "events", "once", "info",
      ]),
    SealedTable(
      "_notification",
      [
        "user", "device", "subscription", "kind", "scope", "zone", "owner", "record", "reason",
        "read", "at", "contents",
      ]),
    SealedTable("_inbox", ["user", "device", "cleared", "held", "badges"]),
    SealedTable("_visibility", ["user", "zone", "name", "type", "sequence", "gained"]),
  ]

  /// The columns that the seal of a table covers.
  static func columns(of table: String) -> [String] {
    self.table(table).columns
  }

  /// An SQL expression: whether the seal of a row matches its columns.
  static func fits(_ table: String, _ alias: String? = nil) -> String {
    self.table(table).fits(alias)
  }

  /// Throws `SQLiteError` for a row that is not what was written: `column` holds what `fits` says
  /// of it.
  static func require(
    _ row: Statement, _ column: Int, of table: String
  ) throws(SQLiteError) {
    try self.table(table).require(row, column)
  }

  /// Seals all rows as they are now.
  static func sealAll(on connection: Connection) throws(SQLiteError) {
    for table in tables { try table.sealAll(on: connection) }
  }

  private static func table(_ name: String) -> SealedTable {
    tables.first { $0.name == name } ?? SealedTable(name, [])
  }
}
