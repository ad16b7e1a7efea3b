import CloudKit
import CloudKitTesting
import Testing

/// Each error of CloudKit, through every request and in every form.
@Suite("CloudKit: errors")
struct ErrorTests {
  /// The codes that CloudKit gives a whole request.
  static let codes = (1...37).compactMap(CKError.Code.init).filter { $0 != .partialFailure }

  private static func wait<T: Sendable>(
    _ start: (@escaping @Sendable (T) -> Void) -> Void
  ) async -> T {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
  }

  /// What a request fails with: asynchronously, by its handler, by its operation's blocks.
  private static func failures(
    of kind: LocalCloud.Operation, _ database: CKDatabase
  ) async -> [(any Error)?] {
    let id = CKRecord.ID(recordName: "a")
    let zone = CKRecordZone(zoneName: "Z")
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    switch kind {
    case .save:
      let record = CKRecord(recordType: "Note", recordID: id)
      let operation = CKModifyRecordsOperation(recordsToSave: [record])
      return [
        await error { try await database.save(record) },
        await wait { done in database.save(record) { done($1) } },
        await error { try await database.modifyRecords(saving: [record], deleting: []) },
        await wait { done in
          database.modifyRecords(saving: [record], deleting: []) { done($0.failure) }
        },
        await run(operation, on: database) { operation.modifyRecordsResultBlock = $0 },
      ]
    case .delete:
      let operation = CKModifyRecordsOperation(recordIDsToDelete: [id])
      return [
        await error { try await database.deleteRecord(withID: id) },
        await wait { done in database.delete(withRecordID: id) { done($1) } },
        await run(operation, on: database) { operation.modifyRecordsResultBlock = $0 },
      ]
    case .fetch:
      let operation = CKFetchRecordsOperation(recordIDs: [id])
      return [
        await error { try await database.record(for: id) },
        await error { try await database.records(for: [id]) },
        await wait { done in database.fetch(withRecordID: id) { done($1) } },
        await wait { done in database.fetch(withRecordIDs: [id]) { done($0.failure) } },
        await run(operation, on: database) { operation.fetchRecordsResultBlock = $0 },
      ]
    case .query:
      let operation = CKQueryOperation(query: query)
      return [
        await error { try await database.records(matching: query) },
        await wait { done in database.fetch(withQuery: query) { done($0.failure) } },
        await run(operation, on: database) { block in
          operation.queryResultBlock = { block($0.map { _ in }) }
        },
      ]
    case .changes:
      let zones = CKFetchDatabaseChangesOperation()
      let records = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone.zoneID])
      return [
        await error { try await database.databaseChanges(since: nil) },
        await error {
          try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
        },
        await wait { done in database.fetchDatabaseChanges(since: nil) { done($0.failure) } },
        await run(zones, on: database) { block in
          zones.fetchDatabaseChangesResultBlock = { block($0.map { _ in }) }
        },
        await run(records, on: database) { records.fetchRecordZoneChangesResultBlock = $0 },
      ]
    case .zone:
      let operation = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
      let fetch = CKFetchRecordZonesOperation(recordZoneIDs: [zone.zoneID])
      return [
        await error { try await database.save(zone) },
        await error { try await database.recordZone(for: zone.zoneID) },
        await error { try await database.allRecordZones() },
        await wait { done in database.fetchAllRecordZones { done($1) } },
        await run(operation, on: database) { operation.modifyRecordZonesResultBlock = $0 },
        await run(fetch, on: database) { fetch.fetchRecordZonesResultBlock = $0 },
      ]
    case .asset, .share, .accept, .keyValueStore, .any: return []
    }
  }

  private static func error(_ body: () async throws -> some Any) async -> (any Error)? {
    do {
      _ = try await body()
      return nil
    } catch { return error }
  }

  private static func run(
    _ operation: CKDatabaseOperation, on database: CKDatabase,
    _ set: (@escaping (Result<Void, any Error>) -> Void) -> Void
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      set { continuation.resume(returning: $0.failure) }
      database.add(operation)
    }
  }

  @Test("each code comes through each request, with its facts", arguments: codes)
  func each(_ code: CKError.Code) async throws {
    let cloud = try LocalCloud()
    let database = cloud.container("iCloud.org.example.app").privateCloudDatabase
    try await database.save(CKRecordZone(zoneName: "Z"))
    try await database.save(
      CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a")))
    for kind in [LocalCloud.Operation.save, .delete, .fetch, .query, .changes, .zone] {
      let fault = try cloud.fail(kind, with: code, retryAfter: 7)
      let failures = await Self.failures(of: kind, database)
      try cloud.clear(fault)
      #expect(failures.count >= 3)
      for failure in failures {
        // An operation reports errors of its items as a partial failure.
        var found = failure as? CKError
        if found?.code == .partialFailure {
          found = found?.partialErrorsByItemID?.values.first as? CKError
        }
        #expect(found?.code == code, "\(kind)")
        #expect(found?.retryAfterSeconds == 7)
        #expect(found?.localizedDescription.isEmpty == false)
        let error = try #require(found) as NSError
        #expect(error.domain == CKErrorDomain && error.code == code.rawValue)
        #expect((error.userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue == 7)
      }
    }
  }

  @Test("an error of the service's own names its number as the underlying error")
  func underlying() async throws {
    let database = try LocalCloud().container("iCloud.org.example.app").privateCloudDatabase
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["bad name"] = 1
    let error = await #expect(throws: CKError.self) { try await database.save(record) }
    #expect(error?.code == .invalidArguments)
    try await database.save(
      CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "b")))
    let other = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "b"))
    let conflict = await #expect(throws: CKError.self) { try await database.save(other) }
    let underlying = conflict?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.domain == "CKInternalErrorDomain" && underlying?.code == 2004)
  }

  @Test("a container that a named store lacks is badContainer (R1.1.6), a wrong name, too")
  func containers() async throws {
    let cloud = try LocalCloud()
    let wrong = cloud.container("org.example.app")
    let error = await #expect(throws: CKError.self) {
      try await wrong.privateCloudDatabase.allRecordZones()
    }
    #expect(error?.code == .badContainer)
  }

  @Test("errors are caught by their codes, and made for tests")
  func patterns() async throws {
    do { throw CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 3]) } catch CKError.zoneBusy {
    } catch { Issue.record("not caught: \(error)") }
    let made = CKError(
      .partialFailure, userInfo: [CKPartialErrorsByItemIDKey: ["a": CKError(.zoneBusy)]])
    #expect(made.partialErrorsByItemID?.count == 1)
    #expect(CKError.errorDomain == CKErrorDomain)
    #expect(CKError.Code.quotaExceeded.rawValue == 25)
    let error: any Error = CKError(.networkFailure)
    switch (error as? CKError)?.code {
    case .networkFailure, .networkUnavailable: break
    default: Issue.record("not switched over")
    }
    #expect("\(made)".hasPrefix("<CKError: \"partialFailure\" (2)"))
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
