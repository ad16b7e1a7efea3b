internal import CloudModel
@_exported public import Foundation

/// Fetches records by their identities.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The records to fetch.
  public var recordIDs: [CKRecord.ID]?
  /// The fields to fetch; nil for all.
  public var desiredKeys: [CKRecord.FieldKey]?

  /// Called with a record and how much of it is fetched, from 0 to 1.
  public var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
  /// Called with each fetched record, or its error.
  public var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called last.
  public var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called with each fetched record, or its error.
  public var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
  /// Called last, with all fetched records.
  public var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?

  private var fetchesUser = false

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation that fetches records.
  public convenience init(recordIDs: [CKRecord.ID]) {
    self.init()
    self.recordIDs = recordIDs
  }

  /// Creates an operation that fetches the record of the current user.
  public class func fetchCurrentUserRecordOperation() -> CKFetchRecordsOperation {
    let operation = CKFetchRecordsOperation()
    operation.fetchesUser = true
    return operation
  }

  override func execute() {
    let fetching = RecordFetching(ids: recordIDs ?? [], desiredKeys: desiredKeys, scope: scope)
    let fetchesUser = fetchesUser
    run(
      .reading,
      { client, request in
        var fetching = fetching
        if fetchesUser { fetching.ids = [try UserRecordID().run(client, request)] }
        return try fetching.run(client, request)
      }
    ) { [self] result in
      switch result {
      case .failure(let error): finish(nil, error)
      case .success(let results): report(results)
      }
    }
  }

  private func report(_ results: RecordFetching.Results) {
    var records: [CKRecord.ID: CKRecord] = [:]
    for (id, result) in results {
      if let record = result.value {
        records[id] = record
        perRecordProgressBlock?(id, 1)
      }
      perRecordResultBlock?(id, result)
      perRecordCompletionBlock?(result.value, id, result.error)
    }
    finish(records, RecordFetching.error(of: results))
  }

  private func finish(_ records: [CKRecord.ID: CKRecord]?, _ error: (any Error)?) {
    finish { [self] in
      fetchRecordsCompletionBlock?(records, error)
      fetchRecordsResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perRecordProgressBlock, perRecordResultBlock, fetchRecordsResultBlock) = (nil, nil, nil)
    (perRecordCompletionBlock, fetchRecordsCompletionBlock) = (nil, nil)
  }
}
