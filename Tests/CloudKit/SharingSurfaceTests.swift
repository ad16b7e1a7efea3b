import CloudKit
import Testing

/// The declarations for sharing, pushes, keys and sync engines that public code uses
/// (reference/library.md §1), with the types that Apple's have: this file compiles, or not.
@Suite("CloudKit: surface of sharing, pushes and synchronization")
struct SharingSurfaceTests {
  // None of the functions inside is ever called: only their types matter.

  @Test("shares, participants and metadata")
  func shares() {
    func use(_ share: CKShare, _ participant: CKShare.Participant, _ metadata: CKShare.Metadata) {
      let _: CKRecord = share
      let _: CKShare = CKShare(rootRecord: share)
      let _: CKShare = CKShare(rootRecord: share, shareID: share.recordID)
      let _: CKShare = CKShare(recordZoneID: .default)
      let _: (URL?, CKShare.Participant, CKShare.Participant?, [CKShare.Participant]) = (
        share.url, share.owner, share.currentUserParticipant, share.participants
      )
      share.publicPermission = .readOnly
      share.addParticipant(participant)
      share.removeParticipant(participant)
      share[CKShare.SystemFieldKey.title] = "title"
      share[CKShareTypeKey] = "type"
      share[CKShare.SystemFieldKey.thumbnailImageData] = Data()
      participant.permission = .readWrite
      participant.role = .privateUser
      let _: (CKUserIdentity, CKShare.ParticipantAcceptanceStatus) = (
        participant.userIdentity, participant.acceptanceStatus
      )
      let _: (String, CKShare, CKRecord.ID?, CKRecord?, CKUserIdentity) = (
        metadata.containerIdentifier, metadata.share, metadata.hierarchicalRootRecordID,
        metadata.rootRecord, metadata.ownerIdentity
      )
      let _: CKShare.ParticipantRole = metadata.participantRole
      let _: CKShare.ParticipantPermission = metadata.participantPermission
      let _: CKShare.ParticipantAcceptanceStatus = metadata.participantStatus
      let _: (PersonNameComponents?, Bool, CKUserIdentity.LookupInfo?) = (
        participant.userIdentity.nameComponents, participant.userIdentity.hasiCloudAccount,
        participant.userIdentity.lookupInfo
      )
    }
    func use(_ container: CKContainer, _ url: URL) async throws {
      let metadata: CKShare.Metadata = try await container.shareMetadata(for: url)
      let _: CKShare = try await container.accept(metadata)
      let _: CKShare.Participant = try await container.shareParticipant(forEmailAddress: "a@b.c")
      container.fetchShareMetadata(with: url) { (_: CKShare.Metadata?, _: (any Error)?) in }
      container.accept(metadata) { (_: CKShare?, _: (any Error)?) in }
      container.fetchShareParticipant(withEmailAddress: "a@b.c") {
        (_: CKShare.Participant?, _: (any Error)?) in
      }
      let accept = CKAcceptSharesOperation(shareMetadatas: [metadata])
      accept.perShareResultBlock = { (_: CKShare.Metadata, _: Result<CKShare, any Error>) in }
      accept.acceptSharesResultBlock = { (_: Result<Void, any Error>) in }
      let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
      fetch.shouldFetchRootRecord = true
      fetch.rootRecordDesiredKeys = ["a"]
      fetch.perShareMetadataResultBlock = { (_: URL, _: Result<CKShare.Metadata, any Error>) in }
      let people = CKFetchShareParticipantsOperation(
        userIdentityLookupInfos: [CKUserIdentity.LookupInfo(emailAddress: "a@b.c")])
      people.perShareParticipantResultBlock = {
        (_: CKUserIdentity.LookupInfo, _: Result<CKShare.Participant, any Error>) in
      }
      for operation in [accept, fetch, people] as [CKOperation] { container.add(operation) }
    }
    _ = use as (CKShare, CKShare.Participant, CKShare.Metadata) -> Void
    _ = use as (CKContainer, URL) async throws -> Void
  }

  @Test("subscriptions and notifications")
  func subscriptions() {
    func use(_ database: CKDatabase, _ userInfo: [AnyHashable: Any]) async throws {
      let all = CKDatabaseSubscription(subscriptionID: "all")
      let info = CKSubscription.NotificationInfo()
      info.shouldSendContentAvailable = true
      info.alertBody = "text"
      all.notificationInfo = info
      let zone = CKRecordZoneSubscription(zoneID: .default, subscriptionID: "zone")
      let query = CKQuerySubscription(
        recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "query",
        options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
      query.zoneID = .default
      let operation = CKModifySubscriptionsOperation(
        subscriptionsToSave: [all, zone, query], subscriptionIDsToDelete: ["old"])
      operation.modifySubscriptionsCompletionBlock = {
        (_: [CKSubscription]?, _: [CKSubscription.ID]?, _: (any Error)?) in
      }
      operation.modifySubscriptionsResultBlock = { (_: Result<Void, any Error>) in }
      operation.qualityOfService = .utility
      database.add(operation)
      let fetch = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
      fetch.fetchSubscriptionCompletionBlock = {
        (_: [CKSubscription.ID: CKSubscription]?, _: (any Error)?) in
      }
      database.add(fetch)
      let _: CKSubscription = try await database.save(all)
      let _: [CKSubscription] = try await database.allSubscriptions()
      let _: CKSubscription = try await database.subscription(for: "all")
      let _: CKSubscription.ID = try await database.deleteSubscription(withID: "all")
      database.save(all) { (_: CKSubscription?, _: (any Error)?) in }
      database.delete(withSubscriptionID: "all") { (_: String?, _: (any Error)?) in }
      database.fetchAllSubscriptions { (_: [CKSubscription]?, _: (any Error)?) in }

      let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
      let _: (CKSubscription.ID?, CKNotification.ID?, CKNotification.NotificationType?) = (
        notification?.subscriptionID, notification?.notificationID, notification?.notificationType
      )
      if let query = notification as? CKQueryNotification {
        let _: (CKRecord.ID?, CKQueryNotification.Reason, [String: Any]?) = (
          query.recordID, query.queryNotificationReason, query.recordFields
        )
      }
      let _: CKRecordZone.ID? = (notification as? CKRecordZoneNotification)?.recordZoneID
      let _: CKDatabase.Scope? = (notification as? CKDatabaseNotification)?.databaseScope
    }
    _ = use
  }

  @Test("the sync engine, its events and its state")
  func syncEngine() {
    func use(_ database: CKDatabase, _ delegate: any CKSyncEngineDelegate) async throws {
      var configuration = CKSyncEngine.Configuration(
        database: database, stateSerialization: nil, delegate: delegate)
      configuration.automaticallySync = false
      configuration.subscriptionID = "engine"
      let engine = CKSyncEngine(configuration)
      try await engine.fetchChanges()
      try await engine.sendChanges(.init(scope: .recordIDs([CKRecord.ID()])))
      try await engine.fetchChanges(CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([.default])))
      await engine.cancelOperations()
      let state: CKSyncEngine.State = engine.state
      state.hasPendingUntrackedChanges = true
      let _: [CKRecordZone.ID] = state.zoneIDsWithUnfetchedServerChanges
      let data = try JSONEncoder().encode(nil as CKSyncEngine.State.Serialization?)
      let _: CKSyncEngine.State.Serialization? = try JSONDecoder().decode(
        CKSyncEngine.State.Serialization?.self, from: data)
      let batch = CKSyncEngine.RecordZoneChangeBatch(
        recordsToSave: [], recordIDsToDelete: [], atomicByZone: true)
      let _: ([CKRecord], [CKRecord.ID], Bool) = (
        batch.recordsToSave, batch.recordIDsToDelete, batch.atomicByZone
      )
    }
    func use(_ event: CKSyncEngine.Event) {
      switch event {
      case .stateUpdate(let update):
        let _: CKSyncEngine.State.Serialization = update.stateSerialization
      case .accountChange(let change):
        switch change.changeType {
        case .signIn(currentUser: let user), .signOut(previousUser: let user):
          let _: CKRecord.ID = user
        case .switchAccounts(previousUser: let old, currentUser: let new):
          let _: [CKRecord.ID] = [old, new]
        @unknown default: break
        }
      case .fetchedDatabaseChanges(let changes):
        let _: [CKRecordZone.ID] = changes.modifications.map(\.zoneID)
        let _: [CKDatabase.DatabaseChange.Deletion.Reason] = changes.deletions.map(\.reason)
      case .fetchedRecordZoneChanges(let changes):
        let _: [CKRecord] = changes.modifications.map(\.record)
        let _: [CKRecord.RecordType] = changes.deletions.map(\.recordType)
      case .sentDatabaseChanges(let sent):
        let _: [CKRecordZone] = sent.savedZones + sent.failedZoneSaves.map(\.zone)
        let _: [CKRecordZone.ID: CKError] = sent.failedZoneDeletes
      case .sentRecordZoneChanges(let sent):
        let _: [CKError] = sent.failedRecordSaves.map(\.error)
        let _: [CKRecord.ID: CKError] = sent.failedRecordDeletes
      case .willFetchRecordZoneChanges(let zone): let _: CKRecordZone.ID = zone.zoneID
      case .didFetchRecordZoneChanges(let zone): let _: CKError? = zone.error
      case .willSendChanges(let event):
        let _: CKSyncEngine.SyncReason = event.context.reason
      case .willFetchChanges, .didFetchChanges, .didSendChanges: break
      @unknown default: break
      }
    }
    _ = use as (CKDatabase, any CKSyncEngineDelegate) async throws -> Void
    _ = use as (CKSyncEngine.Event) -> Void
  }

  @Test("the key-value store")
  func keyValueStore() {
    func use(_ store: NSUbiquitousKeyValueStore, _ notification: Notification) {
      let _: NSUbiquitousKeyValueStore = .default
      store.set("text", forKey: "a")
      store.set(1, forKey: "b")
      store.set(1.5, forKey: "c")
      store.set(true, forKey: "d")
      store.set(["x"], forKey: "e")
      store.set(["x": 1], forKey: "f")
      store.set(Data(), forKey: "g")
      store.set(Date() as Any, forKey: "h")
      let _: (String?, Int64, Double, Bool) = (
        store.string(forKey: "a"), store.longLong(forKey: "b"), store.double(forKey: "c"),
        store.bool(forKey: "d")
      )
      let _: ([Any]?, [String: Any]?, Data?, Any?) = (
        store.array(forKey: "e"), store.dictionary(forKey: "f"), store.data(forKey: "g"),
        store.object(forKey: "h")
      )
      store.removeObject(forKey: "a")
      let _: [String: Any] = store.dictionaryRepresentation
      let _: Bool = store.synchronize()
      let _: Bool =
        notification.name == NSUbiquitousKeyValueStore.didChangeExternallyNotification
      let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
      let _: Bool = reason == NSUbiquitousKeyValueStoreQuotaViolationChange
      let _: [String]? =
        notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
    }
    _ = use
  }
}
