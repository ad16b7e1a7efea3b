internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import RecordStore

/// The second copy of the catalog (`CatalogCopy`), which is that of the last commit when a
/// command ends.
@Suite struct CatalogCopyTests {
  private func copy(_ store: EnvironmentStore) throws -> [UInt8] {
    try FileSystem.contents(of: store.file.catalogCopyPath)
  }

  private func text(_ store: EnvironmentStore) throws -> [UInt8] {
    try CatalogCopy.text(of: store.connection, DatabaseFormat.records.catalog)
  }

  private func write(_ store: EnvironmentStore, _ work: () throws -> Void) throws {
    try store.beginWrite()
    try work()
    try store.commit()
    store.rest()
    #expect(try copy(store) == text(store))
  }

  @Test("a batch of new zones copies the catalog so rarely that the cost is linear (issue 53)")
  func batch() throws {
    let container = try ContainerFixture()
    let store = try container.open()
    var copied: Set<[UInt8]> = []
    for number in 0..<400 {
      try store.beginWrite()
      _ = try store.zone("Z\(number)")
      try store.commit()
      copied.insert(try copy(store))
      // At most a sixteenth is missing.
      let lines = try copy(store).count { $0 == UInt8(ascii: "\n") }
      #expect((number + 1 - lines) * 16 <= lines)
    }
    #expect(copied.count < 100)
    store.rest()
    #expect(try copy(store) == text(store))
  }

  @Test("it has types, fields, zones, users and devices when a command ends")
  func changes() throws {
    let container = try ContainerFixture()
    let store = try container.open()
    try write(store) { _ = try store.zone("Notes") }
    try write(store) { _ = try store.type("Note", [("n", FieldType(.int64))]) }
    let type = try store.type("Note")
    try write(store) { _ = try store.type("Note", [("text", FieldType(.string))]) }
    try write(store) { _ = try store.insert(record("a", "Note", [("n", .int64(1))]), type) }
    try write(store) { try store.deleteZone(store.zone("Notes"), .private, of: store.me()) }
    try write(store) { _ = try store.writer(Account("me"), on: Device(stored: "other")) }
    try store.vacuum()
    #expect(try copy(store) == text(store))
  }

  @Test("F07: a damaged page that hides fields leaves the former copy in place")
  func hiddenFields() throws {
    let container = try ContainerFixture()
    let store = try container.open()
    try write(store) { _ = try store.type("Note", [("n", FieldType(.int64))]) }
    let before = try copy(store)
    let root = try store.connection.integer(
      "SELECT rootpage FROM sqlite_schema WHERE name = '_field'")
    let start = Int(try #require(root) - 1) * 4096
    _ = try store.checkpoint()
    var bytes = try FileSystem.contents(of: store.file.databasePath)
    // A leaf page without cells ("Database File Format", 1.6).
    bytes.replaceSubrange(start + 3..<start + 7, with: [0, 0, 0x0F, 0xF0])
    try FileSystem.replace(store.file.databasePath, with: bytes)
    let other = try container.open()
    try other.beginWrite()
    _ = try other.zone("Notes")
    try other.commit()
    #expect(try copy(other) == before)
  }

  @Test("a store works without it, or with a damaged one; the next write makes it again")
  func missing() throws {
    let container = try ContainerFixture()
    let store = try container.open()
    try write(store) { _ = try store.zone("Notes") }
    try FileSystem.remove(store.file.catalogCopyPath)
    let other = try container.open()
    let sound = try store.file.examine(isDeep: true, patience: .none)
    #expect(sound.findings.allSatisfy { $0.code.severity == .notice })
    try write(other) { _ = try other.zone("Notes") }

    var bytes = try copy(store)
    bytes[bytes.count / 2] ^= 1
    try FileSystem.replace(store.file.catalogCopyPath, with: bytes)
    let found = try store.file.examine(isDeep: false, patience: .none).findings
    #expect(found.contains { $0.code == .structure && $0.subject == "catalog" })
    _ = try container.repair()
    #expect(try copy(store) == text(other))
  }
}
