import CloudKit
import Testing

/// The declarations that public code uses (reference/library.md §1), with the types that Apple's
/// have: this file compiles, or not.
@Suite("CloudKit: surface")
struct SurfaceTests {
  @Test("members of records, zones and identities")
  func records() {
    let record = CKRecord(recordType: "Note")
    let _: CKRecord = CKRecord(recordType: "Note", recordID: CKRecord.ID())
    let _: CKRecord = CKRecord(recordType: "Note", zoneID: .default)
    let id: CKRecord.ID = record.recordID
    let _: CKRecord.ID = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.default().zoneID)
    let _: (CKRecord.RecordType, String, CKRecordZone.ID) = (
      record.recordType, id.recordName, id.zoneID
    )
    let _: (Date?, Date?, CKRecord.ID?, CKRecord.ID?, String?) = (
      record.creationDate, record.modificationDate, record.creatorUserRecordID,
      record.lastModifiedUserRecordID, record.recordChangeTag
    )
    let _: ([CKRecord.FieldKey], [CKRecord.FieldKey], [String]) = (
      record.allKeys(), record.changedKeys(), record.allTokens()
    )
    let _: any CKRecordKeyValueSetting & Sendable = record.encryptedValues
    let _: (CKRecord.Reference?, CKRecord.Reference?) = (record.parent, record.share)
    record.setParent(record)
    record.setParent(record.recordID)
    record.parent = nil
    let encode: (NSCoder) -> Void = record.encodeSystemFields(with:)
    let decode: (NSCoder) -> CKRecord? = CKRecord.init(coder:)
    _ = (encode, decode)
    let _: [CKRecord.FieldKey] = [
      CKRecord.SystemFieldKey.recordID, CKRecord.SystemFieldKey.creationDate,
      CKRecord.SystemFieldKey.modificationDate, CKRecord.SystemFieldKey.parent,
      CKRecord.SystemFieldKey.share, CKRecord.SystemFieldKey.creatorUserRecordID,
      CKRecord.SystemFieldKey.lastModifiedUserRecordID,
    ]
    let _: CKRecord.Reference.Action = CKRecord.Reference(record: record, action: .deleteSelf)
      .action
    let _: (CKRecord.RecordType, CKRecord.RecordType) = (
      CKRecord.SystemType.userRecord, CKRecord.SystemType.share
    )
    let zone = CKRecordZone(zoneName: "Z")
    let _: CKRecordZone.Capabilities = zone.capabilities
    let _: CKRecordZone.EncryptionScope = zone.encryptionScope
    let _: (String, String) = (CKRecordZone.ID.defaultZoneName, zone.zoneID.ownerName)
    let _: CKRecordZone.ID = CKRecordZone.ID(zoneName: "Z", ownerName: CKCurrentUserDefaultName)
    let _: URL? = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a")).fileURL
    let _: (String, String, String) = (
      CKCurrentUserDefaultName, CKOwnerDefaultName, CKRecordNameZoneWideShare
    )
  }

  @Test("values are set and read as apps do")
  func values() {
    let record = CKRecord(recordType: "Note")
    record["string"] = "text"
    record["int"] = 5
    record["double"] = 5.5
    record["bool"] = true
    record["date"] = Date()
    record["optional"] = Optional("text")
    record["nothing"] = nil
    record["cast"] = "text" as any CKRecordValue
    record["bridged"] = "text" as NSString
    record["array"] = ["a"] as [String]
    record["any"] = (5 as Any) as? any CKRecordValue
    record["protocol"] = "x" as any CKRecordValueProtocol
    record.setObject("text" as NSString, forKey: "object")
    record.setValue(nil, forKey: "nothing")
    let value = record["string"]
    let _: String? = record["string"]
    let text = record["string"] as? String ?? ""
    let number = record["int"] as! Int
    #expect(value != nil && text == "text" && number == 5)
    #expect(record["string"] == "text" && record["nothing"] == nil)
    record.encryptedValues["secret"] = "text"
    let _: String? = record.encryptedValues["secret"]
    for (key, value) in record { _ = (key, value) }
    func generic<T: CKRecordKeyValueSetting>(_ values: T) -> [String] { values.allKeys() }
    #expect(generic(record).contains("int"))
  }

  @Test("containers and databases, in three forms")
  func databases() {
    // Never called: only its types matter.
    func use(_ container: CKContainer, _ database: CKDatabase) async throws {
      let _: [CKDatabase] = [
        container.privateCloudDatabase, container.publicCloudDatabase,
        container.sharedCloudDatabase, container.database(with: .private),
        CKContainer.default().privateCloudDatabase,
        CKContainer(identifier: "a").privateCloudDatabase,
      ]
      let _: (String?, CKDatabase.Scope) = (container.containerIdentifier, database.databaseScope)
      let id = CKRecord.ID()
      let record = try await database.record(for: id)
      let _: CKRecord = try await database.save(record)
      let _: CKRecord.ID = try await database.deleteRecord(withID: id)
      let _: CKRecordZone = try await database.save(CKRecordZone(zoneName: "Z"))
      let _: CKRecordZone.ID = try await database.deleteRecordZone(withID: .default)
      let _: CKRecordZone = try await database.recordZone(for: .default)
      let _: [CKRecordZone] = try await database.allRecordZones()
      let _: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = try await database.recordZones(
        for: [.default])
      let _: [CKRecord.ID: Result<CKRecord, any Error>] = try await database.records(
        for: [id], desiredKeys: ["a"])
      let (saveResults, deleteResults) = try await database.modifyRecords(
        saving: [record], deleting: [id], savePolicy: .changedKeys, atomically: true)
      let _: CKRecord? = try saveResults[id]?.get()
      let _: Void? = try deleteResults[id]?.get()
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
      let (matchResults, queryCursor) = try await database.records(
        matching: query, inZoneWith: .default, desiredKeys: nil, resultsLimit: 5)
      let _: [CKRecord] = try matchResults.map { try $0.1.get() }
      if let queryCursor { _ = try await database.records(continuingMatchFrom: queryCursor) }
      let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
      let _: [CKRecord] = try changes.modificationResultsByID.values.map { try $0.get().record }
      let _: ([CKRecord.ID], CKServerChangeToken, Bool) = (
        changes.deletions.map(\.recordID), changes.changeToken, changes.moreComing
      )
      let zones = try await database.databaseChanges(since: nil, resultsLimit: 5)
      let _: ([CKRecordZone.ID], CKDatabase.DatabaseChange.Deletion.Reason?) = (
        zones.modifications.map(\.zoneID), zones.deletions.first?.reason
      )
      database.save(record) { (_: CKRecord?, _: (any Error)?) in }
      database.fetch(withRecordID: id) { (_: CKRecord?, _: (any Error)?) in }
      database.delete(withRecordID: id) { (_: CKRecord.ID?, _: (any Error)?) in }
      database.save(CKRecordZone(zoneName: "Z")) { (_: CKRecordZone?, _: (any Error)?) in }
      database.delete(withRecordZoneID: .default) { (_: CKRecordZone.ID?, _: (any Error)?) in }
      database.fetch(withRecordZoneID: .default) { (_: CKRecordZone?, _: (any Error)?) in }
      database.fetchAllRecordZones { (_: [CKRecordZone]?, _: (any Error)?) in }
      database.fetch(withQuery: query) { result in _ = try? result.get().matchResults }
      let status: CKAccountStatus = try await container.accountStatus()
      container.accountStatus { (_: CKAccountStatus, _: (any Error)?) in }
      container.fetchUserRecordID { (_: CKRecord.ID?, _: (any Error)?) in }
      let _: CKRecord.ID = try await container.userRecordID()
      let _: CKContainer.ApplicationPermissionStatus =
        try await container.requestApplicationPermission(.userDiscoverability)
      let _: [CKUserIdentity] = try await container.allUserIdentitiesFromContacts()
      switch status {
      case .available, .couldNotDetermine, .noAccount, .restricted, .temporarilyUnavailable: break
      }
      async let one = database.save(record)
      async let two = container.accountStatus()
      _ = try await (one, two)
      try await database.configuredWith(group: CKOperationGroup()) { database in
        _ = try await database.record(for: id)
      }
    }
    _ = use
  }

  @Test("operations with their blocks, the new and the deprecated")
  func operations() {
    let modify = CKModifyRecordsOperation(recordsToSave: nil, recordIDsToDelete: nil)
    modify.savePolicy = .ifServerRecordUnchanged
    (modify.isAtomic, modify.clientChangeTokenData) = (true, Data())
    modify.perRecordProgressBlock = { (_: CKRecord, _: Double) in }
    modify.perRecordSaveBlock = { (_: CKRecord.ID, _: Result<CKRecord, any Error>) in }
    modify.perRecordDeleteBlock = { (_: CKRecord.ID, _: Result<Void, any Error>) in }
    modify.modifyRecordsResultBlock = { (_: Result<Void, any Error>) in }
    modify.perRecordCompletionBlock = { (_: CKRecord, _: (any Error)?) in }
    modify.modifyRecordsCompletionBlock = {
      (_: [CKRecord]?, _: [CKRecord.ID]?, _: (any Error)?) in
    }
    (modify.qualityOfService, modify.database) = (.userInitiated, nil)
    (modify.timeoutIntervalForRequest, modify.allowsCellularAccess) = (5, false)
    let fetch = CKFetchRecordsOperation(recordIDs: [])
    fetch.desiredKeys = ["a"]
    fetch.perRecordProgressBlock = { (_: CKRecord.ID, _: Double) in }
    fetch.perRecordResultBlock = { (_: CKRecord.ID, _: Result<CKRecord, any Error>) in }
    fetch.fetchRecordsResultBlock = { (_: Result<Void, any Error>) in }
    fetch.perRecordCompletionBlock = { (_: CKRecord?, _: CKRecord.ID?, _: (any Error)?) in }
    fetch.fetchRecordsCompletionBlock = { (_: [CKRecord.ID: CKRecord]?, _: (any Error)?) in }
    let query = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(format: "a == 1")))
    (query.resultsLimit, query.zoneID, query.cursor) = (CKQueryOperation.maximumResults, nil, nil)
    query.recordMatchedBlock = { (_: CKRecord.ID, _: Result<CKRecord, any Error>) in }
    query.queryResultBlock = { (_: Result<CKQueryOperation.Cursor?, any Error>) in }
    query.recordFetchedBlock = { (_: CKRecord) in }
    query.queryCompletionBlock = { (_: CKQueryOperation.Cursor?, _: (any Error)?) in }
    let zones = CKModifyRecordZonesOperation(recordZonesToSave: [], recordZoneIDsToDelete: [])
    zones.modifyRecordZonesCompletionBlock = {
      (_: [CKRecordZone]?, _: [CKRecordZone.ID]?, _: (any Error)?) in
    }
    zones.perRecordZoneSaveBlock = { (_: CKRecordZone.ID, _: Result<CKRecordZone, any Error>) in }
    zones.modifyRecordZonesResultBlock = { (_: Result<Void, any Error>) in }
    let changes = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
    changes.fetchAllChanges = true
    changes.recordZoneWithIDChangedBlock = { (_: CKRecordZone.ID) in }
    changes.recordZoneWithIDWasPurgedBlock = { (_: CKRecordZone.ID) in }
    changes.changeTokenUpdatedBlock = { (_: CKServerChangeToken) in }
    changes.fetchDatabaseChangesCompletionBlock = {
      (_: CKServerChangeToken?, _: Bool, _: (any Error)?) in
    }
    changes.fetchDatabaseChangesResultBlock = { result in
      let _: (CKServerChangeToken, Bool)? = try? result.get()
    }
    let records = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [.default],
      configurationsByRecordZoneID: [
        .default: CKFetchRecordZoneChangesOperation.ZoneConfiguration(
          previousServerChangeToken: nil, resultsLimit: 5, desiredKeys: nil)
      ])
    records.recordChangedBlock = { (_: CKRecord) in }
    records.recordWasChangedBlock = { (_: CKRecord.ID, _: Result<CKRecord, any Error>) in }
    records.recordWithIDWasDeletedBlock = { (_: CKRecord.ID, _: CKRecord.RecordType) in }
    records.recordZoneChangeTokensUpdatedBlock = {
      (_: CKRecordZone.ID, _: CKServerChangeToken?, _: Data?) in
    }
    records.recordZoneFetchCompletionBlock = {
      (_: CKRecordZone.ID, _: CKServerChangeToken?, _: Data?, _: Bool, _: (any Error)?) in
    }
    records.recordZoneFetchResultBlock = { _, result in
      let _: (CKServerChangeToken, Data?, Bool)? = try? result.get()
    }
    records.fetchRecordZoneChangesCompletionBlock = { (_: (any Error)?) in }
    records.fetchRecordZoneChangesResultBlock = { (_: Result<Void, any Error>) in }
    let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
    options.previousServerChangeToken = nil
    records.optionsByRecordZoneID = [.default: options]
    modify.addDependency(fetch)
    let all: [CKDatabaseOperation] = [modify, fetch, query, zones, changes, records]
    let asOperations: [Operation] = all
    #expect(asOperations.count == 6)
  }

  @Test("errors, queries and the rest")
  func others() {
    let error = CKError(.serverRecordChanged)
    let _: (CKRecord?, CKRecord?, CKRecord?) = (
      error.serverRecord, error.clientRecord, error.ancestorRecord
    )
    let _: (Double?, [AnyHashable: any Error]?) = (
      error.retryAfterSeconds, error.partialErrorsByItemID
    )
    let _: (CKError.Code, Int, [String: Any]) = (error.code, error.errorCode, error.errorUserInfo)
    let _: [String] = [
      CKErrorDomain, CKErrorRetryAfterKey, CKPartialErrorsByItemIDKey,
      CKRecordChangedErrorServerRecordKey, CKRecordChangedErrorClientRecordKey,
      CKRecordChangedErrorAncestorRecordKey, CKErrorUserDidResetEncryptedDataKey,
    ]
    let query = CKQuery(
      recordType: "Note", predicate: NSPredicate(format: "a == %@ AND b > %d", "x", 5))
    query.sortDescriptors = [
      NSSortDescriptor(key: "creationDate", ascending: false),
      CKLocationSortDescriptor(
        key: "place", relativeLocation: CLLocation(latitude: 0, longitude: 0)),
    ]
    let _: (NSPredicate, CKRecord.RecordType) = (query.predicate, query.recordType)
    let _: (NSSortDescriptor?, String?) = (
      query.sortDescriptors?.first, query.sortDescriptors?.first?.key
    )
    let _: CKUserIdentity.LookupInfo = CKUserIdentity.LookupInfo(emailAddress: "a@b.c")
    let _: NSNotification.Name = .CKAccountChanged
    let place = CLLocation(latitude: 1, longitude: 2)
    let _: CLLocationDistance = place.distance(from: place)
    let _: CLLocationCoordinate2D = place.coordinate
  }

  @Test("the library's kinds can be sent to other tasks")
  func sendable() {
    func check<T: Sendable>(_ type: T.Type) {}
    check(CKRecord.self)
    check(CKRecord.ID.self)
    check(CKRecordZone.self)
    check(CKAsset.self)
    check(CKDatabase.self)
    check(CKContainer.self)
    check(CKServerChangeToken.self)
    check(CKQueryOperation.Cursor.self)
    check(CKQuery.self)
    check(CKError.self)
    check(CLLocation.self)
  }
}
