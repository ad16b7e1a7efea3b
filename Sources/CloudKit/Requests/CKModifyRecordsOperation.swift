internal import CloudModel
@_exported public import Foundation

/// Saves and deletes records.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// How a save treats the record in iCloud (R4.1).
  public enum RecordSavePolicy: Int, Sendable {
    /// Saves a record only if it has not changed in iCloud since it was fetched.
    case ifServerRecordUnchanged = 0
    /// Saves the changed fields over any version.
    case changedKeys = 1
    /// Saves all fields over any version; fields that the record does not have stay.
    case allKeys = 2
  }

  /// The records to save.
  public var recordsToSave: [CKRecord]?
  /// The records to delete.
  public var recordIDsToDelete: [CKRecord.ID]?
  /// How saves treat the records in iCloud.
  public var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
  /// Whether all records of a custom zone change or none does.
  public var isAtomic = true
  /// The app's token, which comes with the next changes of the zones.
  public var clientChangeTokenData: Data?

  /// Called with a record and how much of it is saved, from 0 to 1.
  public var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
  /// Called with each saved record, or its error.
  public var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called with each deleted record, or its error.
  public var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
  /// Called last.
  public var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called with each record that was to be saved, and its error.
  public var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
  /// Called last, with the saved and deleted records.
  public var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation that saves and deletes records.
  public convenience init(
    recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil
  ) {
    self.init()
    (self.recordsToSave, self.recordIDsToDelete) = (recordsToSave, recordIDsToDelete)
  }

  override func execute() {
    var change = RecordModifying(in: scope)
    change.records = (recordsToSave ?? []).map { RecordSnapshot($0) }
    change.deletions = recordIDsToDelete ?? []
    (change.policy, change.isAtomic) = (savePolicy, isAtomic)
    change.clientToken = clientChangeTokenData
    run(.writing, change.run) { [self] result in
      switch result {
      case .failure(let error): finish(nil, nil, error)
      case .success(let results): report(results)
      }
    }
  }

  private func report(_ results: RecordModifying.Results) {
    let records = Dictionary(
      (recordsToSave ?? []).map { ($0.recordID, $0) }, uniquingKeysWith: { $1 })
    for (id, result) in results.saves {
      guard let record = records[id] else { continue }
      if case .success = result { perRecordProgressBlock?(record, 1) }
      perRecordSaveBlock?(id, result)
      perRecordCompletionBlock?(record, result.error)
    }
    for (id, result) in results.deletions { perRecordDeleteBlock?(id, result) }
    let deleted = results.deletions.filter { $0.1.error == nil }.map(\.0)
    finish(results.saves.compactMap(\.1.value), deleted, results.error)
  }

  private func finish(_ saved: [CKRecord]?, _ deleted: [CKRecord.ID]?, _ error: (any Error)?) {
    finish { [self] in
      modifyRecordsCompletionBlock?(saved, deleted, error)
      modifyRecordsResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perRecordProgressBlock, perRecordSaveBlock) = (nil, nil)
    (perRecordDeleteBlock, modifyRecordsResultBlock) = (nil, nil)
    (perRecordCompletionBlock, modifyRecordsCompletionBlock) = (nil, nil)
  }
}
