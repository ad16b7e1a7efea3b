import CloudKit
import CloudKitTesting
import Synchronization
import Testing

/// The life of operations (library.md §4, rule 4).
@Suite("CloudKit: operations")
struct OperationTests {
  /// Whether the code runs inside a call of the database's.
  @TaskLocal private static var isCalling = false

  let cloud: LocalCloud
  let container: CKContainer
  let database: CKDatabase

  init() throws {
    cloud = try LocalCloud()
    container = cloud.container("iCloud.org.example.app")
    database = container.privateCloudDatabase
  }

  private func record(_ name: String, _ number: Int = 0) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
    record["number"] = number
    return record
  }

  /// Waits for the end of an operation, whoever starts it.
  private func end(of operation: CKOperation, start: () -> Void) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      start()
    }
  }

  @Test("the deprecated blocks of a modification are called beside the new ones")
  func deprecatedModify() async throws {
    let operation = CKModifyRecordsOperation(
      recordsToSave: [record("a")], recordIDsToDelete: [CKRecord.ID(recordName: "b")])
    var log: [String] = []
    operation.perRecordCompletionBlock = { record, error in
      log.append("record \(record.recordID.recordName) \(error == nil)")
    }
    operation.perRecordSaveBlock = { id, _ in log.append("save \(id.recordName)") }
    operation.perRecordDeleteBlock = { id, _ in log.append("delete \(id.recordName)") }
    operation.modifyRecordsCompletionBlock = { saved, deleted, error in
      log.append("end \(saved?.count ?? -1) \(deleted?.count ?? -1) \(error == nil)")
    }
    operation.modifyRecordsResultBlock = { _ in log.append("result") }
    await end(of: operation) { database.add(operation) }
    #expect(log == ["save a", "record a true", "delete b", "end 1 1 true", "result"])
  }

  @Test("the blocks of a fetch: each record, then all, and the missing one as a partial error")
  func fetch() async throws {
    try await database.save(record("a", 1))
    let missing = CKRecord.ID(recordName: "missing")
    let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a"), missing])
    operation.desiredKeys = []
    var log: [String] = []
    var failure: CKError?
    operation.perRecordResultBlock = { id, result in
      log.append("\(id.recordName) \((try? result.get()) != nil)")
    }
    operation.perRecordCompletionBlock = { record, id, error in
      log.append("\(id?.recordName ?? "") \(record?["number"] as? Int ?? -1) \(error == nil)")
    }
    operation.fetchRecordsCompletionBlock = { records, error in
      log.append("end \(records?.count ?? -1)")
      failure = error as? CKError
    }
    await end(of: operation) { database.add(operation) }
    #expect(log == ["a true", "a -1 true", "missing false", "missing -1 false", "end 1"])
    #expect(failure?.code == .partialFailure)
    #expect((failure?.partialErrorsByItemID?[missing] as? CKError)?.code == .unknownItem)
  }

  @Test("an atomic failure fails all records of a custom zone, the innocent with 22 (R4.4.6)")
  func atomic() async throws {
    let zone = try await database.save(CKRecordZone(zoneName: "Z"))
    let old = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "old", zoneID: zone.zoneID))
    try await database.save(old)
    let again = CKRecord(recordType: "Note", recordID: old.recordID)
    let new = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "new", zoneID: zone.zoneID))
    let (saves, _) = try await database.modifyRecords(saving: [again, new], deleting: [])
    func code(_ id: CKRecord.ID) -> CKError.Code? {
      guard case .failure(let error)? = saves[id] else { return nil }
      return (error as? CKError)?.code
    }
    #expect(code(old.recordID) == .serverRecordChanged)
    #expect(code(new.recordID) == .batchRequestFailed)
    let (each, _) = try await database.modifyRecords(
      saving: [again, new], deleting: [], atomically: false)
    #expect((try? each[new.recordID]?.get()) != nil)
  }

  @Test("more than 400 items are too many, before anything is saved (R3.5)")
  func limit() async throws {
    let records = (1...401).map { record("n\($0)") }
    let error = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: records, deleting: [])
    }
    #expect(error?.code == .limitExceeded)
    #expect(records[0].recordChangeTag == nil)
  }

  @Test("operations wait for those that they depend on, across databases and queues")
  func dependencies() async throws {
    var log: [String] = []
    let lock = Mutex(())
    func noting(_ name: String) -> CKModifyRecordsOperation {
      let operation = CKModifyRecordsOperation(recordsToSave: [record(name)])
      operation.modifyRecordsResultBlock = { _ in lock.withLock { _ in log.append(name) } }
      return operation
    }
    let (first, second, third) = (noting("1"), noting("2"), noting("3"))
    second.addDependency(first)
    third.addDependency(second)
    third.database = database
    let queue = OperationQueue()
    await withCheckedContinuation { continuation in
      third.completionBlock = { continuation.resume() }
      queue.addOperation(third)
      container.publicCloudDatabase.add(second)
      database.add(first)
    }
    #expect(log == ["1", "2", "3"])
    #expect(first.isFinished && second.isFinished && third.isFinished)
  }

  @Test("an operation in a queue of the app's uses the private database of the default container")
  func ownQueue() async throws {
    let operation = await cloud.run(as: "ann", container: "iCloud.org.example.app") {
      CKModifyRecordsOperation(recordsToSave: [record("queued")])
    }
    await end(of: operation) { OperationQueue().addOperation(operation) }
    let ann = cloud.container("iCloud.org.example.app", account: "ann")
    _ = try await ann.privateCloudDatabase.record(for: CKRecord.ID(recordName: "queued"))
  }

  @Test(
    "cancelled before its start, an operation ends with operationCancelled, and changes nothing")
  func cancelled() async throws {
    let operation = CKModifyRecordsOperation(recordsToSave: [record("a")])
    var error: CKError?
    operation.modifyRecordsCompletionBlock = { error = $2 as? CKError }
    operation.cancel()
    await end(of: operation) { database.add(operation) }
    #expect(error?.code == .operationCancelled)
    await #expect(throws: CKError.self) {
      try await database.record(for: CKRecord.ID(recordName: "a"))
    }
    #expect(operation.isCancelled && operation.isFinished)
  }

  @Test("a cancelled task ends its request")
  func cancelledTask() async throws {
    let task = Task {
      try await Task.sleep(for: .seconds(3600))
      try await database.save(record("a"))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let saving = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await database.save(record("b"))
    }
    let error = await #expect(throws: CKError.self) { try await saving.value }
    #expect(error?.code == .operationCancelled)
  }

  @Test("blocks are called off the caller's stack, one by one, and are released afterwards")
  func blocks() async throws {
    final class Witness: Sendable {}
    weak var witness: Witness?
    let operation = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
    for number in 1...20 { try await database.save(record("n\(number)")) }
    let isInside = Atomic(false)
    var overlaps = 0
    do {
      let held = Witness()
      witness = held
      operation.recordMatchedBlock = { _, _ in
        if isInside.exchange(true, ordering: .sequentiallyConsistent) { overlaps += 1 }
        if Self.isCalling { overlaps += 1 }
        isInside.store(false, ordering: .sequentiallyConsistent)
        _ = held
      }
    }
    await end(of: operation) {
      Self.$isCalling.withValue(true) { database.add(operation) }
    }
    #expect(overlaps == 0)
    #expect(operation.recordMatchedBlock == nil)
    #expect(witness == nil)
  }

  @Test("an operation is released after its end")
  func released() async throws {
    weak var gone: CKOperation?
    do {
      let operation = CKModifyRecordsOperation(recordsToSave: [record("a")])
      operation.modifyRecordsResultBlock = { _ in _ = operation.isFinished }
      gone = operation
      await end(of: operation) { database.add(operation) }
    }
    for _ in 0..<100 where gone != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(gone == nil)
  }

  @Test("a block may wait for another request of the same database")
  func nested() async throws {
    let operation = CKModifyRecordsOperation(recordsToSave: [record("a")])
    let isSaved = Atomic(false)
    operation.perRecordSaveBlock = { [database] _, _ in
      let done = DispatchSemaphore(value: 0)
      database.save(CKRecord(recordType: "Note")) { record, _ in
        isSaved.store(record != nil, ordering: .sequentiallyConsistent)
        done.signal()
      }
      done.wait()
    }
    await end(of: operation) { database.add(operation) }
    let wasSaved = isSaved.load(ordering: .sequentiallyConsistent)
    #expect(wasSaved)
  }

  @Test("configuration, group and quality of service are kept")
  func configuration() {
    let operation = CKFetchRecordsOperation(recordIDs: [])
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 10
    operation.configuration = configuration
    operation.qualityOfService = .userInitiated
    operation.isLongLived = true
    let group = CKOperationGroup()
    group.name = "group"
    operation.group = group
    #expect(operation.timeoutIntervalForRequest == 10)
    #expect(operation.isLongLived && operation.configuration.isLongLived)
    #expect(operation.qualityOfService == .userInitiated)
    #expect(operation.group?.name == "group")
    #expect(!operation.operationID.isEmpty)
  }

  @Test("zones: saved, fetched and deleted, each alone; a missing one is deleted already")
  func zones() async throws {
    let bad = CKRecordZone(zoneName: "_bad")
    let results = try await database.modifyRecordZones(
      saving: [CKRecordZone(zoneName: "A"), bad],
      deleting: [CKRecordZone.ID(zoneName: "missing")])
    let saved = try #require(try results.saveResults[CKRecordZone.ID(zoneName: "A")]?.get())
    #expect(saved.capabilities.contains(.atomic))
    #expect(throws: CKError.self) { try results.saveResults[bad.zoneID]?.get() }
    try results.deleteResults[CKRecordZone.ID(zoneName: "missing")]?.get()
    #expect(
      Set(try await database.allRecordZones().map(\.zoneID.zoneName)) == ["A", "_defaultZone"])
    let error = await #expect(throws: CKError.self) {
      try await database.recordZone(for: CKRecordZone.ID(zoneName: "missing"))
    }
    #expect(error?.code == .zoneNotFound)
    let wrong = await #expect(throws: CKError.self) {
      try await container.publicCloudDatabase.save(CKRecordZone(zoneName: "A"))
    }
    #expect(wrong?.code == .badDatabase)
    let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    var names: Set<String> = []
    operation.perRecordZoneResultBlock = { id, _ in names.insert(id.zoneName) }
    await end(of: operation) { database.add(operation) }
    #expect(names == ["A", "_defaultZone"])
  }

  @Test("the changes of a database, by operation: changed and deleted zones with their reasons")
  func databaseChanges() async throws {
    for name in ["A", "B"] { try await database.save(CKRecordZone(zoneName: name)) }
    let token = try await database.databaseChanges(since: nil).changeToken
    try await database.save(CKRecordZone(zoneName: "C"))
    try await database.deleteRecordZone(withID: CKRecordZone.ID(zoneName: "A"))
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    operation.resultsLimit = 1
    var log: [String] = []
    operation.recordZoneWithIDChangedBlock = { log.append("changed \($0.zoneName)") }
    operation.recordZoneWithIDWasDeletedBlock = { log.append("deleted \($0.zoneName)") }
    operation.changeTokenUpdatedBlock = { _ in log.append("token") }
    operation.fetchDatabaseChangesResultBlock = { result in
      log.append("more \((try? result.get().moreComing) ?? true)")
    }
    await end(of: operation) { database.add(operation) }
    #expect(Set(log) == ["changed C", "deleted A", "token", "more false"])
  }

  @Test("one zone without a feed or with an old token fails alone, in both kinds of blocks (R9.9)")
  func zoneErrors() async throws {
    let zone = try await database.save(CKRecordZone(zoneName: "Z"))
    let ids = [CKRecordZone.default().zoneID, zone.zoneID, CKRecordZone.ID(zoneName: "missing")]
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: ids)
    var codes: [String: CKError.Code?] = [:]
    operation.recordZoneFetchResultBlock = { id, result in
      if case .failure(let error) = result {
        codes[id.zoneName] = (error as? CKError)?.code
      } else {
        codes[id.zoneName] = .some(nil)
      }
    }
    var failure: CKError?
    operation.fetchRecordZoneChangesCompletionBlock = { failure = $0 as? CKError }
    await end(of: operation) { database.add(operation) }
    #expect(codes["_defaultZone"] == .invalidArguments)
    #expect(codes["missing"] == .zoneNotFound)
    #expect(codes["Z"] == .some(nil))
    #expect(failure?.code == .partialFailure)
    #expect(failure?.partialErrorsByItemID?.count == 2)
  }

  @Test("the app's token comes with the next changes of a zone (R4.4.16)")
  func clientToken() async throws {
    let zone = try await database.save(CKRecordZone(zoneName: "Z"))
    let operation = CKModifyRecordsOperation(
      recordsToSave: [CKRecord(recordType: "Note", zoneID: zone.zoneID)])
    operation.clientChangeTokenData = Data([1, 2, 3])
    await end(of: operation) { database.add(operation) }
    let fetch = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone.zoneID])
    var token: Data?
    fetch.recordZoneFetchCompletionBlock = { _, _, data, _, _ in token = data }
    await end(of: fetch) { database.add(fetch) }
    #expect(token == Data([1, 2, 3]))
  }
}
