import CloudKit
import CloudKitTesting
import TestSupport
import Testing

/// What apps rely on beside the rules of single types.
@Suite("CloudKit: what apps rely on")
struct RegressionTests {
  let cloud: LocalCloud
  let database: CKDatabase

  init() throws {
    cloud = try LocalCloud()
    database = cloud.container("iCloud.org.example.app").privateCloudDatabase
  }

  private func record(_ name: String) -> CKRecord {
    CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
  }

  @Test("a request that waits for its turn ends as soon as it is cancelled")
  func cancelledWhileWaiting() async throws {
    let release = try await holdingLock()
    let blocked = Task { try await database.save(record("blocked")) }
    let operation = CKModifyRecordsOperation(recordsToSave: [record("queued")])
    let waiting = (1...50).map { number in
      Task { try await database.save(record("waiting\(number)")) }
    }
    var error: (any Error)?
    await withCheckedContinuation { continuation in
      operation.modifyRecordsCompletionBlock = {
        error = $2
        continuation.resume()
      }
      database.add(operation)
      operation.cancel()
    }
    #expect((error as? CKError)?.code == .operationCancelled)
    for task in waiting {
      task.cancel()
      await #expect(throws: CKError.self) { try await task.value }
    }
    // A read is not behind the lock.
    _ = try await database.record(for: CKRecord.ID(recordName: "lock"))
    release()
    _ = try await blocked.value
    await #expect(throws: CKError.self) {
      try await database.record(for: CKRecord.ID(recordName: "queued"))
    }
  }

  @Test("the default container stays the same, whatever containers are made")
  func defaultContainer() async {
    await #expect(processExitsWith: .success) {
      let before = CKContainer.default()
      _ = try await CKContainer(identifier: "iCloud.org.other").privateCloudDatabase
        .allRecordZones()
      precondition(CKContainer.default() === before)
      _ = try await before.privateCloudDatabase.allRecordZones()
      precondition(CKContainer.default() === before)
    }
  }

  @Test("errors convert from and to NSError, also in partial errors")
  func errors() async throws {
    let made: any Error = NSError(
      domain: CKErrorDomain, code: CKError.Code.zoneBusy.rawValue,
      userInfo: [CKErrorRetryAfterKey: NSNumber(value: 2)])
    #expect((made as? CKError)?.code == .zoneBusy)
    #expect((made as? CKError)?.retryAfterSeconds == 2)
    let foreign: any Error = NSError(domain: "Other", code: 23)
    #expect((foreign as? CKError) == nil)
    do { throw made } catch CKError.zoneBusy {} catch { Issue.record("\(error)") }
    let missing = CKRecord.ID(recordName: "missing")
    let operation = CKFetchRecordsOperation(recordIDs: [missing])
    var failure: (any Error)?
    await withCheckedContinuation { continuation in
      operation.fetchRecordsCompletionBlock = {
        failure = $1
        continuation.resume()
      }
      database.add(operation)
    }
    let error = try #require(failure) as NSError
    let items = error.userInfo[CKPartialErrorsByItemIDKey]
    #expect((items as? [CKRecord.ID: NSError])?[missing]?.code == CKError.unknownItem.rawValue)
    #expect((items as? [CKRecord.ID: CKError])?[missing]?.code == .unknownItem)
    #expect(((items as? NSDictionary)?[missing] as? NSError)?.domain == CKErrorDomain)
    let found: Any = try #require(failure)
    #expect((found as? NSError)?.code == CKError.partialFailure.rawValue)
  }

  @Test("arguments of predicates: identities, records, sets and lists of them")
  func arguments() async throws {
    let target = record("target")
    try await database.save(target)
    for name in ["a", "b", "c"] {
      let note = record(name)
      note["target"] = CKRecord.Reference(record: target, action: .none)
      note["text"] = name
      try await database.save(note)
    }
    func names(_ predicate: NSPredicate) async throws -> Set<String> {
      let query = CKQuery(recordType: "Note", predicate: predicate)
      return Set(try await database.records(matching: query).matchResults.map(\.0.recordName))
    }
    let ids = ["a", "b"].map { CKRecord.ID(recordName: $0) }
    #expect(try await names(NSPredicate(format: "recordID IN %@", ids)) == ["a", "b"])
    #expect(try await names(NSPredicate(format: "recordID == %@", ids[0])) == ["a"])
    #expect(try await names(NSPredicate(format: "target == %@", target)) == ["a", "b", "c"])
    #expect(
      try await names(NSPredicate(format: "target == %@", target.recordID)) == ["a", "b", "c"])
    let reference = CKRecord.Reference(record: target, action: .none)
    #expect(try await names(NSPredicate(format: "target == %@", reference)) == ["a", "b", "c"])
    #expect(
      try await names(NSPredicate(format: "%K IN %@", "text", NSSet(array: ["b", "z"]))) == ["b"])
    #expect(try await names(NSPredicate(format: "text IN %@", ["c"])) == ["c"])
    #expect(
      try await names(NSPredicate(format: "text == %@", argumentArray: ["a"])) == ["a"])
    #expect(
      try await names(
        NSPredicate(format: "creationDate < %@", Date(timeIntervalSinceNow: 60) as NSDate)
      ) == ["target", "a", "b", "c"])
  }

  @Test("a predicate and a sort descriptor work on records in the app, too")
  func local() throws {
    let records = ["b", "a", "c"].map { name in
      let note = record(name)
      note["text"] = name
      note["file"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/none"))
      return note
    }
    let predicate = NSPredicate(format: "text > %@", "a")
    #expect(records.filter { predicate.evaluate(with: $0) }.map { $0["text"] } == ["b", "c"])
    #expect(NSPredicate(format: "age > 3").evaluate(with: ["age": 5]))
    let descriptor = NSSortDescriptor(key: "text", ascending: true)
    #expect(descriptor.compare(records[0], to: records[1]) == .orderedDescending)
    let sorted = (records as NSArray).sortedArray(using: [descriptor])
    #expect(sorted.compactMap { ($0 as? CKRecord)?["text"] as? String } == ["a", "b", "c"])
    #expect(NSSortDescriptor(keyPath: \String.count, ascending: true).key == nil)
  }

  @Test("a block predicate of the app's fails the query, and is not called")
  func blockPredicate() async throws {
    let query = CKQuery(
      recordType: "Note",
      predicate: NSPredicate { object, _ in
        Issue.record("called with \(String(describing: object))")
        return false
      })
    let error = await #expect(throws: CKError.self) {
      try await database.records(matching: query)
    }
    #expect(error?.code == .invalidArguments)
  }

  @Test("what changes after a save was asked for waits for the next save")
  func later() async throws {
    let lock = try await holdingLock()
    let note = record("a")
    note["text"] = "first"
    let parent = record("p")
    let saved = Task { try await database.save(parent) }
    let operation = CKModifyRecordsOperation(recordsToSave: [note])
    await withCheckedContinuation { continuation in
      operation.modifyRecordsResultBlock = { _ in continuation.resume() }
      database.add(operation)
      // The operation has started when the queue is asked again.
      while !operation.isExecuting { usleep(1000) }
      note["text"] = "second"
      note.setParent(parent)
      lock()
    }
    _ = try await saved.value
    #expect(note.changedKeys() == ["text"])
    #expect(note.parent?.recordID == parent.recordID)
    #expect(try await database.record(for: note.recordID)["text"] as? String == "first")
    try await database.save(note)
    let fetched = try await database.record(for: note.recordID)
    #expect(fetched["text"] as? String == "second")
    #expect(fetched.parent?.recordID == parent.recordID)
  }

  /// Holds the writer's lock until the result is called.
  private func holdingLock() async throws -> () -> Void {
    try await database.save(record("lock"))
    let lock = cloud.directory.path + "/containers/iCloud.org.example.app/development/lock"
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
    holder.arguments = [lock, "sh", "-c", "echo held; cat"]
    let (input, output) = (Pipe(), Pipe())
    (holder.standardInput, holder.standardOutput) = (input, output)
    try holder.run()
    _ = output.fileHandleForReading.availableData
    return { try? input.fileHandleForWriting.close() }
  }

  @Test("the ancestor of a conflict has the parent that was fetched")
  func ancestor() async throws {
    let (parent, other, note) = (record("p"), record("q"), record("a"))
    try await database.save(parent)
    try await database.save(other)
    note.setParent(parent)
    try await database.save(note)
    let mine = try await database.record(for: note.recordID)
    note["text"] = "theirs"
    try await database.save(note)
    mine.setParent(other)
    let error = await #expect(throws: CKError.self) { try await database.save(mine) }
    #expect(error?.ancestorRecord?.parent?.recordID == parent.recordID)
    #expect(error?.clientRecord?.parent?.recordID == other.recordID)
  }

  @Test("a saved asset is saved again without its file; one from another cloud is uploaded")
  func assets() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("contents".utf8).write(to: file)
    let note = record("a")
    note["file"] = CKAsset(fileURL: file)
    try await database.save(note)
    try FileManager.default.removeItem(at: file)
    let (saves, _) = try await database.modifyRecords(
      saving: [note], deleting: [], savePolicy: .allKeys)
    #expect((try? saves[note.recordID]?.get()) != nil)
    let fetched = try await database.record(for: note.recordID)
    let again = try await database.record(for: note.recordID)
    let asset = try #require(fetched["file"] as? CKAsset)
    #expect(asset.fileURL == (again["file"] as? CKAsset)?.fileURL)
    let other = try LocalCloud().container("iCloud.org.example.app").privateCloudDatabase
    let copy = record("copy")
    copy["file"] = asset
    try await other.save(copy)
    let elsewhere = try await other.record(for: copy.recordID)
    let url = try #require((elsewhere["file"] as? CKAsset)?.fileURL)
    #expect(try Data(contentsOf: url) == Data("contents".utf8))
    await #expect(processExitsWith: .failure) {
      _ = CKAsset(fileURL: URL(string: "https://example.org/a")!)
    }
  }

  @Test("one identity that no record can have fails alone")
  func badIdentity() async throws {
    try await database.save(record("a"))
    let ids = [CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "_bad")]
    let results = try await database.records(for: ids)
    #expect((try? results[ids[0]]?.get()) != nil)
    #expect(throws: CKError.self) { try results[ids[1]]?.get() }
  }

  @Test("a configuration is copied, and nil is the usual one")
  func configuration() {
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 5
    let (one, other) = (CKFetchRecordsOperation(), CKFetchRecordsOperation())
    (one.configuration, other.configuration) = (configuration, configuration)
    one.isLongLived = true
    #expect(!other.isLongLived && !configuration.isLongLived)
    #expect(other.timeoutIntervalForRequest == 5)
    one.configuration = nil
    #expect(one.timeoutIntervalForRequest == 60)
    #expect(one.container == nil)
  }

  @Test("handlers of a database are called one by one, in the order of the saves")
  func handlers() async throws {
    var names: [String] = []
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let collect = UncheckedCollector {
        names.append($0)
      } end: {
        continuation.resume()
      }
      for number in 0..<100 {
        database.save(record("n\(number)")) { saved, _ in
          collect.add(saved?.recordID.recordName ?? "", isLast: number == 99)
        }
      }
    }
    #expect(names == (0..<100).map { "n\($0)" })
  }

  /// Collects without a lock, as apps do.
  private struct UncheckedCollector: @unchecked Sendable {
    let body: (String) -> Void
    let end: () -> Void

    init(_ body: @escaping (String) -> Void, end: @escaping () -> Void) {
      (self.body, self.end) = (body, end)
    }

    func add(_ name: String, isLast: Bool) {
      body(name)
      if isLast { end() }
    }
  }

  @Test("the former operation for changes of one zone")
  func formerChanges() async throws {
    let zone = try await database.save(CKRecordZone(zoneName: "Z"))
    try await database.save(CKRecord(recordType: "Note", zoneID: zone.zoneID))
    let operation = CKFetchRecordChangesOperation(
      recordZoneID: zone.zoneID, previousServerChangeToken: nil)
    var (changed, hasToken) = (0, false)
    operation.recordChangedBlock = { _ in changed += 1 }
    await withCheckedContinuation { continuation in
      operation.fetchRecordChangesCompletionBlock = { token, _, _ in
        hasToken = token != nil
        continuation.resume()
      }
      database.add(operation)
    }
    #expect(changed == 1 && hasToken && !operation.moreComing)
  }

  @Test("values for several keys at once")
  func dictionaries() {
    let note = record("a")
    note.setValuesForKeys(["a": 1, "b": "x", "c": NSNull()])
    let values = note.dictionaryWithValues(forKeys: ["a", "b", "c"])
    #expect(values["a"] as? Int == 1 && values["b"] as? String == "x" && values["c"] is NSNull)
  }
}
