internal import Basics
internal import SQLite
public import StoreFiles

/// The contents of an environment file in numbers; types, zones and records exclude those of
/// `Users`.
public struct StoreCounts: Sendable {
  /// Record types.
  public let types: Int64
  /// Zones.
  public let zones: Int64
  /// Records.
  public let records: Int64
  /// The bytes of the public database that count towards a quota.
  public let publicBytes: Int64
  /// The bytes of all private databases that count towards their users' quotas.
  public let privateBytes: Int64
  /// Bytes of the database and its log.
  public let fileBytes: Int64
}

extension EnvironmentStore {
  /// Counts the contents.
  public func counts() throws(StoreError) -> StoreCounts {
    let bytes = ["", "-wal"].reduce(Int64(0)) {
      $0 + (FileSystem.size(of: file.databasePath + $1) ?? 0)
    }
    let zones = try connection.prepared(
      """
      SELECT sum(owner >= 0), ifnull(sum(iif(owner >= 0, records, 0)), 0),
        ifnull(sum(iif(scope = 1, bytes, 0)), 0), ifnull(sum(iif(scope = 2, bytes, 0)), 0)
      FROM _zone
      """)
    defer { zones.reset() }
    _ = try zones.next()
    return StoreCounts(
      types: try connection.number("SELECT count(*) FROM _type WHERE name <> 'Users'") ?? 0,
      zones: zones.int64(0), records: zones.int64(1), publicBytes: zones.int64(2),
      privateBytes: zones.int64(3), fileBytes: bytes)
  }
}
