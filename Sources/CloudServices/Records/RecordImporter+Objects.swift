internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import RecordStore
internal import StoreFiles

// What the import of Core Data's objects needs besides adding records.
extension RecordImporter {
  /// Throws if the user has interrupted the import.
  func checkInterrupt() throws {
    if transaction.request.patience.interruption.isRaised {
      throw StoreError(.interrupted, "interrupted: nothing was imported")
    }
  }

  /// Adds one record; returns whether it is saved, and neither faulty nor left out.
  func admits(_ draft: RecordDraft) throws -> Bool {
    let before = state.summary
    try add(draft)
    let after = state.summary
    return after.faults.count == before.faults.count && after.skipped == before.skipped
      && after.shares == before.shares && after.gone == before.gone
  }

  /// The zone of a draft; nil for one that does not exist yet.
  func storedZone(of draft: RecordDraft) throws -> StoredZone? {
    try database.storedZone(draft.zoneID(in: database.scope) ?? options.zone)
  }

  /// Whether a record exists already.
  func exists(_ draft: RecordDraft) throws -> Bool {
    guard let name = draft.name, let zone = try storedZone(of: draft) else { return false }
    return try store.hasRecord(RecordName(stored: name), in: zone)
  }

  /// The size of the values that an existing record keeps when a draft is merged into it.
  func sizeKept(beside draft: RecordDraft) throws -> Int {
    guard options.policy != .unchanged, let name = draft.name,
      let zone = try storedZone(of: draft),
      let stored = try store.record(RecordName(stored: name), in: zone)?.record
    else { return 0 }
    var kept = stored.fields
    for field in draft.fields { kept[field.name] = nil }
    return kept.size
  }

  /// Copies the contents of an asset into the store.
  func bring(_ bytes: [UInt8]) throws -> Asset {
    let staged = try database.environment.stage(.bytes(bytes))
    let asset = staged.asset
    try transaction.keep(staged)
    state.brought.append(asset)
    return asset
  }

  /// Removes the contents of assets that no record has.
  func forget(_ assets: [Asset]) throws {
    for asset in assets { try store.forgetIfUnused(asset) }
  }

  /// Notes a value that does not fit its field and was left out.
  func noteDroppedValue() { state.summary.droppedValues += 1 }

  /// Removes fields without a value that the type of the record does not have: there is nothing to
  /// empty.
  func removeNeedlessFields(of draft: inout RecordDraft) throws {
    let type = draft.type ?? ""
    let table = try tables[type] ?? store.table(RecordType(stored: type))
    draft.fields.removeAll { $0.value == nil && table?.place(of: $0.name) == nil }
  }
}
