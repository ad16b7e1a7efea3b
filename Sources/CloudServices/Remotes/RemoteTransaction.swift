internal import CloudModel
internal import RecordStore
internal import StoreFiles

/// A write transaction of a remote copy.
final class RemoteTransaction {
  let copy: RemoteCopy
  let remote: StoredRemote
  let base: WriteTransaction
  var store: EnvironmentStore { copy.store }
  private var zones: [ZoneID: StoredZone] = [:]

  init(_ copy: RemoteCopy) throws {
    self.copy = copy
    base = try WriteTransaction(in: copy.database)
    let scope = copy.database.scope
    let owner = scope == .public ? nil : base.writer
    remote =
      try copy.store.remote(copy.identity, scope, of: owner)
      ?? copy.store.addRemote(copy.identity, scope, of: owner)
  }

  /// The zone here, which is made if there is none.
  func zone(_ id: ZoneID) throws -> StoredZone {
    if let zone = zones[id] { return zone }
    let zone =
      switch copy.database.scope {
      case .public: try copy.storedZone(id) ?? store.addZone(id, .public, of: nil)
      case .private: try copy.storedZone(id) ?? store.addZone(id, .private, of: base.writer)
      case .shared: try sharedZone(id)
      }
    zones[id] = zone
    return zone
  }

  /// Deletes a zone that the server has deleted. Keeps it if records in it were changed here, and
  /// keeps a shared zone whose copy belongs to another remote.
  func deleteZone(_ id: ZoneID, _ result: inout PullResult) throws {
    guard let row = try copy.knownRow(of: id, in: remote) else { return }
    defer { zones[id] = nil }
    if copy.database.scope == .shared {
      try deleteSharedZone(id, row, &result)
    } else if let stored = try copy.storedZone(id), !id.isDefault {
      let taking = try PageTaking(self, id)
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
