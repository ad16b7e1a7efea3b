internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import RecordStore

/// Pages of the database file that differ from what was written, and the doctor's findings
/// (F07, F10).
@Suite struct TornPagesTests {
  private static let pageSize = 4096

  private func save(_ count: Int, _ prefix: String, by store: EnvironmentStore) throws {
    try store.beginWrite()
    let notes = try store.type("Note", [("text", FieldType(.string))])
    for index in 0..<count {
      let text = FieldValue.string("\(prefix) \(index)" + String(repeating: "x", count: index))
      _ = try store.insert(record("\(prefix)\(index)", "Note", [("text", text)]), notes)
    }
    try store.commit()
  }

  private func findings(_ file: EnvironmentFile) throws -> [StoreFinding] {
    try file.examine(isDeep: true, patience: .none).findings
      .filter { $0.code.severity != .notice }
  }

  @Test("F10: pages that a checkpoint wrote partly are in the log, and are not damage")
  func tornCheckpoint() throws {
    let container = try ContainerFixture()
    let file = EnvironmentFile(folder: container.folder)
    do {
      let store = try container.open()
      try save(60, "a", by: store)
      _ = try store.checkpoint()
      try save(60, "b", by: store)
    }
    let before = try FileSystem.contents(of: file.databasePath)
    let log = try FileSystem.contents(of: file.logPath)
    do { _ = try container.open().checkpoint() }
    let after = try FileSystem.contents(of: file.databasePath)
    for part in [512, 2048, 4088] {
      var torn = after
      for page in 0..<after.count / Self.pageSize {
        let end = (page + 1) * Self.pageSize
        let rest = (page * Self.pageSize + part)..<end
        let isNew = end > before.count
        torn.replaceSubrange(
          rest, with: isNew ? ArraySlice(repeating: 0, count: rest.count) : before[rest])
      }
      #expect(torn != after)
      try FileSystem.remove(file.databasePath + "-shm")
      try FileSystem.replace(file.databasePath, with: torn)
      try FileSystem.replace(file.logPath, with: log)
      #expect(try findings(file) == [], "\(part)")
      let store = try container.open()
      try store.beginRead()
      #expect(try store.counts().records == 120)
      store.endRead()
      try store.requireWholePages()
      _ = try store.checkpoint()
      #expect(try findings(file) == [], "\(part), after the checkpoint")
    }
  }

  @Test("F07: a deep check finds a damaged page without rows, which nothing else reads")
  func freePage() throws {
    let container = try ContainerFixture()
    let file = EnvironmentFile(folder: container.folder)
    do {
      let store = try container.open()
      try save(200, "a", by: store)
      try store.beginWrite()
      let zone = try store.zone("_defaultZone")
      let dead = try (0..<200).compactMap { index in
        try store.record(RecordName(stored: "a\(index)"), in: zone)
      }
      try DoomedRecords(dead, in: zone, of: store).delete()
      try store.commit()
      _ = try store.checkpoint()
    }
    #expect(try findings(file) == [])
    var bytes = try FileSystem.contents(of: file.databasePath)
    let pages = try DatabasePages(file)
    let free = try #require(pages.freePages())
    // SQLite reads the trunk of the list, but not its leaves.
    let leaf = try #require((1...pages.count).last { free.contains(Int64($0)) })
    bytes[Int(leaf) * Self.pageSize - 100] ^= 1
    try FileSystem.replace(file.databasePath, with: bytes)
    #expect(try findings(file).map(\.detail) == ["page \(leaf) does not match its checksum"])
  }
}
