import Basics
import CloudKitTesting
import TestSupport
import Testing

/// Clouds for tests (library.md §3). What docs/swift.md shows is here.
@Suite("CloudKitTesting")
struct LocalCloudTests {
  private let app = "iCloud.org.example.notes"

  private func file(_ name: String, _ text: String, in directory: TemporaryDirectory) throws -> URL
  {
    let url = URL(fileURLWithPath: directory.path + "/" + name)
    try Data(text.utf8).write(to: url)
    return url
  }

  private let library = """
    { "container": "iCloud.org.example.notes", "clock": "2026-01-01T00:00:00Z",
      "databases": { "private": { "zones": { "_defaultZone": { "records": [
        { "recordName": "list", "recordType": "Note", "fields": { "text": "milk" } },
        { "recordName": "todo", "recordType": "Note", "fields": {
            "text": "rest", "list": { "recordName": "list" } } } ] } } } } }
    """

  @Test("two accounts and two devices in one test")
  func accounts() async throws {
    let cloud = try LocalCloud()
    let ann = cloud.container("iCloud.org.example.notes", account: "ann", device: "phone")
    let bob = cloud.container("iCloud.org.example.notes", account: "bob")
    try await ann.privateCloudDatabase.save(CKRecord(recordType: "Note"))
    try await bob.publicCloudDatabase.save(CKRecord(recordType: "News"))

    try cloud.signOut("ann", device: "phone")
    #expect(try await ann.accountStatus() == .noAccount)
    try cloud.signIn("ann", device: "phone")
    try cloud.setOnline(false, device: "phone")
    let error = await #expect(throws: CKError.self) {
      try await ann.privateCloudDatabase.allRecordZones()
    }
    #expect(error?.code == .networkUnavailable)
    try cloud.setOnline(true, device: "phone")
    try cloud.setStatus(.restricted, of: "bob")
    #expect(try await bob.accountStatus() == .restricted)
  }

  private final class Posted: Sendable {
    let count = Locked(0)
  }

  @Test("the status of an account changes with a notification")
  func accountNotification() async throws {
    let cloud = try LocalCloud()
    let posted = Posted()
    let observer = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { _ in posted.count.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(observer) }
    try cloud.setStatus(.temporarilyUnavailable, of: "ann")
    #expect(posted.count.withLock { $0 } > 0)
    let ann = cloud.container(app, account: "ann")
    let error = await #expect(throws: CKError.self) {
      try await ann.privateCloudDatabase.allRecordZones()
    }
    #expect(error?.code == .accountTemporarilyUnavailable)
  }

  @Test("time stands still, and moves on")
  func time() async throws {
    let cloud = try LocalCloud()
    cloud.now = Date(timeIntervalSince1970: 0)
    let database = cloud.container("iCloud.org.example.notes").privateCloudDatabase
    let note = try await database.save(CKRecord(recordType: "Note"))
    cloud.advance(by: 3600)
    note["text"] = "later"
    try await database.save(note)
    #expect(note.creationDate == Date(timeIntervalSince1970: 0))
    #expect(note.modificationDate == Date(timeIntervalSince1970: 3600))
    cloud.now = nil
    #expect(cloud.now == nil)
  }

  @Test("faults: an error once, an answer that is lost, a quota")
  func faults() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container("iCloud.org.example.notes").privateCloudDatabase
    let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "list"))

    // The save is made, but the app does not learn it.
    try cloud.fail(.save, with: .serverResponseLost, times: 1, afterChange: true)
    await #expect(throws: CKError.self) { try await database.save(note) }
    #expect(note.recordChangeTag == nil)
    _ = try await database.record(for: note.recordID)

    // One record of an operation fails.
    try cloud.fail(.save, with: .quotaExceeded, recordName: "second")
    let others = ["first", "second"].map {
      CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: $0))
    }
    let (saves, _) = try await database.modifyRecords(
      saving: others, deleting: [], atomically: false)
    #expect(throws: CKError.self) { try saves[others[1].recordID]?.get() }
    try cloud.clearFaults()

    try cloud.setQuota(1, of: "me")
    note["text"] = "more than a byte"
    let error = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: [note], deleting: [], savePolicy: .allKeys)
        .saveResults[note.recordID]?.get()
    }
    #expect(error?.code == .quotaExceeded)
  }

  @Test("a delayed request does its work at once and answers later, also with an error")
  func delays() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container("iCloud.org.example.notes").privateCloudDatabase
    let slow = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "slow"))
    try cloud.delay(.save, by: 0.5, times: 1)
    var began = ContinuousClock.now
    async let saving = database.save(slow)
    // Others see the record, and do not wait for the answer to its save.
    while (try? await database.record(for: slow.recordID)) == nil { await Task.yield() }
    _ = try await saving
    #expect(began.duration(to: .now) >= .seconds(0.5))
    try cloud.fail(.query, with: .zoneBusy)
    try cloud.delay(.query, by: 0.2)
    began = ContinuousClock.now
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    await #expect(throws: CKError.self) { try await database.records(matching: query) }
    #expect(began.duration(to: .now) >= .seconds(0.2))
    #expect(throws: CKError.self) { try cloud.delay(.save, by: -1) }
  }

  @Test("fixtures, snapshots and differences")
  func fixtures() async throws {
    let directory = try TemporaryDirectory()
    let url = try file("library.json", library, in: directory)
    for _ in 1...2 {
      // The second time from the cache.
      let cloud = try LocalCloud(fixture: url)
      #expect(cloud.now == Date(timeIntervalSince1970: 1_767_225_600))
      let database = cloud.container("iCloud.org.example.notes").privateCloudDatabase
      let list = try await database.record(for: CKRecord.ID(recordName: "list"))
      #expect(list["text"] == "milk")

      try cloud.save("before")
      list["text"] = "milk, eggs"
      try await database.save(list)
      let differences = try cloud.differences(from: url)
      #expect(differences.count == 1)
      #expect(differences.first?.recordID == list.recordID && differences.first?.key == "text")
      #expect("\(differences[0])".contains("milk, eggs"))

      try cloud.restore("before")
      #expect(try cloud.differences(from: url).isEmpty)
      #expect(try cloud.snapshots.contains("before"))
      try await database.deleteRecord(withID: CKRecord.ID(recordName: "todo"))
      try cloud.load(url)
      #expect(try cloud.differences(from: url).isEmpty)
    }
  }

  @Test("a fixture with a fault is an error with its place")
  func faultyFixture() async throws {
    let directory = try TemporaryDirectory()
    let url = try file(
      "faulty.json",
      """
      { "databases": { "private": { "zones": { "_defaultZone": { "records": [
        { "recordName": "a", "recordType": "No te", "fields": {} } ] } } } } }
      """,
      in: directory)
    let error = #expect(throws: FixtureError.self) { try LocalCloud(fixture: url) }
    #expect(error?.faults.first?.contains("faulty.json:2:") == true)
    #expect(throws: (any Error).self) {
      try LocalCloud(fixture: URL(fileURLWithPath: directory.path + "/missing.json"))
    }
  }

  @Test("production has a schema that saves do not change; strict queries need indexes")
  func rules() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container(app).privateCloudDatabase
    cloud.isInProduction = true
    let error = await #expect(throws: CKError.self) {
      try await database.save(CKRecord(recordType: "Note"))
    }
    #expect(error?.code == .invalidArguments)
    cloud.isInProduction = false
    cloud.isStrict = true
    try await database.save(CKRecord(recordType: "Note"))
    let all = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let refused = await #expect(throws: CKError.self) {
      try await database.records(matching: all)
    }
    #expect(refused?.code == .invalidArguments)
  }

  @Test("a user is found by contacts after agreeing (R11.3)")
  func discovery() async throws {
    let cloud = try LocalCloud()
    let ann = cloud.container(app, account: "ann")
    let bob = cloud.container(app, account: "bob")
    try cloud.setPerson(
      of: "bob", givenName: "Bob", familyName: "Stone", emailAddresses: ["bob@example.org"])
    try cloud.addContacts(["bob@example.org"], of: "ann")
    #expect(try await ann.userIdentity(forEmailAddress: "bob@example.org") == nil)
    #expect(
      try await bob.applicationPermissionStatus(for: .userDiscoverability) == .initialState)
    #expect(
      try await bob.requestApplicationPermission(.userDiscoverability) == .granted)
    let found = try #require(try await ann.userIdentity(forEmailAddress: "bob@example.org"))
    #expect(found.nameComponents?.givenName == "Bob" && found.hasiCloudAccount)
    #expect(try await bob.userRecordID() == found.userRecordID)
    #expect(try await ann.allUserIdentitiesFromContacts().count == 1)
    let operation = CKDiscoverUserIdentitiesOperation(
      userIdentityLookupInfos: CKUserIdentity.LookupInfo.lookupInfos(
        withEmails: ["bob@example.org", "nobody@example.org"]))
    var names: [String?] = []
    await withCheckedContinuation { continuation in
      operation.userIdentityDiscoveredBlock = { identity, _ in
        names.append(identity.nameComponents?.familyName)
      }
      operation.discoverUserIdentitiesResultBlock = { _ in continuation.resume() }
      ann.add(operation)
    }
    #expect(names == ["Stone"])
    try cloud.setDiscoverability(.denied, of: "bob", in: app)
    #expect(try await ann.allUserIdentitiesFromContacts().isEmpty)
  }

  @Test("the record of the current user is fetched by its own operation")
  func currentUser() async throws {
    let cloud = try LocalCloud()
    let ann = cloud.container(app, account: "ann")
    try await ann.privateCloudDatabase.save(CKRecord(recordType: "Note"))
    let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    var record: CKRecord?
    await withCheckedContinuation { continuation in
      operation.perRecordResultBlock = { record = try? $1.get() }
      operation.fetchRecordsResultBlock = { _ in continuation.resume() }
      ann.publicCloudDatabase.add(operation)
    }
    #expect(record?.recordType == CKRecord.SystemType.userRecord)
    #expect(record?.recordID == (try await ann.userRecordID()))
    let nobody = cloud.container(app, account: nil)
    #expect(try await nobody.accountStatus() == .noAccount)
    let error = await #expect(throws: CKError.self) { try await nobody.userRecordID() }
    #expect(error?.code == .notAuthenticated)
  }

  @Test("a cloud in a directory stays")
  func directory() async throws {
    let directory = try TemporaryDirectory()
    let url = URL(fileURLWithPath: directory.path + "/cloud", isDirectory: true)
    let id = CKRecord.ID(recordName: "list")
    try await LocalCloud(at: url).container(app).privateCloudDatabase.save(
      CKRecord(recordType: "Note", recordID: id))
    _ = try await LocalCloud(at: url).container(app).privateCloudDatabase.record(for: id)
  }
}
