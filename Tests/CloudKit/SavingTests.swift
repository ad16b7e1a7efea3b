import CloudKit
import CloudKitTesting
import Testing

@Suite("CloudKit: saving and fetching")
struct SavingTests {
  let cloud: LocalCloud
  let database: CKDatabase

  init() throws {
    cloud = try LocalCloud()
    database = cloud.container("iCloud.org.example.app").privateCloudDatabase
  }

  @Test("a saved record has what the service sets, and no changes (R4.1)")
  func saves() async throws {
    cloud.now = Date(timeIntervalSince1970: 1_000_000)
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["title"] = "One"
    record["count"] = 3
    #expect(record.changedKeys() == ["count", "title"])
    let saved = try await database.save(record)
    #expect(saved === record)
    #expect(record.changedKeys().isEmpty)
    #expect(record.recordChangeTag != nil)
    #expect(record.creationDate == cloud.now)
    #expect(record.modificationDate == cloud.now)
    #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    let fetched = try await database.record(for: record.recordID)
    #expect(fetched !== record)
    #expect(fetched["title"] as? String == "One")
    #expect(fetched["count"] as? Int == 3)
    #expect(fetched.recordChangeTag == record.recordChangeTag)
    #expect(fetched == record)
  }

  @Test("a save of an older version fails with the three records of a conflict (R4.1.5)")
  func conflicts() async throws {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["title"] = "One"
    try await database.save(record)
    let mine = try await database.record(for: record.recordID)
    record["title"] = "Two"
    try await database.save(record)
    mine["title"] = "Three"
    let error = await #expect(throws: CKError.self) { try await database.save(mine) }
    #expect(error?.code == .serverRecordChanged)
    #expect(error?.serverRecord?["title"] as? String == "Two")
    #expect(error?.clientRecord?["title"] as? String == "Three")
    #expect(error?.ancestorRecord?["title"] as? String == "One")
    #expect(mine.changedKeys() == ["title"])
    let server = try #require(error?.serverRecord)
    server["title"] = "Three"
    try await database.save(server)
  }

  @Test("the three forms of a fetch agree")
  func forms() async throws {
    let missing = CKRecord.ID(recordName: "missing")
    await #expect(throws: CKError.self) { try await database.record(for: missing) }
    let (record, error) = await withCheckedContinuation { continuation in
      database.fetch(withRecordID: missing) { record, error in
        continuation.resume(returning: (record, error))
      }
    }
    #expect(record == nil)
    #expect((error as? CKError)?.code == .unknownItem)
    let results = try await database.records(for: [missing])
    #expect(throws: CKError.self) { try results[missing]?.get() }
  }

  @Test("an operation calls its blocks in their order, and the last once")
  func operation() async throws {
    try await database.save(CKRecordZone(zoneName: "Z"))
    let zone = CKRecordZone.ID(zoneName: "Z")
    let records = (1...3).map { number in
      let record = CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: "n\(number)", zoneID: zone))
      record["number"] = number
      return record
    }
    let operation = CKModifyRecordsOperation(
      recordsToSave: records, recordIDsToDelete: [CKRecord.ID(recordName: "x", zoneID: zone)])
    var log: [String] = []
    operation.perRecordProgressBlock = { log.append("progress \($0.recordID.recordName) \($1)") }
    operation.perRecordSaveBlock = { id, _ in log.append("saved \(id.recordName)") }
    operation.perRecordDeleteBlock = { id, _ in log.append("deleted \(id.recordName)") }
    await withCheckedContinuation { continuation in
      operation.modifyRecordsResultBlock = { result in
        log.append("end \(result.isSuccess)")
        continuation.resume()
      }
      database.add(operation)
    }
    #expect(
      log == [
        "progress n1 1.0", "saved n1", "progress n2 1.0", "saved n2", "progress n3 1.0",
        "saved n3", "deleted x", "end true",
      ])
  }

  @Test("a query finds records by a predicate with arguments, page by page")
  func query() async throws {
    for number in 1...5 {
      let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n\(number)"))
      record["number"] = number
      record["tags"] = ["a", "t\(number)"]
      record["date"] = Date(timeIntervalSince1970: Double(number))
      try await database.save(record)
    }
    let query = CKQuery(
      recordType: "Note",
      predicate: NSPredicate(
        format: "number > %d AND tags CONTAINS %@ AND date < %@", 1, "a",
        Date(timeIntervalSince1970: 5) as NSDate))
    query.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
    let (first, cursor) = try await database.records(matching: query, resultsLimit: 2)
    #expect(first.map(\.0.recordName) == ["n4", "n3"])
    let (second, end) = try await database.records(
      continuingMatchFrom: try #require(cursor), resultsLimit: 2)
    #expect(second.map(\.0.recordName) == ["n2"])
    #expect(end == nil)
    let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "number IN %@", [1, 2, 9] as NSArray), NSPredicate(value: true),
    ])
    let (found, _) = try await database.records(
      matching: CKQuery(recordType: "Note", predicate: compound))
    #expect(Set(found.map(\.0.recordName)) == ["n1", "n2"])
    let block = CKQuery(recordType: "Note", predicate: NSPredicate { _, _ in true })
    let error = await #expect(throws: CKError.self) {
      try await database.records(matching: block)
    }
    #expect(error?.code == .invalidArguments)
  }

  @Test("an asset is copied to a file of its own")
  func assets() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("contents".utf8).write(to: file)
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["file"] = CKAsset(fileURL: file)
    try await database.save(record)
    try FileManager.default.removeItem(at: file)
    let fetched = try await database.record(for: record.recordID)
    let asset = try #require(fetched["file"] as? CKAsset)
    #expect(try Data(contentsOf: #require(asset.fileURL)) == Data("contents".utf8))
    record["file"] = CKAsset(fileURL: file)
    let error = await #expect(throws: CKError.self) { try await database.save(record) }
    #expect(error?.code == .assetFileNotFound)
  }

  @Test("changes of a zone come page by page, with the types of deleted records (R9.3)")
  func changes() async throws {
    let zone = try await database.save(CKRecordZone(zoneName: "Z"))
    for number in 1...5 {
      let record = CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: "n\(number)", zoneID: zone.zoneID))
      try await database.save(record)
    }
    let (_, _, token, _) = try await database.recordZoneChanges(
      inZoneWith: zone.zoneID, since: nil)
    try await database.deleteRecord(
      withID: CKRecord.ID(recordName: "n2", zoneID: zone.zoneID))
    let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
    #expect(changes.modificationResultsByID.isEmpty)
    #expect(changes.deletions.map(\.recordID.recordName) == ["n2"])
    #expect(changes.deletions.map(\.recordType) == ["Note"])
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(resultsLimit: 2)
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone.zoneID], configurationsByRecordZoneID: [zone.zoneID: configuration])
    var names: [String] = []
    var tokens = 0
    operation.recordWasChangedBlock = { id, _ in names.append(id.recordName) }
    operation.recordZoneChangeTokensUpdatedBlock = { _, _, _ in tokens += 1 }
    await withCheckedContinuation { continuation in
      operation.fetchRecordZoneChangesResultBlock = { _ in continuation.resume() }
      database.add(operation)
    }
    #expect(names == ["n1", "n3", "n4", "n5"])
    #expect(tokens == 2)
  }

  @Test("a fault strikes as the error that it names (M7.2)")
  func faults() async throws {
    try cloud.fail(.save, with: .zoneBusy, retryAfter: 3, times: 1)
    let record = CKRecord(recordType: "Note")
    let error = await #expect(throws: CKError.self) { try await database.save(record) }
    #expect(error?.code == .zoneBusy)
    #expect(error?.retryAfterSeconds == 3)
    try await database.save(record)
  }

  @Test("code that names no account runs as two")
  func accounts() async throws {
    func note() async throws -> CKRecord {
      try await CKContainer.default().privateCloudDatabase.save(
        CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "same")))
    }
    let one = try await cloud.run(as: "ann", container: "iCloud.org.example.app") {
      try await note()
    }
    let two = try await cloud.run(as: "bob", container: "iCloud.org.example.app") {
      try await note()
    }
    #expect(one.recordChangeTag != two.recordChangeTag)
    let ann = cloud.container("iCloud.org.example.app", account: "ann", device: "phone")
    #expect(try await ann.accountStatus() == .available)
    try cloud.signOut("ann", device: "phone")
    #expect(try await ann.accountStatus() == .noAccount)
    await #expect(throws: CKError.self) {
      try await ann.privateCloudDatabase.record(for: CKRecord.ID(recordName: "same"))
    }
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
