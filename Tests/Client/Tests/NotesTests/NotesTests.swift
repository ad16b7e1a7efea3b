import CloudKitTesting
import Foundation
import Notes
import Testing

@Suite struct NotesTests {
  @Test("a conflict keeps both lines")
  func conflict() async throws {
    let cloud = try LocalCloud()
    try await cloud.run(as: "ann") {
      let database = CKContainer.default().privateCloudDatabase
      let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "list"))
      try await NoteStore().save(note)

      // The same note on another device of Ann's.
      let other = try await database.record(for: note.recordID)
      other["text"] = "milk\n"
      try await database.save(other)

      try await NoteStore().append("eggs", to: note)
      let merged = try await database.record(for: note.recordID)
      #expect(merged["text"] == "milk\neggs\n")
    }
  }

  @Test("a busy zone is tried again")
  func busy() async throws {
    let cloud = try LocalCloud()
    try cloud.fail(.save, with: .zoneBusy, retryAfter: 0.01, times: 1)
    try await cloud.run(as: "ann") {
      try await NoteStore().save(CKRecord(recordType: "Note"))
    }
  }

  @Test("notes are found by a word, the newest first")
  func search() async throws {
    let cloud = try LocalCloud()
    cloud.now = Date(timeIntervalSince1970: 0)
    try await cloud.run(as: "ann") {
      for text in ["buy milk", "call Bob", "milk the cow"] {
        let note = CKRecord(recordType: "Note")
        note["text"] = text
        try await NoteStore().save(note)
        cloud.advance(by: 60)
      }
      let found = try await NoteStore().notes(containing: "milk")
      #expect(found.map { $0["text"] } == ["milk the cow", "buy milk"])
    }
  }

  @Test("each test has a cloud of its own, and each account its own notes")
  func accounts() async throws {
    let cloud = try LocalCloud()
    let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "list"))
    try await cloud.run(as: "ann") { try await NoteStore().save(note) }
    let bob = cloud.container("iCloud.org.example.notes", account: "bob")
    await #expect(throws: CKError.self) {
      try await bob.privateCloudDatabase.record(for: note.recordID)
    }
  }
}
