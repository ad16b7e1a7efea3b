import CloudKit
import CloudKitTesting
import Testing

/// What a field gives for what was set (library.md §4, rule 5).
@Suite("CloudKit: values of records")
struct RecordValueTests {
  private let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))

  @Test("a number is read as each type that can hold it, however it was set")
  func numbers() {
    record["n"] = 1
    #expect(record["n"] as? Int == 1)
    #expect(record["n"] as? Int64 == 1)
    #expect(record["n"] as? Double == 1)
    #expect(record["n"] as? Bool == true)
    #expect(record["n"] as? NSNumber == 1)
    record["n"] = NSNumber(value: 2.5)
    #expect(record["n"] as? Double == 2.5)
    #expect(record["n"] as? Int == nil)
    record["n"] = true
    #expect(record["n"] as? Bool == true)
    #expect(record["n"] as? Int == 1)
    record["n"] = UInt8(7)
    #expect(record["n"] as? Int == 7)
    let typed: Int64? = record["n"]
    #expect(typed == 7)
    #expect(record["n"] == 7)
  }

  @Test("each class and each type of Swift is a value, also in lists and as CKRecordValue")
  func types() throws {
    let date = Date(timeIntervalSince1970: 1.2345678)
    let place = CLLocation(latitude: 52, longitude: 5)
    let reference = CKRecord.Reference(recordID: CKRecord.ID(recordName: "b"), action: .deleteSelf)
    record["text"] = "a" as NSString
    record["date"] = date
    record["data"] = Data([1, 2]) as any CKRecordValue
    record["place"] = place
    record["reference"] = reference
    record["list"] = ["a", "b"]
    record["numbers"] = [1, 2] as NSArray
    record["references"] = [reference]
    record.setValue("v", forKey: "value")
    record.setObject(3 as NSNumber, forKey: "object")
    #expect(record["text"] as? String == "a")
    #expect(record["text"] as? NSString == "a")
    #expect(record["date"] as? Date == date)
    #expect(record["data"] as? Data == Data([1, 2]))
    #expect(record["place"] as? CLLocation == place)
    #expect(record["reference"] as? CKRecord.Reference == reference)
    #expect(record["list"] as? [String] == ["a", "b"])
    #expect(record["numbers"] as? [Int] == [1, 2])
    #expect((record["references"] as? [CKRecord.Reference])?.first?.action == .deleteSelf)
    #expect(record.value(forKey: "value") as? String == "v")
    #expect(record.object(forKey: "object") as? Int == 3)
    let list: [String]? = record["list"]
    #expect(list == ["a", "b"])
  }

  @Test("keys: those with values, and those that changed")
  func keys() {
    record["a"] = 1
    record["b"] = "x"
    record["b"] = nil
    #expect(record.allKeys() == ["a"])
    #expect(record.changedKeys() == ["a", "b"])
    #expect(record.map(\.0) == ["a"])
    for (key, value) in record { #expect(key == "a" && value as? Int == 1) }
    #expect(record["missing"] == nil)
  }

  @Test("changed keys stay after a failed save, and go with a successful one")
  func changedKeys() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container("iCloud.org.example.app").privateCloudDatabase
    record["a"] = 1
    try cloud.fail(.save, with: .networkFailure, times: 1)
    await #expect(throws: CKError.self) { try await database.save(record) }
    #expect(record.changedKeys() == ["a"])
    try await database.save(record)
    #expect(record.changedKeys() == [])
    #expect(record["a"] as? Int == 1)
  }

  @Test("a copy is independent, and equal until one changes")
  func copies() throws {
    record["a"] = NSMutableArray(array: [1])
    let copy = try #require(record.copy() as? CKRecord)
    #expect(copy == record && copy !== record && copy.hash == record.hash)
    copy["a"] = 2
    #expect(copy != record)
    #expect(record["a"] as? [Int] == [1])
    #expect(Set([record.recordID, copy.recordID]).count == 1)
    #expect(
      CKRecordZone.ID(zoneName: "z")
        == CKRecordZone.ID(zoneName: "z", ownerName: CKCurrentUserDefaultName))
  }

  @Test("encrypted values are apart from the others, and stay encrypted (R13)")
  func encrypted() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container("iCloud.org.example.app").privateCloudDatabase
    record["open"] = "o"
    record.encryptedValues["secret"] = "s"
    record.encryptedValues["number"] = 5
    #expect(record["secret"] == nil)
    #expect(record.allKeys() == ["open"])
    #expect(record.encryptedValues.allKeys() == ["number", "secret"])
    #expect(record.encryptedValues.changedKeys() == ["number", "secret"])
    try await database.save(record)
    let fetched = try await database.record(for: record.recordID)
    #expect(fetched.encryptedValues["secret"] as? String == "s")
    #expect(fetched.encryptedValues["number"] as? Int == 5)
    let typed: String? = fetched.encryptedValues["secret"]
    #expect(typed == "s")
    #expect(fetched["secret"] == nil)
    #expect(fetched.allKeys() == ["open"])
    fetched["secret"] = "plain"
    let error = await #expect(throws: CKError.self) { try await database.save(fetched) }
    #expect(error?.code == .invalidArguments)
  }

  @Test("what was fetched is read as what was saved")
  func fetched() async throws {
    let cloud = try LocalCloud()
    let database = cloud.container("iCloud.org.example.app").privateCloudDatabase
    let parent = CKRecord(recordType: "Folder", recordID: CKRecord.ID(recordName: "f"))
    try await database.save(parent)
    record.setParent(parent)
    record["bool"] = true
    record["double"] = 2.0
    record["date"] = Date(timeIntervalSince1970: 1.234)
    record["place"] = CLLocation(latitude: 52.5, longitude: -5)
    record["reference"] = CKRecord.Reference(record: parent, action: .none)
    record["data"] = Data("x".utf8)
    record["list"] = [Date(timeIntervalSince1970: 5)]
    try await database.save(record)
    let fetched = try await database.record(for: record.recordID)
    #expect(fetched["bool"] as? Bool == true)
    #expect(fetched["double"] as? Int == 2)
    #expect(fetched["date"] as? Date == Date(timeIntervalSince1970: 1.234))
    #expect((fetched["place"] as? CLLocation)?.coordinate.latitude == 52.5)
    #expect((fetched["reference"] as? CKRecord.Reference)?.recordID == parent.recordID)
    #expect(fetched["data"] as? Data == Data("x".utf8))
    #expect(fetched["list"] as? [Date] == [Date(timeIntervalSince1970: 5)])
    #expect(fetched.parent?.recordID == parent.recordID)
    fetched.parent = nil
    try await database.save(fetched)
    #expect(try await database.record(for: record.recordID).parent == nil)
  }

  @Test("a record describes itself")
  func descriptions() {
    record["title"] = "One"
    #expect(record.description.contains("recordType=Note"))
    #expect(record.description.contains("title = One"))
    #expect(record.recordID.description.contains("recordName=a, zoneID=_defaultZone:"))
  }
}
