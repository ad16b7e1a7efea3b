internal import CloudModel
@_exported public import Foundation

/// Fetches the zones that changed.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The token of the last fetch; nil for all zones.
  public var previousServerChangeToken: CKServerChangeToken?
  /// At most so many changes in one request; 0 lets the service choose.
  public var resultsLimit = 0
  /// Whether to go on until nothing more is coming.
  public var fetchAllChanges = true

  /// Called with each zone that is new or contains changes.
  public var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called with each zone that a program deleted.
  public var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called with each zone whose data the user purged.
  public var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called with each zone that lost its keys.
  public var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock:
    ((CKRecordZone.ID) -> Void)?
  /// Called with the token after each request.
  public var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
  /// Called last.
  public var fetchDatabaseChangesResultBlock:
    (
      (
        Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>
      ) -> Void
    )?
  /// Called last.
  public var fetchDatabaseChangesCompletionBlock:
    ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

  /// Creates an operation for all zones.
  public override init() { super.init() }

  /// Creates an operation for the zones that changed after a token.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func execute() { fetch(after: previousServerChangeToken) }

  private func fetch(after token: CKServerChangeToken?) {
    let page = DatabaseChangesFetching(
      token: token, limit: resultsLimit > 0 ? resultsLimit : nil, scope: scope)
    run(.reading, page.run) { [self] result in
      switch result {
      case .failure(let error): finish(nil, error)
      case .success(let page): report(page)
      }
    }
  }

  private func report(_ page: DatabaseChangesFetching.Page) {
    for id in page.changed { recordZoneWithIDChangedBlock?(id) }
    for (id, reason) in page.deleted {
      switch reason {
      case .deleted: recordZoneWithIDWasDeletedBlock?(id)
      case .purged: (recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock)?(id)
      case .encryptedDataReset:
        (recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock
          ?? recordZoneWithIDWasDeletedBlock)?(id)
      }
    }
    if page.isMoreComing, fetchAllChanges {
      changeTokenUpdatedBlock?(page.token)
      fetch(after: page.token)
    } else {
      finish(page, nil)
    }
  }

  private func finish(_ page: DatabaseChangesFetching.Page?, _ error: (any Error)?) {
    finish { [self] in
      fetchDatabaseChangesCompletionBlock?(page?.token, page?.isMoreComing ?? false, error)
      if let page {
        fetchDatabaseChangesResultBlock?(.success((page.token, page.isMoreComing)))
      } else if let error {
        fetchDatabaseChangesResultBlock?(.failure(error))
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (recordZoneWithIDChangedBlock, recordZoneWithIDWasDeletedBlock) = (nil, nil)
    recordZoneWithIDWasPurgedBlock = nil
    recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = nil
    (changeTokenUpdatedBlock, fetchDatabaseChangesResultBlock) = (nil, nil)
    fetchDatabaseChangesCompletionBlock = nil
  }
}
