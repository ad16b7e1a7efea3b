internal import Basics
internal import CloudModel
internal import SQLite
public import StoreFiles

/// Contents that nobody uses, under a lock that keeps readers away.
struct UnusedAssets {
  let hashes: [String]
  let lock: WriterLock
}

/// Whose contents are used, and how often: contents that nobody uses any more are removed with
/// the transaction that let go of them (R6.4).
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
      let statement = try connection.prepared(
        "INSERT INTO _asset VALUES (?, 1) ON CONFLICT(hash) DO UPDATE SET uses = uses + 1")
      statement.bind(asset.sha256, 1)
      try statement.perform()
    }
    for asset in old {
      let statement = try connection.prepared(
        "UPDATE _asset SET uses = uses - 1 WHERE hash = ?")
      statement.bind(asset.sha256, 1)
      try statement.perform()
      state.changes?.released.add(asset.sha256, ())
    }
  }

  /// Lets go of the assets of a type's records in a zone, which are about to be deleted.
  func releaseAssets(of table: TypeTable, in zone: StoredZone) throws(StoreError) {
    guard table.hasAssets else { return }
    let names = table.columns.map(\.schema).filter { $0.type.base == .asset }.map(\.name)
    let reader = FieldReader(table, keys: names)
    let rows = try connection.query(
      "SELECT t._id\(reader.list) FROM \(table.table) t WHERE t._zone = ?")
    rows.bind(zone.number, 1)
    while try rows.next() {
      try changeAssets(from: reader.fields(in: rows, from: 1).assets, to: [])
    }
  }

  /// Keeps all contents in place until the lock is given back; nil where a lock cannot be made
  /// because nobody may write.
  public func holdAssets() throws(StoreError) -> WriterLock? {
    guard !isReadOnly else { return nil }
    let lock = try WriterLock(path: file.assetsLockPath)
    try lock.lock(patience, isShared: true)
    return lock
  }

  /// Forgets the contents that nobody uses any more, unless somebody is reading contents: then
  /// that is left to a later transaction.
  func forgetUnusedAssets() throws(StoreError) -> UnusedAssets? {
    guard let changes = state.changes, !changes.released.keys.isEmpty else { return nil }
    let lock = try WriterLock(path: file.assetsLockPath)
    guard lock.tryLock() else { return nil }
    let statement = try connection.prepared(
      "DELETE FROM _asset WHERE uses = 0 RETURNING hash")
    var hashes: [String] = []
    while try statement.next() { hashes.append(statement.text(0)) }
    return UnusedAssets(hashes: hashes, lock: lock)
  }
}
