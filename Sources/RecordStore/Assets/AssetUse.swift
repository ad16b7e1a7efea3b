internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// Unused contents, under a lock that excludes readers.
struct UnusedAssets {
  let hashes: [String]
  let lock: WriterLock
}

/// The use counts of contents. Contents without a use are removed with the transaction that dropped
/// the last one (R6.4).
extension EnvironmentStore {
  /// Counts the assets of a record that changes.
  func changeAssets(
    from old: RecordFields, to new: RecordFields, _ table: TypeTable
  ) throws(StoreError) {
    guard table.hasAssets else { return }
    try changeAssets(from: old.assets, to: new.assets)
  }

  private func changeAssets(from old: [Asset], to new: [Asset]) throws(StoreError) {
    if old == new { return }
    for asset in new {
      try database.run(
        """
        INSERT INTO _asset(hash, uses) VALUES (?, 1)
        ON CONFLICT(hash) DO UPDATE SET uses = uses + 1
        """, [asset.sha256])
    }
    for asset in old {
      try database.run("UPDATE _asset SET uses = uses - 1 WHERE hash = ?", [asset.sha256])
      state.changes?.hasReleasedAssets = true
    }
  }

  /// Drops the uses of the assets of a type's records in a zone, which are about to be deleted.
  func releaseAssets(of table: TypeTable, in zone: StoredZone) throws(StoreError) {
    guard table.hasAssets else { return }
    let reader = FieldReader(table, keys: table.assetFields)
    let rows = try connection.query(
      "SELECT t._id\(reader.list) FROM \(table.table) t WHERE t._zone = ?")
    rows.bind(zone.number, 1)
    while try rows.next() {
      try changeAssets(from: reader.fields(in: rows, from: 1).assets, to: [])
    }
  }

  /// Whether a record of the environment has an asset.
  public func isUsed(_ asset: Asset) throws(StoreError) -> Bool {
    try database.hasRow("SELECT 1 FROM _asset WHERE hash = ? AND uses > 0", [asset.sha256])
  }

  /// Passes the assets of a zone's visible records to `body`. Throws `StoreError`, and the errors
  /// of `visible`.
  public func forEachAsset(
    in zone: StoredZone, visible: (TypeTable) throws -> VisibleRows, _ body: (Asset) -> Void
  ) throws {
    for type in try types() {
      guard let table = try table(type), table.hasAssets else { continue }
      let seen = try visible(table)
      let reader = FieldReader(table, keys: table.assetFields)
      let rows = try connection.query(
        "SELECT \(SystemColumns.list)\(reader.list) FROM \(table.table) t WHERE t._zone = ?")
      rows.bind(zone.number, 1)
      while try rows.next() {
        try checkInterrupt()
        guard seen.has(rows) else { continue }
        reader.fields(in: rows, from: SystemColumns.count).assets.forEach(body)
      }
    }
  }

  /// Removes contents with the transaction, unless a record uses them by then. Does nothing if an
  /// error has ended the transaction.
  public func forgetIfUnused(_ asset: Asset) throws(StoreError) {
    guard connection.isInTransaction else { return }
    try database.run(
      "INSERT INTO _asset(hash, uses) VALUES (?, 0) ON CONFLICT DO NOTHING", [asset.sha256])
    state.changes?.hasReleasedAssets = true
  }

  /// Keeps all contents in place until the lock is released; nil if the store is read-only and has
  /// no lock file.
  public func holdAssets() throws(StoreError) -> WriterLock? {
    try database.holdAssets()
  }

  /// Forgets unused contents. If a reader holds the lock, a later transaction does.
  func forgetUnusedAssets() throws(StoreError) -> UnusedAssets? {
    guard let changes = state.changes, changes.hasReleasedAssets else { return nil }
    let lock = try WriterLock(path: file.assetsLockPath)
    guard lock.tryLock() else { return nil }
    let statement = try connection.prepared(
      "DELETE FROM _asset WHERE uses = 0 RETURNING hash")
    var hashes: [String] = []
    while try statement.next() { hashes.append(statement.text(0)) }
    return UnusedAssets(hashes: hashes, lock: lock)
  }
}
