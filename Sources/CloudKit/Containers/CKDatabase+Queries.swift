internal import CloudModel
@_exported public import Foundation

extension CKDatabase {
  /// Finds records: a page of them, and the cursor of the next page.
  public func records(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    let page = try await client.perform(
      .reading, paging(.query(query, zoneID), desiredKeys, resultsLimit).run)
    return (page.matches, page.cursor)
  }

  /// Finds the records after a cursor.
  public func records(
    continuingMatchFrom queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    let page = try await client.perform(
      .reading, paging(.cursor(queryCursor), desiredKeys, resultsLimit).run)
    return (page.matches, page.cursor)
  }

  /// Finds records, and passes a page of them with the cursor of the next.
  @preconcurrency
  public func fetch(
    withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ), any Error
        >
      ) -> Void
  ) {
    client.perform(.reading, paging(.query(query, zoneID), desiredKeys, resultsLimit).run) {
      completionHandler($0.map { ($0.matches, $0.cursor) })
    }
  }

  /// Finds the records after a cursor, and passes a page of them with the cursor of the next.
  @preconcurrency
  public func fetch(
    withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ), any Error
        >
      ) -> Void
  ) {
    client.perform(.reading, paging(.cursor(queryCursor), desiredKeys, resultsLimit).run) {
      completionHandler($0.map { ($0.matches, $0.cursor) })
    }
  }

  private func paging(
    _ start: QueryPaging.Start, _ keys: [String]?, _ limit: Int
  ) -> QueryPaging {
    QueryPaging(start: start, desiredKeys: keys, limit: limit, scope: scope)
  }

  // MARK: Deprecated forms

  /// Finds records: the first page.
  @available(*, deprecated, renamed: "records(matching:inZoneWith:desiredKeys:resultsLimit:)")
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
  ) async throws -> [CKRecord] {
    try await client.perform(.reading, paging(.query(query, zoneID), nil, 0).run).records
  }

  /// Finds records: the first page.
  @available(*, deprecated, renamed: "records(matching:inZoneWith:desiredKeys:resultsLimit:)")
  @_disfavoredOverload
  public func records(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
  ) async throws -> [CKRecord] {
    try await client.perform(.reading, paging(.query(query, zoneID), nil, 0).run).records
  }

  /// Finds records, and passes the first page or an error.
  @preconcurrency
  @available(
    *, deprecated,
    renamed: "fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)"
  )
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
    completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
  ) {
    client.perform(.reading, paging(.query(query, zoneID), nil, 0).run) {
      completionHandler($0.value?.records, $0.error)
    }
  }
}

extension QueryPaging.Page {
  fileprivate var records: [CKRecord] { matches.compactMap(\.1.value) }
}
