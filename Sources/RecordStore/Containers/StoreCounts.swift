internal import Basics
internal import SQLite

extension EnvironmentStore {
  /// How many types, zones and records there are beside those of users, and the bytes of the
  /// files. Throws `StoreError`.
  public func counts() throws(StoreError) -> (
    types: Int64, zones: Int64, records: Int64, bytes: Int64
  ) {
    let bytes = ["", "-wal"].reduce(Int64(0)) {
      $0 + (FileSystem.size(of: file.databasePath + $1) ?? 0)
    }
    return try sql { () throws(SQLiteError) in
      (
        types: try connection.integer("SELECT count(*) FROM _type WHERE name <> 'Users'") ?? 0,
        zones: try connection.integer("SELECT count(*) FROM _zone WHERE owner >= 0") ?? 0,
        records: try connection.integer("SELECT total(records) FROM _zone WHERE owner >= 0") ?? 0,
        bytes: bytes
      )
    }
  }
}
