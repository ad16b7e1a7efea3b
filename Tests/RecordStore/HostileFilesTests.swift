internal import Basics
internal import CloudModel
internal import Glibc
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import RecordStore
@testable internal import StoreHome

/// Files that an attacker put into a store, or that a disk has changed (T9, F07).
@Suite struct HostileFilesTests {
  @Test(
    "a pipe in place of a file of the store is refused, and not waited for",
    arguments: ["containers/.lock", "lock", "records.sqlite", "store.json"])
  func pipes(_ name: String) throws {
    let fixture = try DamagedStore()
    let isOfStore = name.contains("/") || name.hasSuffix("json")
    let path = "\(isOfStore ? fixture.store.path : fixture.folder)/\(name)"
    try FileSystem.remove(path)
    #expect(mkfifo(path, 0o600) == 0)
    let name = SnapshotName(stored: "s")
    #expect(throws: StoreError.self) {
      try fixture.store.saveSnapshot(
        name, replaces: false, patience: Patience(milliseconds: 60_000))
    }
    #expect(try fixture.store.snapshots().isEmpty)
    if path == fixture.store.path + "/store.json" {
      #expect(throws: StoreError.self) { _ = try fixture.store.settings() }
    }
    if path == fixture.file.lockPath {
      #expect(throws: StoreError.self) {
        let store = try EnvironmentStore(
          folder: fixture.folder, patience: Patience(milliseconds: 60_000))
        try store.beginWrite()
      }
    }
  }

  @Test(
    "numbers that no store reaches are damage, and prevent all changes",
    arguments: [
      "UPDATE _zone SET sequence = 9223372036854775807",
      "UPDATE _state SET forgotten = 9223372036854775807",
    ])
  func numbers(_ damage: String) throws {
    let fixture = try DamagedStore()
    try Connection(path: fixture.databasePath, mode: .readWrite).execute(damage)
    let error = #expect(throws: StoreError.self) {
      let store = try EnvironmentStore(folder: fixture.folder, patience: .none)
      try store.beginWrite()
    }
    #expect(error?.kind == .corrupt)
  }

  @Test("a truncated database is reported at once by the holder of its lock")
  func truncated() throws {
    let fixture = try DamagedStore()
    let size = try #require(FileSystem.size(of: fixture.databasePath))
    #expect(truncate(fixture.databasePath, off_t(size / 2)) == 0)
    let error = #expect(throws: StoreError.self) {
      try fixture.store.saveSnapshot(
        SnapshotName(stored: "s"), replaces: false, patience: Patience(milliseconds: 60_000))
    }
    #expect(error?.kind == .corrupt)
    #expect(error?.message.contains("truncated") == true)
  }
}
