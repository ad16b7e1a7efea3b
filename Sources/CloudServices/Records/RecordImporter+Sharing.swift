internal import Basics
internal import CloudModel
internal import RecordStore

// Records in the shared database.
extension RecordImporter {
  /// Checks that a record in the shared database stays in the share.
  func checkSharing(of record: Record, _ saving: RecordSaving) throws {
    guard database.scope == .shared else { return }
    let stored = try store.record(record.name, in: saving.zone)
    if let stored {
      try saving.requireWritable(stored, parent: record.parent, isUpdate: false)
    }
    try saving.sharing.checkSave(of: record, over: stored, promised: saving.promised)
    state.saved.append((saving.zone, record.name))
  }

  /// Checks the records of an import into the shared database again, because their parents may have
  /// come after them. Throws `permissionFailure`.
  func checkSaved() throws {
    for (zone, name) in state.saved.elements {
      try SharingRules(database: database, zone: zone).checkSaved(name)
    }
  }
}
