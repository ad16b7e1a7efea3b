internal import CloudModel
internal import SQLite
public import StoreFiles

// Many insertions in one transaction: it is faster to make the indexes of a type anew at the end
// than to put each row into all of them (DS4).
extension EnvironmentStore {
  /// Makes the page caches large enough for many changes at random places.
  public func prepareForBulk() throws(StoreError) {
    try connection.perform(
      "PRAGMA main.cache_size = -16384; PRAGMA temp.cache_size = -8192")
  }

  /// Drops the physical indexes of a type of which a good part was inserted after a sequence
  /// number, until `resumeIndexes`. Not within an `attempt`.
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

  /// One of so many rows.
  private static let goodPart: Int64 = 5

  /// Makes the suspended indexes, of all rows that there are now.
  public func resumeIndexes() throws(StoreError) {
    for (type, indexes) in state.suspended {
      guard let table = try table(type) else { continue }
      try build(indexes, of: table)
    }
    state.suspended = []
  }
}
