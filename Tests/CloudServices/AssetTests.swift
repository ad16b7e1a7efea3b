internal import Basics
internal import CloudModel
internal import CloudServices
internal import Glibc
internal import TestSupport
internal import Testing

/// Assets (§6).
@Suite struct AssetTests {
  private func save(
    _ fixture: CloudFixture, _ name: String, _ staged: StagedAsset
  ) throws -> Record {
    let assignment = FieldAssignment(try FieldName("f"), .asset(staged.asset), staged: staged)
    let request = SaveRequest(
      name: try RecordName(name), type: try RecordType("Note"), assignments: [assignment])
    return try fixture.mine.save(request, in: .defaultZone).record
  }

  private func contents(_ asset: Asset, _ fixture: CloudFixture) throws -> String {
    let path = fixture.directory.path + "/copy"
    let target = try FileHandle(open: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try fixture.environment().copy(asset, to: target)
    return String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
  }

  @Test("C129: bytes round-trip; the file's name is not kept, the file is")
  func roundTrip() throws {
    let fixture = try CloudFixture()
    let path = try fixture.file("photo.jpg", "hello")
    let saved = try save(fixture, "r", fixture.environment().stage(path))
    guard case .asset(let asset)? = saved["f"] else {
      Issue.record("no asset")
      return
    }
    #expect(asset.size == 5)
    #expect(try contents(asset, fixture) == "hello")
    #expect(FileSystem.exists(path))
  }

  @Test("C130: a missing file gives assetFileNotFound (16), a directory, too")
  func missingFile() throws {
    let fixture = try CloudFixture()
    for path in [fixture.directory.path + "/nope", fixture.directory.path] {
      expectRefusal(.assetFileNotFound) { _ = try fixture.environment().stage(path) }
    }
    expectRefusal(.assetFileNotFound) {
      let stranger = Asset(sha256: String(repeating: "0", count: 64), size: 1)
      try fixture.mine.save("r", "Note", [("f", stranger.map { .asset($0) })])
    }
    #expect(try fixture.environment().madeTypes().isEmpty)
  }

  @Test("C133: contents that two records use survive the deletion of one, and are kept once")
  func sharedContents() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    _ = try save(fixture, "a", environment.stage(fixture.file("x", "same")))
    let second = try save(fixture, "b", environment.stage(fixture.file("y", "same")))
    #expect(try environment.size().assets == 1)
    _ = try fixture.mine.delete(RecordName("a"), in: .defaultZone)
    guard case .asset(let asset)? = second["f"] else { return }
    #expect(try contents(asset, fixture) == "same")
  }

  @Test("C131, C132: contents are collected when their field or their record is gone, not before")
  func collecting() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    for name in ["a", "b", "c"] {
      _ = try save(fixture, name, environment.stage(fixture.file(name, "contents of \(name)")))
    }
    let staged = try environment.stage(fixture.file("d", "in a list"))
    let list = FieldAssignment(
      try FieldName("l"), .list([.asset(staged.asset)]), staged: staged)
    _ = try fixture.mine.save(
      SaveRequest(name: nil, type: try RecordType("Note"), assignments: [list]),
      in: .defaultZone)
    #expect(try environment.collectAssets().count == 0)
    try fixture.mine.save("a", "Note", [("f", nil)], .changed)
    _ = try fixture.mine.delete(RecordName("b"), in: .defaultZone)
    #expect(try environment.collectAssets() == (count: 2, bytes: 26))
    #expect(try environment.size().assets == 2)
    #expect(try environment.damagedAssets().damaged == [])
    #expect(try environment.damagedAssets().checked == 2)
  }

  @Test("reliability.md §2: a draft that somebody may still be writing is not collected")
  func drafts() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    let staged = try environment.stage(fixture.file("a", "waiting"))
    #expect(try environment.collectAssets().count == 0)
    _ = try save(fixture, "r", staged)
    let folder = "\(fixture.store.path)/containers/\(fixture.container.text)/development"
    let old = "\(folder)/assets/tmp/1-1"
    try FileSystem.replace(old, with: [1, 2, 3])
    var times = [timeval(tv_sec: 0, tv_usec: 0), timeval(tv_sec: 0, tv_usec: 0)]
    #expect(utimes(old, &times) == 0)
    #expect(try environment.collectAssets() == (count: 1, bytes: 3))
  }

  @Test("§6: contents that are missing or damaged give assetNotAvailable (35)")
  func damaged() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    let saved = try save(fixture, "r", environment.stage(fixture.file("x", "hello")))
    guard case .asset(let asset)? = saved["f"] else { return }
    let folder = "\(fixture.store.path)/containers/\(fixture.container.text)/development"
    let hash = asset.sha256
    let path = "\(folder)/assets/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))/\(hash)"
    try FileSystem.replace(path, with: Array("hellO".utf8))
    expectRefusal(.assetNotAvailable, "damaged") { _ = try contents(asset, fixture) }
    #expect(try environment.damagedAssets().damaged == [asset])
    try FileSystem.remove(path)
    expectRefusal(.assetNotAvailable, "missing") { _ = try contents(asset, fixture) }
    #expect(try environment.damagedAssets().damaged == [asset])
  }
}
