internal import CloudModel
internal import SQLite
public import StoreFiles

// Many insertions in one transaction: it is faster to make the indexes of a type again at the end
// than to put each row into all of them (DS4).
extension EnvironmentStore {
  /// Makes the page caches large enough for many changes at random places.
  public func prepareForBulk() throws(StoreError) {
    try connection.perform(
      "PRAGMA main.cache_size = -16384; PRAGMA temp.cache_size = -8192")
  }

  /// Drops the physical indexes of a type, until `resumeIndexes`, once a good part of it was
  /// inserted after a sequence number. Do not call it within an `attempt`.
  public func suspendIndexes(
    of table: TypeTable, insertedAfter sequence: Int64
  ) throws(StoreError) {
    let indexes = try indexes(of: table)
    if indexes.isEmpty { return }
    let new = try connection.number(
      "SELECT count(*) FROM \(table.table) WHERE _id > \(sequence)")
    let all = try connection.number("SELECT count(*) FROM \(table.table)")
    guard (new ?? 0) * Self.goodPart >= all ?? 0 else { return }
    try drop(indexes, of: table)
    state.suspended.append((table.schema.name, indexes))
  }

  /// Indexes are made again if one of this many rows is new.
  private static let goodPart: Int64 = 5

  /// Makes the suspended indexes again, for all rows.
  public func resumeIndexes() throws(StoreError) {
    for (type, indexes) in state.suspended {
      guard let table = try table(type) else { continue }
      try build(indexes, of: table)
    }
    state.suspended = []
  }
}
