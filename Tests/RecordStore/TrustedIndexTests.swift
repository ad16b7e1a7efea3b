internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import RecordStore

/// Lookups rely on an index only if it has all rows of its table (`OpenDatabase.mayTrust`, F07): a
/// page whose last write was lost matches its checksum.
@Suite struct TrustedIndexTests {
  /// A store whose page of an index is the one from before the last change.
  private func store(
    losing index: String, _ container: ContainerFixture,
    _ change: (EnvironmentStore) throws -> Void
  ) throws -> EnvironmentStore {
    let path: String
    let page: Range<Int>
    let former: [UInt8]
    do {
      let store = try container.open()
      try store.beginWrite()
      _ = try store.zone("First")
      try store.commit()
      _ = try store.checkpoint()
      path = store.file.databasePath
      let root = try store.connection.integer(
        "SELECT rootpage FROM sqlite_schema WHERE name = '\(index)'")
      let start = Int(try #require(root) - 1) * 4096
      page = start..<start + 4096
      former = Array(try FileSystem.contents(of: path)[page])
      try store.beginWrite()
      try change(store)
      try store.commit()
      _ = try store.checkpoint()
    }
    var bytes = try FileSystem.contents(of: path)
    #expect(Array(bytes[page]) != former)
    bytes.replaceSubrange(page, with: former)
    try FileSystem.replace(path, with: bytes)
    return try container.open()
  }

  @Test("every list has the zones that the index lacks")
  func zones() throws {
    let container = try ContainerFixture()
    let store = try store(losing: "sqlite_autoindex__zone_1", container) {
      _ = try $0.zone("Second")
    }
    try store.beginRead()
    defer { store.endRead() }
    let me = try store.user(Account("me"), on: .cli)
    for _ in 0..<3 {
      let names = try store.zones(.private, of: me).map(\.zone.id.name.text)
      #expect(names.contains("First") && names.contains("Second"))
    }
  }

  @Test("no lookup takes an account that the index lacks for a new one")
  func users() throws {
    let container = try ContainerFixture()
    let you = try Account("you")
    let store = try store(losing: "sqlite_autoindex__user_1", container) {
      _ = try $0.addUser(you, name: UserRecordName(stored: "_you"), on: .cli)
    }
    try store.beginRead()
    defer { store.endRead() }
    for _ in 0..<3 {
      #expect(throws: StoreError.self) { _ = try store.user(you, on: .cli) }
    }
  }
}
