internal import Basics
internal import CloudModel
internal import Glibc
internal import StoreFiles
internal import Testing

@testable internal import RecordStore
@testable internal import StoreHome

/// Copies are verified before they get their final names (F07).
@Suite struct CopyVerificationTests {
  private static let name = SnapshotName(stored: "s")

  private func saved() throws -> (DamagedStore, snapshot: EnvironmentFile) {
    let fixture = try DamagedStore()
    try fixture.store.saveSnapshot(Self.name, replaces: false, patience: .none)
    let copy = fixture.store.snapshot(Self.name)
    return (fixture, EnvironmentFile(folder: copy.folder(fixture.container, .development)))
  }

  private func flipBit(_ path: String, at place: Int) throws {
    var bytes = try FileSystem.contents(of: path)
    bytes[place] ^= 4
    let file = try FileHandle(open: path, O_WRONLY)
    try file.writeAll(bytes)
  }

  private func expectRefusedRestore(_ fixture: DamagedStore) throws {
    let error = #expect(throws: StoreError.self) {
      try fixture.store.restore(Self.name, patience: .none)
    }
    #expect(error?.kind == .corrupt)
    #expect(try DamagedStore.records(in: fixture.folder) == fixture.records)
    let leftovers = try FileSystem.list(fixture.store.snapshotsPath).filter {
      $0.hasPrefix(".") && $0 != ".lock"
    }
    #expect(leftovers.isEmpty, "the store and its snapshots are as they were")
    let findings = try fixture.store.examineSnapshots()
    #expect(findings.map(\.code) == [.snapshot] && findings.map(\.subject) == ["s"])
  }

  @Test("a snapshot with a flipped bit is not restored, and the doctor names it")
  func flippedBits() throws {
    let (fixture, snapshot) = try saved()
    let size = Int(FileSystem.size(of: snapshot.databasePath) ?? 0)
    #expect(try fixture.store.examineSnapshots().isEmpty)
    for place in [24, size / 3, size - 1] {
      try flipBit(snapshot.databasePath, at: place)
      try expectRefusedRestore(fixture)
      try flipBit(snapshot.databasePath, at: place)
    }
    try fixture.store.restore(Self.name, patience: .none)
  }

  @Test("a snapshot without an asset's contents, its list of files, or a single byte is damaged")
  func missingFiles() throws {
    let (fixture, snapshot) = try saved()
    let contents = AssetFiles(folder: snapshot.assetsPath).path(of: fixture.contents)
    try FileSystem.rename(contents, to: contents + ".away")
    try expectRefusedRestore(fixture)
    try FileSystem.rename(contents + ".away", to: contents)
    try flipBit(fixture.store.snapshot(Self.name).path + "/checksums", at: 3)
    try expectRefusedRestore(fixture)
  }

  @Test("a snapshot without containers is damaged; the doctor still examines the others")
  func missingContainers() throws {
    let (fixture, _) = try saved()
    let other = SnapshotName(stored: "t")
    try fixture.store.saveSnapshot(other, replaces: false, patience: .none)
    try FileSystem.remove(fixture.store.snapshot(other).containersPath)
    try flipBit(fixture.store.snapshot(Self.name).path + "/checksums", at: 3)
    #expect(try fixture.store.examineSnapshots().map(\.subject) == ["s", "t"])
  }

  @Test("a snapshot from before checksums is read record by record")
  func withoutChecksums() throws {
    let (fixture, snapshot) = try saved()
    try FileSystem.remove(fixture.store.snapshot(Self.name).path + "/checksums")
    #expect(try fixture.store.examineSnapshots().isEmpty)
    try fixture.store.restore(Self.name, patience: .none)
    #expect(try DamagedStore.records(in: fixture.folder) == fixture.records)
    let bytes = try FileSystem.contents(of: snapshot.databasePath)
    let text = Array("to do number 7".utf8)
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: text) }, "the text of a record")
    try flipBit(snapshot.databasePath, at: place)
    try expectRefusedRestore(fixture)
  }

  @Test("a damaged store is not backed up: a damaged backup is worse than none")
  func backup() throws {
    let fixture = try DamagedStore()
    let path = fixture.store.path + ".copy"
    try fixture.execute("UPDATE Item SET w = 7 WHERE _name = 'i9'")
    let error = #expect(throws: StoreError.self) {
      try fixture.store.copy(to: path, patience: .none)
    }
    #expect(error?.kind == .corrupt && error?.message.contains("i9") == true)
    #expect(FileSystem.status(of: path) == nil)
    try fixture.restore()
    try fixture.store.copy(to: path, patience: .none)
    #expect(
      try DamagedStore.records(
        in: StoreDirectory(path: path).folder(fixture.container, .development))
        == fixture.records)
  }

  @Test("a copy of a template equals the template")
  func template() throws {
    let fixture = try DamagedStore()
    let template = StoreDirectory(path: fixture.store.path + ".template")
    try fixture.store.copy(to: template.path, patience: .none, isTemplate: true)
    let copy = StoreDirectory(path: fixture.store.path + ".copy")
    try template.copy(to: copy.path, patience: .none, ofTemplate: true)
    let file = EnvironmentFile(folder: template.folder(fixture.container, .development))
    try flipBit(file.databasePath, at: 5000)
    #expect(throws: StoreError.self) {
      try template.copy(to: copy.path + "2", patience: .none, ofTemplate: true)
    }
  }
}
