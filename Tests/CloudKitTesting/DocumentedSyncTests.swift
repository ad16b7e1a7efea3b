import Basics
import CloudKitTesting
import Testing

/// A shopping list on a device, as docs/swift.md shows it.
private final class ShoppingList: CKSyncEngineDelegate {
  private let content = Locked<(items: Set<String>, record: CKRecord?)>(([], nil))
  private let id = CKRecord.ID(recordName: "list", zoneID: .init(zoneName: "Lists"))

  var items: Set<String> { content.withLock { $0.items } }

  func add(_ item: String, _ engine: CKSyncEngine) {
    content.withLock { _ = $0.items.insert(item) }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
  }

  /// What iCloud has and what is here, together.
  private func merge(_ record: CKRecord) {
    content.withLock { content in
      content.items.formUnion(record["items"] as? [String] ?? [])
      content.record = record
    }
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .accountChange:
      syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
    case .fetchedRecordZoneChanges(let changes):
      for change in changes.modifications { merge(change.record) }
    case .sentRecordZoneChanges(let sent):
      for record in sent.savedRecords { merge(record) }
      for failure in sent.failedRecordSaves {
        guard let server = failure.error.serverRecord else { continue }
        merge(server)
        syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
      }
    default: break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let (items, known) = content.withLock { $0 }
    return await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { id in
      let record = known?.copy() as? CKRecord ?? CKRecord(recordType: "List", recordID: id)
      record["items"] = items.sorted()
      return record
    }
  }

  func engine(_ container: CKContainer) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase, stateSerialization: nil, delegate: self)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }
}

/// What docs/swift.md shows of sharing, pushes, sync engines and keys.
@Suite("docs/swift.md: people and devices", .timeLimit(.minutes(5)))
struct DocumentedSyncTests {
  @Test("a conflict in a sync engine")
  func conflict() async throws {
    let cloud = try LocalCloud()
    let (onPhone, onPad) = (ShoppingList(), ShoppingList())
    let phone = onPhone.engine(cloud.container("iCloud.org.example.lists", device: "phone"))
    let pad = onPad.engine(cloud.container("iCloud.org.example.lists", device: "pad"))
    onPhone.add("milk", phone)
    try await phone.sendChanges()

    // The pad has not fetched it, and has a list of its own.
    onPad.add("eggs", pad)
    await #expect(throws: CKError.self) { try await pad.sendChanges() }
    try await pad.sendChanges()
    try await phone.fetchChanges()
    #expect(onPhone.items == ["milk", "eggs"])
    #expect(onPad.items == onPhone.items)
  }

  @Test("two people and a push")
  func people() async throws {
    let cloud = try LocalCloud()
    let ann = cloud.container("iCloud.org.example.lists", account: "ann")
    let bob = cloud.container("iCloud.org.example.lists", account: "bob")
    try cloud.setPerson(of: "bob", givenName: "Bob", emailAddresses: ["bob@example.org"])

    let zone = try await ann.privateCloudDatabase.save(CKRecordZone(zoneName: "Lists"))
    let list = CKRecord(recordType: "List", recordID: .init(zoneID: zone.zoneID))
    let share = CKShare(rootRecord: list)
    let participant = try await ann.shareParticipant(forEmailAddress: "bob@example.org")
    participant.permission = .readWrite
    share.addParticipant(participant)
    _ = try await ann.privateCloudDatabase.modifyRecords(saving: [list, share], deleting: [])

    let url = try #require(share.url)
    let metadata = try await bob.shareMetadata(for: url)
    try await bob.accept(metadata)
    let root = try #require(metadata.hierarchicalRootRecordID)
    let shared = try await bob.sharedCloudDatabase.record(for: root)

    // Ann hears of what Bob changes.
    try await ann.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "lists"))
    var pushes = cloud.notifications(account: "ann", in: "iCloud.org.example.lists")
      .makeAsyncIterator()
    shared["items"] = ["milk"]
    try await bob.sharedCloudDatabase.save(shared)
    let push = try #require(await pushes.next())
    let notification = CKNotification(fromRemoteNotificationDictionary: push)
    #expect((notification as? CKDatabaseNotification)?.databaseScope == .private)
    #expect(notification?.subscriptionID == "lists")
  }

  @Test("keys on two devices")
  func keys() async throws {
    let cloud = try LocalCloud()
    let phone = cloud.keyValueStore("iCloud.org.example.lists", device: "phone")
    let pad = cloud.keyValueStore("iCloud.org.example.lists", device: "pad")
    phone.set("dark", forKey: "theme")
    while pad.string(forKey: "theme") != "dark" { try await Task.sleep(for: .milliseconds(2)) }
  }
}
