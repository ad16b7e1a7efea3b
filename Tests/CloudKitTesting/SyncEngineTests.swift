import Basics
import CloudKitTesting
import TestSupport
import Testing

/// An app of one device: keeps texts of notes, and everything that its engine says.
private final class Notes: CKSyncEngineDelegate {
  private let content = Locked(Content())
  private let onEvent: @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void

  struct Content: Sendable {
    var texts: [String: String] = [:]
    var records: [String: CKRecord] = [:]
    var events: [CKSyncEngine.Event] = []
    var batches: [Int] = []
    var state: CKSyncEngine.State.Serialization?
  }

  private let isAtomic: Bool

  init(
    isAtomic: Bool = false,
    onEvent: @escaping @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void = { _, _ in }
  ) {
    (self.isAtomic, self.onEvent) = (isAtomic, onEvent)
  }

  static let zoneID = CKRecordZone.ID(zoneName: "Notes")
  var now: Content { content.withLock { $0 } }
  var names: [String] { now.events.map { String($0.description.prefix { $0 != " " }) } }
  func forgetEvents() { content.withLock { ($0.events, $0.batches) = ([], []) } }
  func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: Self.zoneID)
  }

  func write(_ text: String, to name: String, _ engine: CKSyncEngine) {
    content.withLock { $0.texts[name] = text }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID(name))])
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    content.withLock { content in
      content.events.append(event)
      switch event {
      case .stateUpdate(let update): content.state = update.stateSerialization
      case .fetchedRecordZoneChanges(let changes):
        for record in changes.modifications.map(\.record) {
          content.texts[record.recordID.recordName] = record["text"]
          content.records[record.recordID.recordName] = record
        }
        for deletion in changes.deletions {
          content.texts[deletion.recordID.recordName] = nil
          content.records[deletion.recordID.recordName] = nil
        }
      case .sentRecordZoneChanges(let sent):
        content.batches.append(sent.savedRecords.count + sent.deletedRecordIDs.count)
        for record in sent.savedRecords { content.records[record.recordID.recordName] = record }
      default: break
      }
    }
    if case .accountChange(let change) = event, case .signIn = change.changeType {
      syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
    }
    await onEvent(event, syncEngine)
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
    var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
      let content = self.now
      guard let text = content.texts[id.recordName] else { return nil }
      let record =
        content.records[id.recordName]?.copy() as? CKRecord
        ?? CKRecord(recordType: "Note", recordID: id)
      record["text"] = text
      return record
    }
    batch?.atomicByZone = isAtomic
    return batch
  }

  func engine(
    _ database: CKDatabase, isAutomatic: Bool = false,
    _ state: CKSyncEngine.State.Serialization? = nil
  ) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: state, delegate: self)
    configuration.automaticallySync = isAutomatic
    return CKSyncEngine(configuration)
  }
}

/// `CKSyncEngine` (reference/library.md, §4).
@Suite("CKSyncEngine", .timeLimit(.minutes(5)))
struct SyncEngineTests {
  private let app = "iCloud.org.example.notes"

  private func database(_ cloud: LocalCloud, _ device: String = "phone") -> CKDatabase {
    cloud.container(app, account: "ann", device: device).privateCloudDatabase
  }

  /// Waits until a condition holds; the test's time limit ends it otherwise.
  private func wait(until condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test("444 records take two batches; each is sent once, and does not come back")
  func batches() async throws {
    let cloud = try LocalCloud()
    let (phone, pad) = (Notes(), Notes())
    let first = phone.engine(database(cloud))
    for index in 0..<444 { phone.write("\(index)", to: "n\(index)", first) }
    try await first.sendChanges()
    #expect(phone.now.batches == [400, 44])
    #expect(first.state.pendingRecordZoneChanges.isEmpty)

    let second = pad.engine(database(cloud, "pad"))
    try await second.fetchChanges()
    #expect(pad.now.texts == phone.now.texts)
    phone.forgetEvents()
    try await first.fetchChanges()
    #expect(phone.names.filter { $0 != "stateUpdate" } == ["willFetchChanges", "didFetchChanges"])
    try await first.sendChanges()
    #expect(phone.now.batches == [])
  }

  @Test("a batch has at most about 1 MB, but at least one record")
  func batchSize() async throws {
    let cloud = try LocalCloud()
    let phone = Notes()
    let engine = phone.engine(database(cloud))
    for index in 0..<5 {
      phone.write(String(repeating: "x", count: 400_000), to: "n\(index)", engine)
    }
    try await engine.sendChanges()
    #expect(phone.now.batches == [2, 2, 1])
  }

  @Test("pending changes are deduplicated; a save and a deletion replace each other")
  func pendingChanges() throws {
    let state = Notes().engine(database(try LocalCloud())).state
    let (a, b) = (CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "b"))
    state.add(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b), .saveRecord(a)])
    #expect(state.pendingRecordZoneChanges == [.saveRecord(a), .saveRecord(b)])
    state.add(pendingRecordZoneChanges: [.deleteRecord(a)])
    #expect(state.pendingRecordZoneChanges == [.saveRecord(b), .deleteRecord(a)])
    state.remove(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b)])
    #expect(state.pendingRecordZoneChanges == [.deleteRecord(a)])
    let zone = CKRecordZone(zoneName: "Z")
    state.add(pendingDatabaseChanges: [.saveZone(zone), .deleteZone(zone.zoneID)])
    #expect(state.pendingDatabaseChanges == [.deleteZone(zone.zoneID)])
  }

  @Test("a conflict has the server's record, and is pending again only if the app adds it")
  func conflict() async throws {
    let cloud = try LocalCloud()
    let (phone, pad) = (Notes(), Notes())
    let (first, second) = (phone.engine(database(cloud)), pad.engine(database(cloud, "pad")))
    phone.write("1", to: "n", first)
    try await first.sendChanges()
    try await second.fetchChanges()
    phone.write("2", to: "n", first)
    pad.write("3", to: "n", second)
    pad.write("4", to: "m", second)
    try await first.sendChanges()
    let error = await #expect(throws: CKError.self) { try await second.sendChanges() }
    #expect(error?.code == .partialFailure)
    let failures = pad.now.events.compactMap { event in
      if case .sentRecordZoneChanges(let sent) = event { sent.failedRecordSaves } else { nil }
    }.flatMap(\.self)
    #expect(failures.map(\.error.code) == [.serverRecordChanged])
    #expect(failures.first?.error.serverRecord?["text"] == "2")
    #expect(second.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test("a change stays pending after a transient error, and only then")
  func retries() async throws {
    let cloud = try LocalCloud()
    let phone = Notes()
    let engine = phone.engine(database(cloud))
    phone.write("1", to: "n", engine)
    try cloud.fail(.save, with: .zoneBusy, times: 1)
    await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(phone.recordID("n"))])
    try cloud.fail(.save, with: .permissionFailure, times: 1)
    await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    // The change is made, and the answer lost: it is not made again.
    phone.write("2", to: "n", engine)
    try cloud.fail(.save, with: .serverResponseLost, times: 1, afterChange: true)
    await #expect(throws: CKError.self) { try await engine.sendChanges() }
    let saved = try await database(cloud, "pad").record(for: phone.recordID("n"))
    try await engine.sendChanges()
    let again = try await database(cloud, "pad").record(for: phone.recordID("n"))
    #expect(saved["text"] == "2")
    #expect(again.recordChangeTag == saved.recordChangeTag)
    #expect(phone.now.records["n"]?.recordChangeTag == saved.recordChangeTag)
  }

  @Test("a record that changes while it is sent is sent again")
  func changeInFlight() async throws {
    let cloud = try LocalCloud()
    let isFirst = Locked(true)
    let phone = Notes()
    let app = Notes { event, engine in
      guard case .willSendChanges = event,
        isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        })
      else { return }
      engine.state.add(pendingRecordZoneChanges: [.saveRecord(phone.recordID("n"))])
    }
    let engine = app.engine(database(cloud))
    app.write("1", to: "n", engine)
    try await engine.sendChanges()
    #expect(app.now.batches == [1])
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test("sendChanges inside of handleEvent throws; a task of its own can call it")
  func callsInEvents() async throws {
    let cloud = try LocalCloud()
    let codes = Locked<[CKError.Code?]>([])
    let later = Locked<[Task<Void, any Error>]>([])
    let app = Notes { event, engine in
      guard case .willFetchChanges = event else { return }
      do { try await engine.sendChanges() } catch {
        codes.withLock { $0.append((error as? CKError)?.code) }
      }
      do { try await engine.fetchChanges() } catch {
        codes.withLock { $0.append((error as? CKError)?.code) }
      }
      let task = Task { try await engine.sendChanges() }
      later.withLock { $0.append(task) }
    }
    let engine = app.engine(database(cloud))
    app.write("1", to: "n", engine)
    try await engine.fetchChanges()
    #expect(codes.withLock { $0 } == [.invalidArguments, .invalidArguments])
    for task in later.withLock({ $0 }) { try await task.value }
    #expect(app.now.batches == [1])
  }

  @Test("the first start with an account reports signIn; losing the user forgets the state")
  func accounts() async throws {
    let cloud = try LocalCloud()
    let phone = Notes()
    let engine = phone.engine(database(cloud))
    phone.write("1", to: "n", engine)
    try await engine.sendChanges()
    phone.write("2", to: "n", engine)
    try cloud.signOut("ann", device: "phone")
    let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(error?.code == .notAuthenticated)
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    try cloud.signIn("bob", device: "phone")
    try await engine.fetchChanges()
    try cloud.signIn("ann", device: "phone")
    try await engine.fetchChanges()
    let kinds = phone.now.events.compactMap { event -> String? in
      guard case .accountChange(let change) = event else { return nil }
      switch change.changeType {
      case .signIn: return "signIn"
      case .signOut: return "signOut"
      case .switchAccounts: return "switchAccounts"
      }
    }
    #expect(kinds == ["signIn", "signOut", "signIn", "switchAccounts"])
    // The places in the feeds are forgotten, too: everything is fetched.
    #expect(phone.now.texts["n"] == "1")
  }

  @Test("the state goes on after a restart, from any update")
  func restart() async throws {
    let cloud = try LocalCloud()
    let (phone, pad) = (Notes(), Notes())
    let first = phone.engine(database(cloud))
    phone.write("1", to: "a", first)
    phone.write("1", to: "b", first)
    try await wait { phone.now.events.last?.description == "stateUpdate (2 pending records)" }
    let data = try JSONEncoder().encode(try #require(phone.now.state))
    let state = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
    #expect(state == phone.now.state)
    let again = phone.engine(database(cloud), state)
    try await again.sendChanges()
    #expect(phone.now.batches == [2])

    let second = pad.engine(database(cloud, "pad"))
    try await second.fetchChanges()
    pad.write("2", to: "a", second)
    second.state.add(pendingRecordZoneChanges: [.deleteRecord(pad.recordID("b"))])
    try await second.sendChanges()
    let updates = phone.now.events.compactMap { event in
      if case .stateUpdate(let update) = event { update.stateSerialization } else { nil }
    }
    for update in updates {
      let copy = Notes()
      try await copy.engine(database(cloud), update).fetchChanges()
      #expect(copy.now.texts["a"] == "2")
      #expect(copy.now.texts["b"] == nil)
    }
  }

  @Test("a zone that another device deletes arrives with its reason, and can be made again")
  func deletedZone() async throws {
    let cloud = try LocalCloud()
    let (phone, pad) = (Notes(), Notes())
    let (first, second) = (phone.engine(database(cloud)), pad.engine(database(cloud, "pad")))
    phone.write("1", to: "n", first)
    try await first.sendChanges()
    try await first.fetchChanges()
    try await second.fetchChanges()
    second.state.add(pendingDatabaseChanges: [.deleteZone(Notes.zoneID)])
    try await second.sendChanges()
    pad.forgetEvents()
    try await second.fetchChanges()
    #expect(!pad.names.contains("fetchedDatabaseChanges"))
    try await first.fetchChanges()
    let deletions = phone.now.events.compactMap { event in
      if case .fetchedDatabaseChanges(let changes) = event { changes.deletions } else { nil }
    }.flatMap(\.self)
    #expect(deletions.map(\.zoneID) == [Notes.zoneID])
    #expect(deletions.map(\.reason) == [.deleted])

    phone.write("2", to: "m", first)
    first.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Notes.zoneID))])
    try await first.sendChanges()
    try await second.fetchChanges()
    #expect(pad.now.texts["m"] == "2")
  }

  @Test("scopes choose zones and records; zones are fetched in the app's order")
  func scopes() async throws {
    let cloud = try LocalCloud()
    let (phone, pad) = (Notes(), Notes())
    let (first, second) = (phone.engine(database(cloud)), pad.engine(database(cloud, "pad")))
    let zones = ["A", "B", "C"].map { CKRecordZone.ID(zoneName: $0) }
    first.state.add(pendingDatabaseChanges: zones.map { .saveZone(CKRecordZone(zoneID: $0)) })
    for name in ["a", "b"] { phone.write("1", to: name, first) }
    try await first.sendChanges(.init(scope: .recordIDs([phone.recordID("b")])))
    #expect(first.state.pendingRecordZoneChanges == [.saveRecord(phone.recordID("a"))])
    #expect(first.state.pendingDatabaseChanges.count == 3)
    try await first.sendChanges(.init(scope: .allExcluding([zones[0]])))
    #expect(first.state.pendingDatabaseChanges == [.saveZone(CKRecordZone(zoneID: zones[0]))])
    #expect(first.state.pendingRecordZoneChanges.isEmpty)
    try await first.sendChanges()

    var options = CKSyncEngine.FetchChangesOptions(scope: .allExcluding([zones[1]]))
    options.prioritizedZoneIDs = [zones[2]]
    try await second.fetchChanges(options)
    let fetched = pad.now.events.compactMap { event in
      if case .willFetchRecordZoneChanges(let zone) = event { zone.zoneID.zoneName } else { nil }
    }
    #expect(fetched.first == "C")
    #expect(Set(fetched) == ["A", "C", "Notes"])
    #expect(second.state.zoneIDsWithUnfetchedServerChanges == [zones[1]])
  }

  // MARK: Automatic engines

  @Test("an automatic engine sends by itself, and fetches what another device changes")
  func automatic() async throws {
    let cloud = try LocalCloud()
    let (phone, pad) = (Notes(), Notes())
    let first = phone.engine(database(cloud), isAutomatic: true)
    let second = pad.engine(database(cloud, "pad"), isAutomatic: true)
    for index in 0..<1000 { phone.write("\(index)", to: "n\(index)", first) }
    try await wait { pad.now.texts.count == 1000 }
    #expect(pad.now.texts == phone.now.texts)
    // The pad may know of a batch before the phone's app does.
    try await wait { phone.now.batches.reduce(0, +) >= 1000 }
    #expect(phone.now.batches.allSatisfy { $0 <= 400 })
    #expect(phone.now.batches.reduce(0, +) == 1000)
    pad.write("new", to: "n1", second)
    try await wait { phone.now.texts["n1"] == "new" }
    // What an engine sent itself makes no events of fetching.
    try await wait { first.state.pendingRecordZoneChanges.isEmpty }
    let fetched = pad.now.events.filter { event in
      if case .fetchedRecordZoneChanges(let changes) = event {
        return changes.modifications.contains { $0.record["text"] == "new" }
      }
      return false
    }
    #expect(fetched.isEmpty)
  }

  @Test("an automatic engine waits for an account, and tries again after a failure")
  func automaticRetries() async throws {
    let cloud = try LocalCloud()
    _ = database(cloud)
    try cloud.signOut("ann", device: "phone")
    let phone = Notes()
    let engine = phone.engine(database(cloud), isAutomatic: true)
    phone.write("1", to: "n", engine)
    try cloud.fail(.save, with: .requestRateLimited, retryAfter: 0.02, times: 2)
    try cloud.signIn("ann", device: "phone")
    phone.write("2", to: "n", engine)
    try await wait {
      engine.state.pendingRecordZoneChanges.isEmpty && phone.now.records["n"]?["text"] == "2"
    }
  }

  @Test("an engine that nothing refers to ends, and its delegate")
  func release() async throws {
    let cloud = try LocalCloud()
    weak var lastDelegate: Notes?
    weak var lastEngine: CKSyncEngine?
    for isAutomatic in [false, true] {
      do {
        let phone = Notes()
        let engine = phone.engine(database(cloud), isAutomatic: isAutomatic)
        phone.write("1", to: "n\(isAutomatic)", engine)
        try await engine.sendChanges()
        (lastDelegate, lastEngine) = (phone, engine)
      }
      while lastEngine != nil || lastDelegate != nil {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  @Test("an app that makes another engine replaces the first: both send by the second")
  func replacement() async throws {
    let cloud = try LocalCloud()
    let phone = Notes()
    let first = phone.engine(database(cloud))
    let second = phone.engine(database(cloud))
    phone.write("1", to: "n", second)
    try await first.sendChanges()
    #expect(phone.now.records["n"] != nil)
    #expect(second.state.pendingRecordZoneChanges.isEmpty)
  }

  @Test("in the shared database, too: what two people change reaches both")
  func sharedDatabase() async throws {
    let cloud = try LocalCloud()
    let ann = cloud.container(app, account: "ann")
    let bob = cloud.container(app, account: "bob")
    try await ann.privateCloudDatabase.save(CKRecordZone(zoneID: Notes.zoneID))
    let share = CKShare(recordZoneID: Notes.zoneID)
    share.publicPermission = .readWrite
    try await ann.privateCloudDatabase.save(share)
    let note = CKRecord(
      recordType: "Note", recordID: .init(recordName: "n", zoneID: Notes.zoneID))
    note["text"] = "1"
    try await ann.privateCloudDatabase.save(note)

    let app = Notes()
    let engine = app.engine(bob.sharedCloudDatabase, isAutomatic: true)
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    try await wait { app.now.texts["n"] == "1" }
    let zoneID = try #require(app.now.records["n"]?.recordID.zoneID)
    #expect(zoneID.ownerName == (try await ann.userRecordID()).recordName)
    note["text"] = "2"
    try await ann.privateCloudDatabase.save(note)
    try await wait { app.now.texts["n"] == "2" }
    // The share arrives, too; ending it takes the zone away.
    #expect(app.now.records[CKRecordNameZoneWideShare] is CKShare)
    try await ann.privateCloudDatabase.deleteRecord(withID: share.recordID)
    try await wait {
      app.now.events.contains { event in
        guard case .fetchedDatabaseChanges(let changes) = event else { return false }
        return changes.deletions.contains { $0.zoneID == zoneID }
      }
    }
    withExtendedLifetime(engine) {}
  }

  @Test("an operation that is cancelled ends; its changes stay pending")
  func cancelling() async throws {
    let cloud = try LocalCloud()
    let app = Notes { event, engine in
      if case .willSendChanges = event { await engine.cancelOperations() }
    }
    let engine = app.engine(database(cloud))
    app.write("1", to: "n", engine)
    let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(error?.code == .operationCancelled)
    #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(app.recordID("n"))])
  }

  @Test("what failed does not keep the rest from being sent; an atomic zone waits as a whole")
  func failuresAmongOthers() async throws {
    let cloud = try LocalCloud()
    let phone = Notes()
    let engine = phone.engine(database(cloud))
    for index in 0..<450 { phone.write("\(index)", to: "n\(index)", engine) }
    try cloud.fail(.save, with: .zoneBusy, every: 2)
    await #expect(throws: CKError.self) { try await engine.sendChanges() }
    // The second batch has only what did not fail.
    #expect(phone.now.batches == [200, 25])
    #expect(engine.state.pendingRecordZoneChanges.count == 225)
    try cloud.clearFaults()
    try await engine.sendChanges()
    #expect(phone.now.records.count == 450)

    let other = Notes(isAtomic: true)
    let atomic = other.engine(database(cloud, "pad"))
    for index in 0..<410 { other.write("\(index)", to: "m\(index)", atomic) }
    try cloud.fail(.save, with: .permissionFailure, times: 1, recordName: "m7")
    await #expect(throws: CKError.self) { try await atomic.sendChanges() }
    #expect(other.now.batches == [0])
    #expect(atomic.state.pendingRecordZoneChanges.count == 409)
  }

  @Test("a zone that was deleted here, made there and deleted there arrives as deleted")
  func zoneMadeAgain() async throws {
    let cloud = try LocalCloud()
    let phone = Notes()
    let engine = phone.engine(database(cloud))
    phone.write("1", to: "n", engine)
    try await engine.sendChanges()
    try await engine.fetchChanges()
    engine.state.add(pendingDatabaseChanges: [.deleteZone(Notes.zoneID)])
    try await engine.sendChanges()
    let other = database(cloud, "pad")
    try await other.save(CKRecordZone(zoneID: Notes.zoneID))
    try await engine.fetchChanges()
    try await other.deleteRecordZone(withID: Notes.zoneID)
    phone.forgetEvents()
    try await engine.fetchChanges()
    #expect(phone.names.contains("fetchedDatabaseChanges"))
  }

  @Test("changes that are added to a replaced engine are the new one's")
  func replacedState() async throws {
    let cloud = try LocalCloud()
    let phone = Notes()
    let first = phone.engine(database(cloud))
    let second = phone.engine(database(cloud))
    phone.write("1", to: "n", first)
    #expect(second.state.pendingRecordZoneChanges == [.saveRecord(phone.recordID("n"))])
    #expect(first.state.pendingRecordZoneChanges == second.state.pendingRecordZoneChanges)
    try await first.sendChanges()
    #expect(second.state.pendingRecordZoneChanges.isEmpty)
  }
}
