import CloudKitTesting
import Testing

/// Subscriptions, and the pushes that they send (R8).
@Suite("Subscriptions and pushes", .timeLimit(.minutes(5)))
struct SubscriptionTests {
  private let app = "iCloud.org.example.notes"

  @Test("a subscription comes back as it was saved, of each kind (R8.1, R8.2)")
  func roundTrip() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container(app).privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
    try await database.save(CKRecord(recordType: "Note", recordID: .init(zoneID: zone.zoneID)))

    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(format: "text == %@", "milk"),
      subscriptionID: "milk", options: [.firesOnRecordCreation, .firesOnce])
    query.zoneID = zone.zoneID
    let info = CKSubscription.NotificationInfo(
      alertLocalizationKey: "NEW %@", alertLocalizationArgs: ["text"], soundName: "default",
      desiredKeys: ["text"], shouldBadge: true, shouldSendContentAvailable: true)
    query.notificationInfo = info
    info.soundName = "other"
    let whole = CKDatabaseSubscription(subscriptionID: "all")
    let zoned = CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone")
    let note = CKRecord(recordType: "Note", recordID: .init(zoneID: zone.zoneID))
    note["text"] = "milk"
    try await database.save(note)
    _ = try await database.modifySubscriptions(saving: [query, whole, zoned], deleting: [])

    let found = try await database.subscription(for: "milk")
    let saved = try #require(found as? CKQuerySubscription)
    #expect(saved.recordType == "Note")
    #expect(saved.querySubscriptionOptions == [.firesOnRecordCreation, .firesOnce])
    #expect(saved.zoneID == zone.zoneID)
    #expect(saved.predicate.evaluate(with: note))
    #expect(saved.notificationInfo?.soundName == "default")
    #expect(saved.notificationInfo?.alertLocalizationArgs == ["text"])
    let all = try await database.allSubscriptions()
    #expect(Set(all.map(\.subscriptionID)) == ["milk", "all", "zone"])
    #expect(all.compactMap { $0 as? CKRecordZoneSubscription }.map(\.zoneID) == [zone.zoneID])
    for subscription in all {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: subscription, requiringSecureCoding: true)
      let read = try NSKeyedUnarchiver.unarchivedObject(
        ofClasses: [type(of: subscription)], from: data)
      #expect(read as? CKSubscription == subscription)
    }

    try await database.deleteSubscription(withID: "all")
    let error = await #expect(throws: CKError.self) {
      try await database.deleteSubscription(withID: "all")
    }
    #expect(error?.code == .unknownItem)
  }

  @Test("each subscription of an operation fails on its own, with its error by its name")
  func partialFailure() async throws {
    let cloud = try LocalCloud()
    let container = cloud.container(app)
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [
        CKDatabaseSubscription(subscriptionID: "good"),
        CKRecordZoneSubscription(zoneID: .init(zoneName: "Missing"), subscriptionID: "bad"),
      ])
    let (saved, error): ([CKSubscription]?, (any Error)?) = await withCheckedContinuation {
      continuation in
      operation.modifySubscriptionsCompletionBlock = { saved, _, error in
        continuation.resume(returning: (saved, error))
      }
      container.privateCloudDatabase.add(operation)
    }
    #expect(saved?.map(\.subscriptionID) == ["good"])
    let failure = try #require(error as? CKError)
    #expect(failure.code == .partialFailure)
    #expect((failure.partialErrorsByItemID?["bad"] as? CKError)?.code == .zoneNotFound)
  }

  @Test("a push reaches the other devices as a notification of its kind (R8.1.2, R8.3)")
  func pushes() async throws {
    let cloud = try LocalCloud()
    let phone = cloud.container(app, account: "ann", device: "phone")
    let pad = cloud.container(app, account: "ann", device: "pad")
    let database = phone.privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
    let note = CKRecord(recordType: "Note", recordID: .init(recordName: "n", zoneID: zone.zoneID))
    note["text"] = "milk"
    try await database.save(note)
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes")
    query.notificationInfo = CKSubscription.NotificationInfo(
      alertBody: "A note changed", title: "Notes", desiredKeys: ["text"])
    try await database.save(query)
    try await database.save(CKDatabaseSubscription(subscriptionID: "all"))
    try await database.save(CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone"))

    var toPhone = cloud.notifications(account: "ann", device: "phone", in: app)
      .makeAsyncIterator()
    var toPad = cloud.notifications(account: "ann", device: "pad", in: app).makeAsyncIterator()
    note["text"] = "eggs"
    try await database.save(note)

    var kinds: Set<CKNotification.NotificationType> = []
    for _ in 0..<3 {
      let push = try #require(await toPad.next())
      let notification = try #require(CKNotification(fromRemoteNotificationDictionary: push))
      kinds.insert(notification.notificationType)
      #expect(notification.containerIdentifier == app)
      #expect(!notification.isPruned)
      switch notification {
      case let query as CKQueryNotification:
        #expect(query.recordID == note.recordID)
        #expect(query.queryNotificationReason == .recordUpdated)
        #expect(query.recordFields?["text"] as? String == "eggs")
        #expect(query.alertBody == "A note changed")
        #expect(query.title == "Notes")
        #expect(query.subscriptionID == "notes")
        #expect(query.databaseScope == .private)
      case let zoned as CKRecordZoneNotification:
        #expect(zoned.recordZoneID == zone.zoneID)
      case let whole as CKDatabaseNotification:
        #expect(whole.databaseScope == .private)
        #expect(whole.subscriptionID == "all")
      default: Issue.record("an unknown notification: \(notification)")
      }
    }
    #expect(kinds == [.query, .recordZone, .database])
    #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": ["alert": "news"]]) == nil)

    // The phone made the change: it gets only what the pad changes.
    let other = try await pad.privateCloudDatabase.record(for: note.recordID)
    other["text"] = "tea"
    try await pad.privateCloudDatabase.save(other)
    var texts: [String] = []
    for _ in 0..<3 {
      let push = try #require(await toPhone.next())
      let known = CKQueryNotification(fromRemoteNotificationDictionary: push)
      if let text = known?.recordFields?["text"] as? String { texts.append(text) }
    }
    #expect(texts == ["tea"])
  }

  @Test("a device that is offline gets its pushes later; a cancelled task ends")
  func offline() async throws {
    let cloud = try LocalCloud()
    let phone = cloud.container(app, account: "ann", device: "phone")
    let database = phone.privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
    try await database.save(CKDatabaseSubscription(subscriptionID: "all"))
    _ = cloud.container(app, account: "ann", device: "pad")
    try cloud.setOnline(false, device: "pad")
    let pushes = cloud.notifications(account: "ann", device: "pad", in: app)
    try await database.save(CKRecord(recordType: "Note", recordID: .init(zoneID: zone.zoneID)))

    let waiting = Task {
      var iterator = pushes.makeAsyncIterator()
      return await iterator.next() == nil
    }
    try await Task.sleep(for: .milliseconds(30))
    waiting.cancel()
    #expect(await waiting.value)

    // Another task waits on.
    try cloud.setOnline(true, device: "pad")
    var iterator = pushes.makeAsyncIterator()
    let push = try #require(await iterator.next())
    #expect(CKNotification(fromRemoteNotificationDictionary: push) is CKDatabaseNotification)
  }

  @Test("pushes get lost and arrive twice when a test asks for it")
  func disturbedPushes() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container(app, account: "ann", device: "phone").privateCloudDatabase
    try await database.save(CKRecordZone(zoneName: "Notes"))
    try await database.save(CKDatabaseSubscription(subscriptionID: "all"))
    var pushes = cloud.notifications(account: "ann", device: "pad", in: app).makeAsyncIterator()
    func save() async throws {
      let id = CKRecord.ID(zoneID: .init(zoneName: "Notes"))
      try await database.save(CKRecord(recordType: "Note", recordID: id))
    }
    try cloud.disturbPushes(.lost, times: 1)
    try await save()
    try cloud.disturbPushes(.duplicated, times: 1)
    try await save()
    let ids = [await pushes.next(), await pushes.next()].map { push in
      push.flatMap { CKNotification(fromRemoteNotificationDictionary: $0) }?.notificationID
    }
    #expect(ids[0] != nil && ids[0] == ids[1])
  }
}
