import CloudKit
import CloudKitTesting
import Testing

/// Archives have Apple's classes and keys (library.md §4, rule 6).
@Suite("CloudKit: archives")
struct ArchiveTests {
  private func archive(_ object: some NSObject & NSSecureCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  private func copy<T: NSObject & NSSecureCoding>(_ object: T) throws -> T {
    try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: archive(object)))
  }

  private let record: CKRecord = {
    let zone = CKRecordZone.ID(zoneName: "Z")
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
    record["text"] = "x"
    record["number"] = 2.5
    record["date"] = Date(timeIntervalSince1970: 5)
    record["data"] = Data([1])
    record["place"] = CLLocation(latitude: 1, longitude: 2)
    record["list"] = ["a", "b"]
    record["reference"] = CKRecord.Reference(
      recordID: CKRecord.ID(recordName: "b", zoneID: zone), action: .deleteSelf)
    record["file"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a"))
    record.encryptedValues["secret"] = "s"
    record.setParent(CKRecord.ID(recordName: "p", zoneID: zone))
    return record
  }()

  @Test("a record with changes that are not saved is read as it was")
  func pending() throws {
    let read = try copy(record)
    #expect(read == record)
    #expect(read.changedKeys() == record.changedKeys())
    #expect(read.encryptedValues.changedKeys() == ["secret"])
    #expect(read.parent == record.parent)
    #expect((read["file"] as? CKAsset)?.fileURL?.path == "/tmp/a")
  }

  @Test("system fields have no values, and save over the version that they were of")
  func systemFields() async throws {
    let database = try LocalCloud().container("iCloud.org.example.app").privateCloudDatabase
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["title"] = "One"
    try await database.save(record)
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    let read = try #require(CKRecord(coder: unarchiver))
    unarchiver.finishDecoding()
    #expect(read["title"] == nil && read.changedKeys() == [])
    #expect(read.recordChangeTag == record.recordChangeTag)
    #expect(read.modificationDate == record.modificationDate)
    read["title"] = "Two"
    try await database.save(read)
    #expect(try await database.record(for: read.recordID)["title"] as? String == "Two")
  }

  @Test("archives name Apple's classes and keys")
  func keys() throws {
    let list = try PropertyListSerialization.propertyList(from: archive(record), format: nil)
    let objects = try #require((list as? [String: Any])?["$objects"] as? [Any])
    // Foundation on Linux writes the module's name before them.
    let names = objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String }
    let classes = Set(names.map { String($0.split(separator: ".").last ?? "") })
    #expect(
      classes.isSuperset(of: [
        "CKRecord", "CKRecordID", "CKRecordZoneID", "CKReference", "CKAsset", "CLLocation",
        "CKRecordValueStore", "CKEncryptedRecordValueStore",
      ]))
    let keys = objects.reduce(into: Set<String>()) { keys, object in
      keys.formUnion((object as? [String: Any])?.keys.map { $0 } ?? [])
    }
    #expect(
      keys.isSuperset(of: [
        "RecordType", "RecordID", "RecordCtime", "RecordMtime", "CreatorUserRecordID",
        "LastModifiedUserRecordID", "ModifiedByDevice", "ETag", "KnownToServer", "Permission",
        "ParentReference", "PreviousParentReference", "ShareReference", "PreviousShareReference",
        "HasUpdatedParentReference", "HasUpdatedShareReference", "URL", "RoutingKey", "ShareEtag",
        "PluginFields", "ValueStore", "EncryptedValueStore", "RecordValues", "OriginalValues",
        "ChangedKeys", "RecordName", "ZoneID", "ZoneName", "ownerName", "databaseScopeKey",
        "AssetFileURL", "AssetSize", "AssetSignature", "AssetUUID",
      ]))
  }

  @Test("tokens, cursors, zones, queries and places are read as they were")
  func others() async throws {
    let database = try LocalCloud().container("iCloud.org.example.app").privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Z"))
    #expect(try copy(zone).capabilities == zone.capabilities)
    let token = try await database.databaseChanges(since: nil).changeToken
    #expect(try copy(token) == token)
    for number in 1...3 {
      let record = CKRecord(recordType: "Note", zoneID: zone.zoneID)
      record["number"] = number
      try await database.save(record)
    }
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "number > 1"))
    query.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
    let (found, _) = try await database.records(matching: copy(query))
    #expect(found.compactMap { try? $0.1.get()["number"] as? Int } == [3, 2])
    let cursor = try #require(
      try await database.records(matching: query, resultsLimit: 1).queryCursor)
    let (rest, _) = try await database.records(continuingMatchFrom: copy(cursor))
    #expect(rest.count == 1)
    let place = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), altitude: 3,
      horizontalAccuracy: 4, verticalAccuracy: 5, course: 6, speed: 7,
      timestamp: Date(timeIntervalSince1970: 8))
    #expect(try copy(place) == place)
  }

  @Test("an archive that is damaged, or of another class, is an error or nil")
  func damaged() throws {
    let data = try archive(record)
    #expect(throws: (any Error).self) {
      _ = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data.prefix(100))
    }
    let number = try NSKeyedArchiver.archivedData(
      withRootObject: NSNumber(value: 1), requiringSecureCoding: true)
    let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: number)
    #expect(read == nil)
  }
}
