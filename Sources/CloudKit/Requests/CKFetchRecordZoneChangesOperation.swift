internal import CloudModel
@_exported public import Foundation

/// Fetches the records of zones that changed.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  /// What to fetch of a zone.
  public final class ZoneConfiguration: NSObject, NSCopying, @unchecked Sendable {
    /// The token of the last fetch; nil for all records.
    public var previousServerChangeToken: CKServerChangeToken?
    /// At most so many changes in one request; 0 lets the service choose.
    public var resultsLimit = 0
    /// The fields to fetch; nil for all.
    public var desiredKeys: [CKRecord.FieldKey]?

    /// Creates a configuration for all fields of all records.
    public override init() {}

    /// Creates a configuration.
    public init(
      previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
      desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
      self.previousServerChangeToken = previousServerChangeToken
      (self.resultsLimit, self.desiredKeys) = (resultsLimit ?? 0, desiredKeys)
    }

    /// Returns an independent copy.
    public func copy(with zone: NSZone? = nil) -> Any {
      ZoneConfiguration(
        previousServerChangeToken: previousServerChangeToken, resultsLimit: resultsLimit,
        desiredKeys: desiredKeys)
    }
  }

  /// The former name of `ZoneConfiguration`.
  public typealias ZoneOptions = ZoneConfiguration

  /// The zones.
  public var recordZoneIDs: [CKRecordZone.ID]?
  /// What to fetch of a zone; all of one that has no configuration.
  public var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
  /// Whether to go on until nothing more is coming.
  public var fetchAllChanges = true

  /// The former name of `configurationsByRecordZoneID`.
  public var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
    get { configurationsByRecordZoneID }
    set { configurationsByRecordZoneID = newValue }
  }

  /// Called with each record that is new or changed, or its error.
  public var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called with each record that is new or changed.
  public var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called with each deleted record and its type.
  public var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
  /// Called with the token of a zone after each request, and the app's token.
  public var recordZoneChangeTokensUpdatedBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
  /// Called at the end of each zone.
  public var recordZoneFetchResultBlock:
    (
      (
        CKRecordZone.ID,
        Result<
          (
            serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?,
            moreComing: Bool
          ), any Error
        >
      ) -> Void
    )?
  /// Called at the end of each zone.
  public var recordZoneFetchCompletionBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
  /// Called last.
  public var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called last.
  public var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?

  private var failures: [AnyHashable: any Error] = [:]

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation for the changes of zones.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID]? = nil,
    configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.configurationsByRecordZoneID = configurationsByRecordZoneID
  }

  /// Creates an operation for the changes of zones.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID],
    optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
  ) {
    self.init(
      recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
  }

  override func execute() {
    let zones = recordZoneIDs ?? configurationsByRecordZoneID.map { Array($0.keys) } ?? []
    fetch(zones[...])
  }

  /// Fetches zone by zone.
  private func fetch(_ zones: ArraySlice<CKRecordZone.ID>) {
    guard let zoneID = zones.first else {
      return end(CKError.partial("Failed to fetch changes of some record zones", failures))
    }
    let token = configurationsByRecordZoneID?[zoneID]?.previousServerChangeToken
    fetch(zoneID, after: token, then: zones.dropFirst())
  }

  private func fetch(
    _ zoneID: CKRecordZone.ID, after token: CKServerChangeToken?,
    then others: ArraySlice<CKRecordZone.ID>
  ) {
    let configuration = configurationsByRecordZoneID?[zoneID]
    let limit = configuration?.resultsLimit ?? 0
    let page = ZoneChangesFetching(
      zoneID: zoneID, token: token, desiredKeys: configuration?.desiredKeys,
      limit: limit > 0 ? limit : nil, scope: scope)
    run(.reading, page.run) { [self] result in
      switch result {
      case .failure(let error) where Self.isOfZone(error):
        recordZoneFetchCompletionBlock?(zoneID, nil, nil, false, error)
        recordZoneFetchResultBlock?(zoneID, .failure(error))
        failures[zoneID] = error
        fetch(others)
      case .failure(let error): end(error)
      case .success(let page): report(page, of: zoneID, then: others)
      }
    }
  }

  /// Whether an error concerns a zone alone, so that the others can go on.
  private static func isOfZone(_ error: any Error) -> Bool {
    let ofAll: [CKError.Code] = [
      .operationCancelled, .networkUnavailable, .networkFailure, .notAuthenticated,
      .badContainer, .badDatabase, .requestRateLimited, .serviceUnavailable, .internalError,
      .accountTemporarilyUnavailable, .missingEntitlement, .managedAccountRestricted,
    ]
    return (error as? CKError).map { !ofAll.contains($0.code) } ?? false
  }

  private func report(
    _ page: ZoneChangesFetching.Page, of zoneID: CKRecordZone.ID,
    then others: ArraySlice<CKRecordZone.ID>
  ) {
    for (id, result) in page.changed {
      recordWasChangedBlock?(id, result)
      if let record = result.value { recordChangedBlock?(record) }
    }
    for (id, type) in page.deleted { recordWithIDWasDeletedBlock?(id, type) }
    if page.isMoreComing, fetchAllChanges {
      recordZoneChangeTokensUpdatedBlock?(zoneID, page.token, page.clientToken)
      return fetch(zoneID, after: page.token, then: others)
    }
    recordZoneFetchCompletionBlock?(
      zoneID, page.token, page.clientToken, page.isMoreComing, nil)
    recordZoneFetchResultBlock?(
      zoneID, .success((page.token, page.clientToken, page.isMoreComing)))
    fetch(others)
  }

  private func end(_ error: (any Error)?) {
    finish { [self] in
      fetchRecordZoneChangesCompletionBlock?(error)
      fetchRecordZoneChangesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (recordWasChangedBlock, recordChangedBlock, recordWithIDWasDeletedBlock) = (nil, nil, nil)
    (recordZoneChangeTokensUpdatedBlock, recordZoneFetchResultBlock) = (nil, nil)
    (recordZoneFetchCompletionBlock, fetchRecordZoneChangesResultBlock) = (nil, nil)
    fetchRecordZoneChangesCompletionBlock = nil
  }
}
