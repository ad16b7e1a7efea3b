@_exported public import Foundation

/// Saves and deletes zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to save.
  public var recordZonesToSave: [CKRecordZone]?
  /// The zones to delete, with all their records.
  public var recordZoneIDsToDelete: [CKRecordZone.ID]?

  /// Called with each saved zone, or its error.
  public var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Called with each deleted zone, or its error.
  public var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)?
  /// Called last.
  public var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called last, with the saved and deleted zones.
  public var modifyRecordZonesCompletionBlock:
    (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation that saves and deletes zones.
  public convenience init(
    recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
  ) {
    self.init()
    (self.recordZonesToSave, self.recordZoneIDsToDelete) =
      (recordZonesToSave, recordZoneIDsToDelete)
  }

  override func execute() {
    let change = ZoneModifying(
      zones: recordZonesToSave ?? [], deletions: recordZoneIDsToDelete ?? [], scope: scope)
    run(.writing, change.run) { [self] result in
      switch result {
      case .failure(let error): finish(nil, nil, error)
      case .success(let results):
        for (id, result) in results.saves { perRecordZoneSaveBlock?(id, result) }
        for (id, result) in results.deletions { perRecordZoneDeleteBlock?(id, result) }
        let deleted = results.deletions.filter { $0.1.error == nil }.map(\.0)
        finish(results.saves.compactMap(\.1.value), deleted, results.error)
      }
    }
  }

  private func finish(
    _ saved: [CKRecordZone]?, _ deleted: [CKRecordZone.ID]?, _ error: (any Error)?
  ) {
    finish { [self] in
      modifyRecordZonesCompletionBlock?(saved, deleted, error)
      modifyRecordZonesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perRecordZoneSaveBlock, perRecordZoneDeleteBlock) = (nil, nil)
    (modifyRecordZonesResultBlock, modifyRecordZonesCompletionBlock) = (nil, nil)
  }
}

/// Fetches zones.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zones to fetch; nil for all.
  public var recordZoneIDs: [CKRecordZone.ID]?

  /// Called with each zone, or its error.
  public var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Called last.
  public var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called last, with all zones.
  public var fetchRecordZonesCompletionBlock:
    (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

  /// Creates an operation that fetches all zones of the database.
  public override init() { super.init() }

  /// Creates an operation that fetches zones.
  public convenience init(recordZoneIDs zoneIDs: [CKRecordZone.ID]) {
    self.init()
    recordZoneIDs = zoneIDs
  }

  /// Creates an operation that fetches all zones of the database.
  public class func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation {
    CKFetchRecordZonesOperation()
  }

  override func execute() {
    run(.reading, ZoneFetching(ids: recordZoneIDs, scope: scope).run) { [self] result in
      switch result {
      case .failure(let error): finish(nil, error)
      case .success(let results):
        for (id, result) in results { perRecordZoneResultBlock?(id, result) }
        let zones = results.compactMap { id, result in result.value.map { (id, $0) } }
        finish(Dictionary(zones, uniquingKeysWith: { $1 }), ZoneFetching.error(of: results))
      }
    }
  }

  private func finish(_ zones: [CKRecordZone.ID: CKRecordZone]?, _ error: (any Error)?) {
    finish { [self] in
      fetchRecordZonesCompletionBlock?(zones, error)
      fetchRecordZonesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perRecordZoneResultBlock, fetchRecordZonesResultBlock) = (nil, nil)
    fetchRecordZonesCompletionBlock = nil
  }
}
