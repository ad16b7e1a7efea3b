internal import Basics
internal import CloudModel
internal import Glibc
internal import StoreFiles
internal import Testing

@testable internal import RecordStore

/// Contents are stored under their hash (DS4, R6.1).
@Suite struct AssetFilesTests {
  private func file(_ path: String, _ bytes: [UInt8]) throws -> FileHandle {
    try FileSystem.replace(path, with: bytes)
    return try FileHandle(open: path, O_RDONLY)
  }

  private func copied(_ asset: Asset, _ fixture: StoreFixture) throws -> [UInt8]? {
    let path = fixture.folder + "/copy"
    let target = try FileHandle(open: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    guard try fixture.store.assets.copy(asset, to: { try target.write(all: $0) }) else {
      return nil
    }
    return try FileSystem.contents(of: path)
  }

  @Test(
    "C129: bytes round-trip, for any number of bytes and blocks",
    arguments: [0, 1, 65536, (4 << 20) + 1, 6 << 20, (6 << 20) + 4096, (5 << 20) - 1])
  func roundTrip(_ count: Int) throws {
    let fixture = try StoreFixture()
    var random = SplitMix64(state: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let assets = fixture.store.assets
    let draft = try assets.draft(from: file(fixture.folder + "/photo.jpg", bytes))
    #expect(draft.asset.size == Int64(count))
    #expect(try !assets.contains(draft.asset))
    try assets.keep(draft)
    #expect(try assets.contains(draft.asset))
    #expect(try copied(draft.asset, fixture) == bytes)
    #expect(try assets.copy(draft.asset, to: fixture.folder + "/mounted"))
    #expect(try FileSystem.contents(of: fixture.folder + "/mounted") == bytes)
    #expect(try FileSystem.list(fixture.folder + "/assets/tmp") == [])
  }

  @Test("DS4: the hash is SHA-256, and equal contents are stored once")
  func known() throws {
    let fixture = try StoreFixture()
    let assets = fixture.store.assets
    for name in ["a", "b"] {
      let draft = try assets.draft(from: file("\(fixture.folder)/\(name)", Array("abc".utf8)))
      let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      #expect(draft.asset.sha256 == hash)
      try assets.keep(draft)
    }
    #expect(try assets.total() == (count: 1, bytes: 3))
  }

  @Test("DS4: reading verifies the hash, and a discarded draft leaves nothing")
  func damaged() throws {
    let fixture = try StoreFixture()
    let assets = fixture.store.assets
    let draft = try assets.draft(from: file(fixture.folder + "/a", Array("hello".utf8)))
    try assets.keep(draft)
    try FileSystem.replace(assets.path(of: draft.asset), with: Array("hellO".utf8))
    #expect(try copied(draft.asset, fixture) == nil)
    assets.discard(try assets.draft(from: file(fixture.folder + "/b", [1, 2])))
    #expect(try FileSystem.list(fixture.folder + "/assets/tmp") == [])
  }

  @Test("the first damaged file is found, whichever of them are damaged")
  func firstDamaged() throws {
    let fixture = try StoreFixture()
    let assets = fixture.store.assets
    for number in 0..<6 {
      try assets.keep(assets.draft(from: file(fixture.folder + "/f", [UInt8(number)])))
    }
    #expect(try assets.damagedPath() == nil)
    var paths: [String] = []
    try assets.forEach { paths.append($1) }
    for (place, path) in paths.enumerated().reversed() {
      try FileSystem.replace(path, with: [9, 9])
      #expect(try assets.damagedPath() == path, "file \(place)")
    }
  }
}
