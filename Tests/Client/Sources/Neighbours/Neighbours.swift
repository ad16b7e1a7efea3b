import ArgumentParser
import CloudKit
import CloudKitTesting
import CustomDump
import GRDB
import Notes

/// Uses all packages at once.
@main
struct Neighbours: AsyncParsableCommand {
  @Option(help: "A word to look for")
  var word = "milk"

  func run() async throws {
    let cloud = try LocalCloud()
    let notes = try await cloud.run(as: "ann") {
      let note = CKRecord(recordType: "Note")
      note["text"] = "buy milk"
      try await NoteStore().save(note)
      return try await NoteStore().notes(containing: word)
    }
    let database = try DatabaseQueue()
    let version = try await database.read { try String.fetchOne($0, sql: "SELECT 'sqlite'") }
    customDump([version ?? "", "\(notes.count)"])
  }
}
