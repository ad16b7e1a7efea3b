internal import CloudModel
internal import Foundation

/// Sends what waits to be sent: zones first, then records batch by batch.
struct SyncSending {
  private let engine: CKSyncEngine
  private let delegate: any CKSyncEngineDelegate
  private let context: CKSyncEngine.SendChangesContext
  private var state: CKSyncEngine.State { engine.state }

  init(
    _ engine: CKSyncEngine, _ delegate: any CKSyncEngineDelegate,
    _ reason: CKSyncEngine.SyncReason, _ options: CKSyncEngine.SendChangesOptions
  ) {
    (self.engine, self.delegate) = (engine, delegate)
    context = .init(reason: reason, options: options)
  }

  func run() async throws {
    await engine.post(.willSendChanges(.init(context: context)))
    let error: CKError?
    do {
      let ofZones = try await sendZones()
      let ofRecords = try await sendRecords()
      error = ofZones ?? ofRecords
    } catch let failure { error = CKError(any: failure) }
    await engine.postState()
    await engine.post(.didSendChanges(.init(context: context)))
    if let error { throw error }
  }

  // MARK: Zones

  /// Sends the pending zones. Returns the error of those that failed; throws one that ends the
  /// whole.
  private func sendZones() async throws -> CKError? {
    let scope = context.options.scope
    let (changes, mark) = (state.value.zones.changes, state.value.zones.mark)
    let sent = changes.filter { scope.contains($0.zoneID) }
    if sent.isEmpty { return nil }
    var change = ZoneModifying(scope: engine.database.scope)
    for pending in sent {
      switch pending {
      case .saveZone(let zone): change.zones.append(zone)
      case .deleteZone(let id): change.deletions.append(id)
      }
    }
    var results = ZoneModifying.Results()
    var ending: CKError?
    do {
      results = try await engine.database.client.perform(.writing, change.run)
    } catch {
      let error = CKError(any: error)
      ending = error
      results.saves = change.zones.map { ($0.zoneID, .failure(error)) }
      results.deletions = change.deletions.map { ($0, .failure(error)) }
    }
    note(results, sent, upTo: mark)
    await engine.post(.sentDatabaseChanges(.init(results, zones: change.zones)))
    await engine.postState()
    if let ending { throw ending }
    return results.error
  }

  private func note(
    _ results: ZoneModifying.Results, _ sent: [CKSyncEngine.PendingDatabaseChange], upTo mark: Int
  ) {
    let failures = Dictionary(failures: results.saves)
      .merging(Dictionary(failures: results.deletions)) { $1 }
    state.change { state in
      for pending in sent {
        let failure = failures[pending.zoneID].map { CKError(any: $0) }
        if failure?.isTransient == true { continue }
        state.zones.remove(pending, addedUpTo: mark)
        if failure != nil { continue }
        switch pending {
        case .saveZone(let zone): state.noteSaved(zone.zoneID)
        case .deleteZone(let id): state.noteDeleted(id)
        }
      }
    }
  }

  // MARK: Records

  /// Sends batches until there are no more. Returns the error of records that failed; throws one
  /// that ends the whole.
  private func sendRecords() async throws -> CKError? {
    var failed: [AnyHashable: any Error] = [:]
    var tried = TriedChanges()
    while true {
      // What the app changes from here on is sent again: the batch may not have it.
      let mark = state.value.records.mark
      guard var batch = await nextBatch(without: tried) else { break }
      batch.recordsToSave.removeAll { tried.contains($0.recordID) }
      batch.recordIDsToDelete.removeAll { tried.contains($0) }
      if batch.recordsToSave.isEmpty && batch.recordIDsToDelete.isEmpty { break }
      var change = RecordModifying(in: engine.database.scope)
      change.records = batch.recordsToSave.map { RecordSnapshot($0) }
      change.deletions = batch.recordIDsToDelete
      change.isAtomic = batch.atomicByZone
      let outcome = await send(change)
      note(outcome.results, upTo: mark)
      let failures = Dictionary(failures: outcome.results.saves)
        .merging(Dictionary(failures: outcome.results.deletions)) { $1 }
      failed.merge(failures) { $1 }
      tried.add(failures.keys.compactMap { $0.base as? CKRecord.ID }, batch.atomicByZone)
      await engine.post(.sentRecordZoneChanges(.init(outcome.results, batch.recordsToSave)))
      await engine.postState()
      if let ending = outcome.ending { throw ending }
      if Task.isCancelled { throw CKError.cancelled }
    }
    return .partial("Failed to send some records", failed)
  }

  /// Asks the delegate for a batch. It does not see the changes that failed.
  private func nextBatch(
    without tried: TriedChanges
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let value = state.value
    let isIdle =
      value.records.isEmpty
      || !tried.isEmpty && value.records.changes.allSatisfy { tried.contains($0.recordID) }
    if isIdle && !value.hasPendingUntrackedChanges { return nil }
    return await TriedChanges.$hidden.withValue(tried) {
      await engine.calling {
        await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
      }
    }
  }

  /// Sends a batch; an error of the whole is that of each record.
  private func send(
    _ change: RecordModifying
  ) async -> (results: RecordModifying.Results, ending: CKError?) {
    do {
      var results = try await engine.database.client.perform(.writing, change.run)
      acceptRepeated(&results, change)
      return (results, nil)
    } catch {
      let error = CKError(any: error)
      var results = RecordModifying.Results()
      results.saves = change.records.map { ($0.record.recordID, .failure(error)) }
      results.deletions = change.deletions.map { ($0, .failure(error)) }
      return (results, error)
    }
  }

  /// A save whose answer was lost is repeated and meets its own version: that is a success.
  private func acceptRepeated(_ results: inout RecordModifying.Results, _ change: RecordModifying) {
    let doubtful = state.value.doubtful
    if doubtful.isEmpty { return }
    for (place, save) in results.saves.enumerated() where doubtful.contains(save.0) {
      guard let error = save.1.error as? CKError, error.code == .serverRecordChanged,
        let server = error.serverRecord, server.hasChanges(of: change.records[place].record)
      else { continue }
      results.saves[place].1 = .success(server)
    }
  }

  private func note(_ results: RecordModifying.Results, upTo mark: Int) {
    state.change { state in
      for (id, result) in results.saves {
        let failure = result.error.map { CKError(any: $0) }
        if let record = result.value {
          state.noteSaved(record)
        } else if failure?.isTransient == true {
          state.doubtful.insert(id)
          continue
        } else {
          state.doubtful.remove(id)
        }
        state.records.remove(.saveRecord(id), addedUpTo: mark)
      }
      for (id, result) in results.deletions {
        let failure = result.error.map { CKError(any: $0) }
        if failure?.isTransient == true { continue }
        if failure == nil { state.noteDeleted(id) }
        state.records.remove(.deleteRecord(id), addedUpTo: mark)
      }
    }
  }
}

/// What failed in an operation of an engine, and is not tried again before the next one.
struct TriedChanges: Sendable {
  private var records: Set<CKRecord.ID> = []
  /// The zones of which all records change or none does.
  private var zones: Set<CKRecordZone.ID> = []

  /// What the task that asks for a batch does not see among the pending changes.
  @TaskLocal static var hidden = TriedChanges()

  mutating func add(_ failed: [CKRecord.ID], _ isAtomic: Bool) {
    records.formUnion(failed)
    if isAtomic { zones.formUnion(failed.map(\.zoneID)) }
  }

  func contains(_ id: CKRecord.ID) -> Bool {
    records.contains(id) || zones.contains(id.zoneID)
  }

  var isEmpty: Bool { records.isEmpty }
}

extension CKSyncEngine.Event.SentDatabaseChanges {
  fileprivate init(_ results: ZoneModifying.Results, zones: [CKRecordZone]) {
    savedZones = results.saves.compactMap(\.1.value)
    failedZoneSaves = zip(zones, results.saves).compactMap { zone, save in
      save.1.error.map { FailedZoneSave(zone: zone, error: CKError(any: $0)) }
    }
    deletedZoneIDs = results.deletions.filter { $0.1.error == nil }.map(\.0)
    failedZoneDeletes = .init(failed: results.deletions)
  }
}

extension CKSyncEngine.Event.SentRecordZoneChanges {
  fileprivate init(_ results: RecordModifying.Results, _ records: [CKRecord]) {
    savedRecords = results.saves.compactMap(\.1.value)
    failedRecordSaves = zip(records, results.saves).compactMap { record, save in
      save.1.error.map { FailedRecordSave(record: record, error: CKError(any: $0)) }
    }
    deletedRecordIDs = results.deletions.filter { $0.1.error == nil }.map(\.0)
    failedRecordDeletes = .init(failed: results.deletions)
  }
}

extension Dictionary where Value == CKError {
  /// The errors of the items that failed.
  fileprivate init<Item>(failed results: [(Key, Result<Item, any Error>)]) {
    self.init()
    for case (let id, .failure(let error)) in results { self[id] = CKError(any: error) }
  }
}

extension CKError {
  /// Whether the reason goes away by itself, so that an engine tries again.
  var isTransient: Bool { Self.transient.contains(code) }

  private static let transient: Set<Code> = [
    .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy,
    .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled, .serverResponseLost,
    .batchRequestFailed,
  ]
}

extension CKRecord {
  /// Whether this version, which the current user saved, has all values that another one changes.
  fileprivate func hasChanges(of other: CKRecord) -> Bool {
    guard lastModifiedUserRecordID?.recordName == CKCurrentUserDefaultName, parent == other.parent
    else { return false }
    return hasValues(
      of: other, other.changedKeys(), encrypted: other.encryptedValues.changedKeys())
  }
}
