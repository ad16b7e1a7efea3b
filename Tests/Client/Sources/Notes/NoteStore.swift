import CloudKit

/// Notes in the user's private database.
public struct NoteStore: Sendable {
  private let database = CKContainer.default().privateCloudDatabase

  /// Notes of the app's own container.
  public init() {}

  /// Saves a note, again if iCloud is busy.
  public func save(_ note: CKRecord) async throws {
    do {
      try await database.save(note)
    } catch let error as CKError where error.retryAfterSeconds != nil {
      try await Task.sleep(for: .seconds(error.retryAfterSeconds ?? 0))
      try await database.save(note)
    }
  }

  /// Appends a line to a note, whoever changes it meanwhile.
  public func append(_ line: String, to note: CKRecord) async throws {
    func add(to note: CKRecord) {
      let text: String = note["text"] ?? ""
      note["text"] = text + line + "\n"
    }
    do {
      add(to: note)
      try await database.save(note)
    } catch CKError.serverRecordChanged {
      let current = try await database.record(for: note.recordID)
      add(to: current)
      try await database.save(current)
    }
  }

  /// The notes that contain a word, the newest first.
  public func notes(containing word: String) async throws -> [CKRecord] {
    let query = CKQuery(
      recordType: "Note", predicate: NSPredicate(format: "text CONTAINS %@", word))
    query.sortDescriptors = [NSSortDescriptor(key: "modificationDate", ascending: false)]
    let (matches, _) = try await database.records(matching: query)
    return try matches.map { try $0.1.get() }
  }
}
