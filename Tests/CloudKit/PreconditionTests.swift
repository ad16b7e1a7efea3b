import CloudKit
import Testing

/// Where Apple's framework raises an exception, the process ends (library.md §4, rule 2).
@Suite("CloudKit: mistakes of programs")
struct PreconditionTests {
  @Test("an empty name of a record or a zone")
  func names() async {
    await #expect(processExitsWith: .failure) { _ = CKRecord.ID(recordName: "") }
    await #expect(processExitsWith: .failure) { _ = CKRecordZone.ID(zoneName: "") }
    await #expect(processExitsWith: .failure) { _ = CKRecordZone(zoneName: "") }
    await #expect(processExitsWith: .failure) {
      _ = CKRecord.ID(recordName: String(repeating: "a", count: 256))
    }
  }

  @Test("a type with invalid characters")
  func types() async {
    await #expect(processExitsWith: .failure) { _ = CKRecord(recordType: "App.Message") }
  }

  @Test("a value that no field can hold")
  func values() async {
    await #expect(processExitsWith: .failure) {
      CKRecord(recordType: "A").setValue(URL(fileURLWithPath: "/"), forKey: "url")
    }
    await #expect(processExitsWith: .failure) {
      CKRecord(recordType: "A")["list"] = [[1], [2]] as NSArray
    }
    await #expect(processExitsWith: .failure) {
      CKRecord(recordType: "A").encryptedValues["file"] =
        CKAsset(fileURL: URL(fileURLWithPath: "/tmp/a"))
    }
  }

  @Test("a format that is not a predicate")
  func formats() async {
    await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a ==") }
  }

  @Test("an operation that is added twice")
  func twice() async {
    await #expect(processExitsWith: .failure) {
      let database = CKContainer(identifier: "iCloud.org.example.app").privateCloudDatabase
      let operation = CKFetchRecordsOperation(recordIDs: [])
      database.add(operation)
      database.add(operation)
    }
  }
}
