internal import CloudModel
@_exported public import Foundation

/// Finds records.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
  /// A place in the results, after which the next page begins.
  public typealias Cursor = CKQueryCursor

  /// Lets the service choose how many records a page has.
  public static let maximumResults = 0

  /// The query.
  public var query: CKQuery?
  /// The place after which to go on; nil to begin.
  public var cursor: CKQueryOperation.Cursor?
  /// The zone; nil for all of the database.
  public var zoneID: CKRecordZone.ID?
  /// At most so many records; `maximumResults` lets the service choose.
  public var resultsLimit = CKQueryOperation.maximumResults
  /// The fields to fetch; nil for all.
  public var desiredKeys: [CKRecord.FieldKey]?

  /// Called with each record, or its error.
  public var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called last, with the place of the next page; nil after the last.
  public var queryResultBlock: ((Result<CKQueryOperation.Cursor?, any Error>) -> Void)?
  /// Called with each record.
  public var recordFetchedBlock: ((CKRecord) -> Void)?
  /// Called last, with the place of the next page; nil after the last.
  public var queryCompletionBlock: ((CKQueryOperation.Cursor?, (any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation for the first page of a query.
  public convenience init(query: CKQuery) {
    self.init()
    self.query = query
  }

  /// Creates an operation for the next page of a query.
  public convenience init(cursor: CKQueryOperation.Cursor) {
    self.init()
    self.cursor = cursor
  }

  override func execute() {
    let start: QueryPaging.Start
    if let cursor {
      start = .cursor(cursor)
    } else if let query {
      start = .query(query, zoneID)
    } else {
      let error = CloudError(.invalidArguments, "the operation has neither a query nor a cursor")
      return finish(nil, CKError(error))
    }
    let paging = QueryPaging(
      start: start, desiredKeys: desiredKeys, limit: resultsLimit, scope: scope)
    run(.reading, paging.run) { [self] result in
      switch result {
      case .failure(let error): finish(nil, error)
      case .success(let page):
        for (id, match) in page.matches {
          recordMatchedBlock?(id, match)
          if let record = match.value { recordFetchedBlock?(record) }
        }
        finish(page.cursor, nil)
      }
    }
  }

  private func finish(_ cursor: CKQueryOperation.Cursor?, _ error: (any Error)?) {
    finish { [self] in
      queryCompletionBlock?(cursor, error)
      queryResultBlock?(error.map { .failure($0) } ?? .success(cursor))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (recordMatchedBlock, queryResultBlock) = (nil, nil)
    (recordFetchedBlock, queryCompletionBlock) = (nil, nil)
  }
}
