internal import CloudModel
internal import CloudServices
@_exported public import Foundation

/// The outcomes of saving and deleting records, item by item.
private typealias ModifyOutcomes = (
  saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
  deleteResults: [CKRecord.ID: Result<Void, any Error>]
)

extension RecordModifying.Results {
  fileprivate var outcomes: ModifyOutcomes {
    (
      Dictionary(saves, uniquingKeysWith: { $1 }), Dictionary(deletions, uniquingKeysWith: { $1 })
    )
  }
}

// Each request as a completion handler with a value and an error, as one with a result, and as an
// asynchronous function.
extension CKDatabase {
  // MARK: Saving

  /// Saves a record unless it has changed in iCloud since it was fetched (R4.1), and updates its
  /// change tag. Throws `serverRecordChanged` with the current record otherwise.
  @discardableResult
  public func save(_ record: CKRecord) async throws -> CKRecord {
    try await client.perform(.writing, RecordSaving(record: record, scope: scope).run)
  }

  /// Saves a record, and passes it or an error.
  @preconcurrency
  public func save(
    _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    client.perform(.writing, RecordSaving(record: record, scope: scope).run) {
      completionHandler($0.value, $0.error)
    }
  }

  /// Saves and deletes records in one operation. Throws an error of the whole operation; those of
  /// items are in the results.
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) {
    let change = modifying(recordsToSave, recordIDsToDelete, savePolicy, atomically)
    return try await client.perform(.writing, change.run).outcomes
  }

  /// Saves and deletes records in one operation, and passes the results.
  @preconcurrency
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
            deleteResults: [CKRecord.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    let change = modifying(recordsToSave, recordIDsToDelete, savePolicy, atomically)
    client.perform(.writing, change.run) { result in completionHandler(result.map(\.outcomes)) }
  }

  private func modifying(
    _ records: [CKRecord], _ deletions: [CKRecord.ID],
    _ policy: CKModifyRecordsOperation.RecordSavePolicy, _ isAtomic: Bool
  ) -> RecordModifying {
    var change = RecordModifying(in: scope)
    (change.records, change.deletions) = (records.map { RecordSnapshot($0) }, deletions)
    (change.policy, change.isAtomic) = (policy, isAtomic)
    return change
  }

  // MARK: Deleting

  /// Deletes a record; one that does not exist is success (R4.4.14).
  @discardableResult
  public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
    try await client.perform(.writing, RecordDeletion(id: recordID, scope: scope).run)
  }

  /// Deletes a record, and passes its identity or an error.
  @preconcurrency
  public func delete(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    client.perform(.writing, RecordDeletion(id: recordID, scope: scope).run) {
      completionHandler($0.value, $0.error)
    }
  }

  // MARK: Fetching

  /// Fetches a record. Throws `unknownItem` if it does not exist.
  public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
    try await client.perform(.reading, fetching([recordID], nil).runOne)
  }

  /// Fetches a record, and passes it or an error.
  @preconcurrency
  public func fetch(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    client.perform(.reading, fetching([recordID], nil).runOne) {
      completionHandler($0.value, $0.error)
    }
  }

  /// Fetches records, with some of their fields or all.
  public func records(
    for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
    Dictionary(
      try await client.perform(.reading, fetching(ids, desiredKeys).run),
      uniquingKeysWith: { $1 })
  }

  /// Fetches records, and passes the results.
  @preconcurrency
  public func fetch(
    withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>
      ) -> Void
  ) {
    client.perform(.reading, fetching(recordIDs, desiredKeys).run) { result in
      completionHandler(result.map { Dictionary($0, uniquingKeysWith: { $1 }) })
    }
  }

  private func fetching(_ ids: [CKRecord.ID], _ keys: [String]?) -> RecordFetching {
    RecordFetching(ids: ids, desiredKeys: keys, scope: scope)
  }
}

extension RecordFetching {
  /// Fetches the only record. Throws its error.
  fileprivate func runOne(_ client: Client, _ request: Request) throws -> CKRecord {
    try run(client, request)[0].1.get()
  }
}

extension Result {
  /// The value; nil for a failure.
  var value: Success? { try? get() }
  /// The failure; nil for a value.
  var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
