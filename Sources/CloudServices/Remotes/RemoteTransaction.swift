internal import CloudModel
internal import RecordStore
internal import StoreFiles

/// A write transaction of a remote copy.
final class RemoteTransaction {
  let copy: RemoteCopy
  let remote: StoredRemote
  let base: WriteTransaction
  var store: EnvironmentStore { copy.store }
  private var zones: [ZoneName: StoredZone] = [:]

  init(_ copy: RemoteCopy) throws {
    self.copy = copy
    base = try WriteTransaction(in: copy.database)
    let scope = copy.database.scope
    let owner = scope == .private ? base.writer : nil
    remote =
      try copy.store.remote(copy.identity, scope, of: owner)
      ?? copy.store.addRemote(copy.identity, scope, of: owner)
  }

  /// The zone here; nil if there is none.
  func storedZone(_ name: ZoneName) throws -> StoredZone? {
    try copy.database.storedZone(ZoneID(name))
  }

  /// The zone here, which is made if there is none.
  func zone(_ name: ZoneName) throws -> StoredZone {
    if let zone = zones[name] { return zone }
    let scope = copy.database.scope
    let owner = scope == .private ? base.writer : nil
    let zone = try storedZone(name) ?? store.addZone(ZoneID(name), scope, of: owner)
    zones[name] = zone
    return zone
  }

  /// Deletes a zone that the server has deleted, unless records in it were changed here.
  func deleteZone(_ name: ZoneName, _ result: inout PullResult) throws {
    guard let row = try store.knownZone(name, of: remote) else { return }
    defer { zones[name] = nil }
    if let stored = try storedZone(name), !stored.zone.id.isDefault {
      let taking = try PageTaking(self, name)
      try taking.deleteAll()
      result += taking.result
      guard taking.result.conflicts.isEmpty, try store.isEmpty(stored) else { return }
      try store.deleteZone(stored, copy.database.scope, of: base.writer)
      result.deletedZones += 1
    }
    try store.remove(row)
  }

  /// Whether a record has the contents of the version in common.
  func isUnchanged(
    _ stored: StoredRecord, _ table: TypeTable, _ common: RemoteBase?
  ) -> Bool {
    guard let common, !common.tag.isEmpty else { return false }
    return stored.sequence == common.sequence || table.contents(of: stored.record) == common.sum
  }
}
