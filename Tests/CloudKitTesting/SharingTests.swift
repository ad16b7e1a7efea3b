import CloudKitTesting
import Testing

/// Shares as apps use them (R10).
@Suite("CloudKit: sharing")
struct SharingTests {
  private let app = "iCloud.com.example.shoppinglists"
  private let cloud: LocalCloud
  private let ann: CKContainer
  private let bob: CKContainer
  private let zoneID = CKRecordZone.ID(zoneName: "Lists")

  init() throws {
    cloud = try LocalCloud()
    try cloud.setPerson(
      of: "bob", givenName: "Bob", familyName: "Bell", emailAddresses: ["bob@example.org"])
    ann = cloud.container(app, account: "ann")
    bob = cloud.container(app, account: "bob")
  }

  /// Saves a list with an item, and a share of it for some people.
  private func shareList(
    with emails: [String] = ["bob@example.org"], _ permission: CKShare.ParticipantPermission
  ) async throws -> (list: CKRecord, item: CKRecord, share: CKShare) {
    let database = ann.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zoneID))
    let list = CKRecord(recordType: "List", recordID: .init(recordName: "list", zoneID: zoneID))
    let item = CKRecord(recordType: "Item", recordID: .init(recordName: "item", zoneID: zoneID))
    item.setParent(list)
    let share = CKShare(rootRecord: list)
    share[CKShare.SystemFieldKey.title] = "Groceries"
    for email in emails {
      let participant = try await ann.shareParticipant(forEmailAddress: email)
      participant.permission = permission
      share.addParticipant(participant)
    }
    let results = try await database.modifyRecords(saving: [share, item, list], deleting: [])
    for result in results.saveResults.values { _ = try result.get() }
    return (list, item, share)
  }

  @Test("sharing a shopping list: share, accept, read, change, stop (CKShare tutorial)")
  func shoppingList() async throws {
    let privateDatabase = ann.privateCloudDatabase
    let zone = CKRecordZone(zoneName: "ShoppingListZone")
    try await privateDatabase.save(zone)
    let shoppingList = CKRecord(recordType: "ShoppingList", recordID: .init(zoneID: zone.zoneID))
    shoppingList["name"] = "Groceries"
    let share = CKShare(rootRecord: shoppingList)
    share[CKShare.SystemFieldKey.title] = "Shopping list" as any CKRecordValue
    share[CKShare.SystemFieldKey.shareType] = "com.example.shoppinglist" as any CKRecordValue
    share.publicPermission = .readWrite
    #expect(share.url == nil)

    let modifyRecordsOperation = CKModifyRecordsOperation(
      recordsToSave: [shoppingList, share], recordIDsToDelete: nil)
    await withCheckedContinuation { continuation in
      modifyRecordsOperation.modifyRecordsCompletionBlock = { (savedRecords, _, error) in
        #expect(error == nil && savedRecords?.count == 2)
        continuation.resume()
      }
      privateDatabase.add(modifyRecordsOperation)
    }
    let url = try #require(share.url)
    #expect(shoppingList.share?.recordID == share.recordID)
    #expect(share.owner == share.currentUserParticipant)
    #expect(share.owner.role == .owner)

    // Bob opens the URL: the app's delegate gets its metadata.
    let metadataOperation = CKFetchShareMetadataOperation(shareURLs: [url])
    metadataOperation.shouldFetchRootRecord = true
    let metadata: CKShare.Metadata? = await withCheckedContinuation { continuation in
      var found: CKShare.Metadata?
      metadataOperation.perShareMetadataBlock = { (_, metadata, _) in found = metadata }
      metadataOperation.fetchShareMetadataCompletionBlock = { error in
        #expect(error == nil)
        continuation.resume(returning: found)
      }
      bob.add(metadataOperation)
    }
    let shareMetadata = try #require(metadata)
    #expect(shareMetadata.rootRecord?["name"] == "Groceries")
    #expect(shareMetadata.containerIdentifier == app)
    #expect(shareMetadata.participantStatus == .unknown)
    #expect(shareMetadata.participantPermission == .readWrite)
    let acceptSharesOperation = CKAcceptSharesOperation(shareMetadatas: [shareMetadata])
    await withCheckedContinuation { continuation in
      acceptSharesOperation.perShareCompletionBlock = { (_, share, error) in
        #expect(error == nil && share?.currentUserParticipant?.role == .publicUser)
      }
      acceptSharesOperation.acceptSharesCompletionBlock = { error in
        #expect(error == nil)
        continuation.resume()
      }
      bob.add(acceptSharesOperation)
    }

    let sharedDatabase = bob.sharedCloudDatabase
    let rootRecordID = try #require(shareMetadata.hierarchicalRootRecordID)
    let record = try await sharedDatabase.record(for: rootRecordID)
    #expect(record["name"] == "Groceries")
    record["name"] = "Party"
    try await sharedDatabase.save(record)
    let changed = try await privateDatabase.record(for: shoppingList.recordID)
    #expect(changed["name"] == "Party")

    // Ann stops sharing.
    try await privateDatabase.deleteRecord(withID: share.recordID)
    let error = await #expect(throws: CKError.self) {
      try await sharedDatabase.record(for: rootRecordID)
    }
    #expect(error?.code == .zoneNotFound || error?.code == .unknownItem)
    let alone = try await privateDatabase.record(for: shoppingList.recordID)
    #expect(alone.share == nil)
  }

  @Test("a new share needs its root in the same operation, in any order (R10.1.3)")
  func newShare() async throws {
    let (list, _, share) = try await shareList(.readOnly)
    // The root has its new state: it can be saved again, and so can the share.
    list["name"] = "Groceries"
    try await ann.privateCloudDatabase.save(list)
    share[CKShare.SystemFieldKey.title] = "Food"
    try await ann.privateCloudDatabase.save(share)

    let other = CKRecord(recordType: "List", recordID: .init(zoneID: zoneID))
    let alone = CKShare(rootRecord: other)
    let error = await #expect(throws: CKError.self) {
      try await ann.privateCloudDatabase.save(alone)
    }
    #expect(error?.code == .invalidArguments)
    let again = CKShare(rootRecord: list)
    let results = try await ann.privateCloudDatabase.modifyRecords(
      saving: [list, again], deleting: [], atomically: false)
    let result = try #require(results.saveResults[again.recordID])
    #expect((#expect(throws: CKError.self) { try result.get() })?.code == .alreadyShared)
  }

  @Test("a participant is invited by address, and has the right that the owner gives (R10.2)")
  func participants() async throws {
    let (_, item, share) = try await shareList(.readOnly)
    let database = ann.privateCloudDatabase
    let invited = try #require(share.participants.last)
    #expect(share.participants.count == 2)
    #expect(invited.acceptanceStatus == .pending)
    #expect(invited.userIdentity.nameComponents?.givenName == "Bob")
    let metadata = try await bob.shareMetadata(for: try #require(share.url))
    #expect(metadata.participantStatus == .pending)
    #expect(metadata.ownerIdentity.hasiCloudAccount)
    let accepted = try await bob.accept(metadata)
    #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
    #expect(accepted.currentUserParticipant?.participantID == invited.participantID)
    #expect(accepted[CKShare.SystemFieldKey.title] == "Groceries")

    let zones = try await bob.sharedCloudDatabase.allRecordZones()
    #expect(zones.map(\.zoneID.zoneName) == ["Lists"])
    #expect(zones[0].zoneID.ownerName != CKCurrentUserDefaultName)
    let shared = try await bob.sharedCloudDatabase.record(
      for: .init(recordName: item.recordID.recordName, zoneID: zones[0].zoneID))
    shared["done"] = true
    let refused = await #expect(throws: CKError.self) {
      try await bob.sharedCloudDatabase.save(shared)
    }
    #expect(refused?.code == .permissionFailure)

    let current = try #require(try await database.record(for: share.recordID) as? CKShare)
    let participant = try #require(current.participants.last)
    #expect(participant.acceptanceStatus == .accepted)
    participant.permission = .readWrite
    try await database.save(current)
    try await bob.sharedCloudDatabase.save(shared)

    current.removeParticipant(try #require(current.participants.last))
    try await database.save(current)
    #expect(current.participants.map(\.role) == [.owner])
    #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
  }

  @Test("a participant leaves by deleting the share; the share lives on (R10.3.10)")
  func leaving() async throws {
    let (_, _, share) = try await shareList(.readWrite)
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    let zone = try #require(try await bob.sharedCloudDatabase.allRecordZones().first)
    let own = CKRecord.ID(recordName: share.recordID.recordName, zoneID: zone.zoneID)
    #expect(try await bob.sharedCloudDatabase.record(for: own) is CKShare)
    try await bob.sharedCloudDatabase.deleteRecord(withID: own)
    #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
    let left = try #require(
      try await ann.privateCloudDatabase.record(for: share.recordID) as? CKShare)
    #expect(left.participants.count == 1)
  }

  @Test("a person without an account can be invited; a URL for one person works once (R10.2.10)")
  func unknownPeople() async throws {
    let (_, _, share) = try await shareList(with: ["new@example.org"], .readOnly)
    #expect(share.participants.last?.userIdentity.hasiCloudAccount == false)
    let guest = CKShare.Participant.oneTimeURLParticipant()
    guest.permission = .readWrite
    share.addParticipant(guest)
    try await ann.privateCloudDatabase.save(share)
    let url = try #require(share.oneTimeURL(for: guest.participantID))
    #expect(url != share.url)
    let accepted = try await bob.accept(try await bob.shareMetadata(for: url))
    #expect(accepted.currentUserParticipant?.permission == .readWrite)
    let cid = cloud.container(app, account: "cid")
    await #expect(throws: CKError.self) {
      try await cid.accept(try await cid.shareMetadata(for: url))
    }
  }

  @Test("a whole zone is shared by one share; its records need no parent (R10.1.2)")
  func zoneWide() async throws {
    let database = ann.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zoneID))
    let share = CKShare(recordZoneID: zoneID)
    share.publicPermission = .readWrite
    try await database.save(share)
    #expect(share.recordID.recordName == CKRecordNameZoneWideShare)
    #expect(try await database.recordZone(for: zoneID).share?.recordID == share.recordID)
    let metadata = try await bob.shareMetadata(for: try #require(share.url))
    #expect(metadata.hierarchicalRootRecordID == nil)
    try await bob.accept(metadata)
    let zone = try #require(try await bob.sharedCloudDatabase.allRecordZones().first)
    let note = CKRecord(recordType: "Note", recordID: .init(recordName: "n", zoneID: zone.zoneID))
    try await bob.sharedCloudDatabase.save(note)
    let found = try await database.record(for: .init(recordName: "n", zoneID: zoneID))
    #expect(found.creatorUserRecordID == (try await bob.userRecordID()))
  }

  @Test("users ask for access; the owner approves, denies and blocks (R10.2.9)")
  func accessRequests() async throws {
    let (_, _, share) = try await shareList(with: [], .readOnly)
    let database = ann.privateCloudDatabase
    let url = try #require(share.url)
    let hidden = try await bob.requestShareAccess(for: [url])
    #expect((#expect(throws: CKError.self) { try hidden[url]?.get() })?.code == .unknownItem)
    share.allowsAccessRequests = true
    try await database.save(share)
    for container in [bob, cloud.container(app, account: "cid")] {
      _ = try #require(try await container.requestShareAccess(for: [url])[url]).get()
    }
    let asked = try #require(try await database.record(for: share.recordID) as? CKShare)
    #expect(asked.requesters.count == 2)
    let first = try #require(
      asked.requesters.first { $0.userIdentity.nameComponents?.givenName == "Bob" })
    let found = try await ann.shareParticipants(for: [first.participantLookupInfo])
    asked.addParticipant(try #require(found[first.participantLookupInfo]).get())
    asked.blockRequesters(asked.requesters.filter { $0 != first })
    try await database.save(asked)
    #expect(asked.participants.last?.isApprovedRequester == true)
    #expect(asked.requesters.isEmpty)
    #expect(asked.blockedIdentities.count == 1)
    try await bob.accept(try await bob.shareMetadata(for: url))
    let joined = try #require(try await database.record(for: share.recordID) as? CKShare)
    joined.unblockIdentities(joined.blockedIdentities)
    try await database.save(joined)
    #expect(joined.blockedIdentities.isEmpty)
  }

  @Test("an archive of a share's system fields keeps its URL and participants")
  func archive() async throws {
    let (_, _, share) = try await shareList(.readWrite)
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    share.encodeSystemFields(with: archiver)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let read = try #require(CKShare(coder: unarchiver))
    #expect(read.url == share.url)
    #expect(read.participants == share.participants)
    #expect(read.participants.last?.permission == .readWrite)
    #expect(read.currentUserParticipant?.role == .owner)
    read.publicPermission = .none
    read[CKShare.SystemFieldKey.title] = "Food"
    try await ann.privateCloudDatabase.save(read)
    #expect(read.participants.count == 2)
    let metadata = try await bob.shareMetadata(for: try #require(read.url))
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: metadata, requiringSecureCoding: true)
    let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.Metadata.self, from: data)
    #expect(copy == metadata)
  }

  @Test("a participant's lookup equals the participant of the share (R10.2.3)")
  func equality() async throws {
    let (_, _, share) = try await shareList(.readOnly)
    let again = try await ann.shareParticipant(forEmailAddress: "bob@example.org")
    #expect(share.participants.contains(again))
    again.permission = .readWrite
    share.addParticipant(again)
    try await ann.privateCloudDatabase.save(share)
    #expect(share.participants.count == 2)
    #expect(share.participants.last?.permission == .readWrite)
    let copy = try #require(share.copy() as? CKShare)
    copy.participants.last?.permission = .readOnly
    #expect(share.participants.last?.permission == .readWrite)
    let failed = try await ann.shareParticipants(
      forUserRecordIDs: [CKRecord.ID(recordName: "_nobody")])
    #expect(
      (#expect(throws: CKError.self) { try failed.values.first?.get() })?.code == .unknownItem)
  }

  @Test("a query finds shares as shares")
  func query() async throws {
    let (_, _, share) = try await shareList(.readOnly)
    let query = CKQuery(
      recordType: CKRecord.SystemType.share, predicate: NSPredicate(value: true))
    let found = try await ann.privateCloudDatabase.records(matching: query, inZoneWith: zoneID)
      .matchResults.map { try $0.1.get() }
    #expect(found.compactMap { ($0 as? CKShare)?.url } == [share.url])
  }

  @Test("owners of different shares are one person; each unsaved share has its own owner")
  func owners() async throws {
    let list = CKRecord(recordType: "List", recordID: .init(zoneID: zoneID))
    let (one, other) = (CKShare(rootRecord: list), CKShare(rootRecord: list))
    one.owner.permission = .readOnly
    #expect(other.owner.permission == .readWrite)
    #expect(one.owner == other.owner)
    let (_, _, share) = try await shareList(.readOnly)
    #expect(share.owner == one.owner)
    let seen = try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    #expect(seen.owner != seen.currentUserParticipant)
    #expect(seen.owner != one.owner)
  }
}
