internal import CloudModel
@_exported public import Foundation

/// Fetches the records of a zone that changed: the former kind of operation, for one zone.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The zone.
  public var recordZoneID: CKRecordZone.ID?
  /// The token of the last fetch; nil for all records.
  public var previousServerChangeToken: CKServerChangeToken?
  /// At most so many changes; 0 lets the service choose.
  public var resultsLimit = 0
  /// The fields to fetch; nil for all.
  public var desiredKeys: [CKRecord.FieldKey]?
  /// Whether there is more after these changes.
  public private(set) var moreComing = false

  /// Called with each record that is new or changed.
  public var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called with each deleted record.
  public var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
  /// Called last, with the token for the next fetch and the app's token.
  public var fetchRecordChangesCompletionBlock:
    ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation for the changes of a zone.
  public convenience init(
    recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?
  ) {
    self.init()
    (self.recordZoneID, self.previousServerChangeToken) = (recordZoneID, previousServerChangeToken)
  }

  override func execute() {
    let page = ZoneChangesFetching(
      zoneID: recordZoneID ?? .default, token: previousServerChangeToken,
      desiredKeys: desiredKeys, limit: resultsLimit > 0 ? resultsLimit : nil, scope: scope)
    run(.reading, page.run) { [self] result in
      if let page = result.value {
        for record in page.changed.compactMap(\.1.value) { recordChangedBlock?(record) }
        for (id, _) in page.deleted { recordWithIDWasDeletedBlock?(id) }
        moreComing = page.isMoreComing
      }
      finish { [self] in
        fetchRecordChangesCompletionBlock?(
          result.value?.token, result.value?.clientToken, result.error)
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (recordChangedBlock, recordWithIDWasDeletedBlock) = (nil, nil)
    fetchRecordChangesCompletionBlock = nil
  }
}
