internal import Basics
internal import CloudModel
internal import CloudServices
internal import Glibc
internal import StoreHome
internal import Synchronization
internal import TestSupport
internal import Testing

/// Assets (R6).
@Suite struct AssetTests {
  /// The asset in the field `f` of a record.
  private func asset(of record: Record) throws -> Asset {
    let value = try #require(record["f"])
    guard case .asset(let asset) = value else { throw FieldError(value: value) }
    return asset
  }

  private struct FieldError: Error { let value: FieldValue }

  private func save(
    _ fixture: CloudFixture, _ name: String, _ staged: StagedAsset
  ) throws -> Record {
    let assignment = FieldAssignment(try FieldName("f"), .asset(staged.asset), staged: [staged])
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

  @Test("C129: bytes round-trip; the store drops the file's name and leaves the file in place")
  func roundTrip() throws {
    let fixture = try CloudFixture()
    let path = try fixture.file("photo.jpg", "hello")
    let saved = try save(fixture, "r", fixture.environment().stage(path))
    let asset = try asset(of: saved)
    #expect(asset.size == 5)
    #expect(try contents(asset, fixture) == "hello")
    #expect(FileSystem.exists(path))
  }

  @Test("C130: a missing file or a directory gives assetFileNotFound (16)")
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

  @Test("C133: contents used by two records are kept once, and survive the deletion of one")
  func sharedContents() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    _ = try save(fixture, "a", environment.stage(fixture.file("x", "same")))
    let second = try save(fixture, "b", environment.stage(fixture.file("y", "same")))
    #expect(try environment.size().assets == 1)
    _ = try fixture.mine.delete(RecordName("a"), in: .defaultZone)
    let asset = try asset(of: second)
    #expect(try contents(asset, fixture) == "same")
  }

  @Test("C131, C132, R6.4: contents are deleted with the last record or field that has them")
  func collecting() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    for name in ["a", "b", "c"] {
      _ = try save(fixture, name, environment.stage(fixture.file(name, "contents of \(name)")))
    }
    let staged = try environment.stage(fixture.file("d", "in a list"))
    let list = FieldAssignment(
      try FieldName("l"), .list([.asset(staged.asset)]), staged: [staged])
    _ = try fixture.mine.save(
      SaveRequest(name: nil, type: try RecordType("Note"), assignments: [list]),
      in: .defaultZone)
    #expect(try environment.collectAssets().count == 0)
    #expect(try environment.size().assets == 4)
    try fixture.mine.save("a", "Note", [("f", nil)], .changed)
    #expect(try environment.size().assets == 3)
    _ = try fixture.mine.delete(RecordName("b"), in: .defaultZone)
    #expect(try environment.size().assets == 2)
    #expect(try environment.collectAssets().count == 0)
    #expect(try environment.damagedAssets().damaged == [])
    #expect(try environment.damagedAssets().checked == 2)
  }

  @Test("R6.4: a cascade, a dropped type, field or zone deletes contents; a failure does not")
  func releasing() throws {
    let fixture = try CloudFixture()
    let (environment, production) = (
      try fixture.environment(), try fixture.environment(.production)
    )
    let notes = ZoneID(stored: "Notes")
    _ = try fixture.mine.createZone(notes)
    func add(_ name: String, _ type: String, _ zone: ZoneID, owner: String? = nil) throws {
      let staged = try environment.stage(fixture.file(name, "contents of \(name)"))
      var assignments = [
        FieldAssignment(try FieldName("f"), .asset(staged.asset), staged: [staged])
      ]
      if let owner {
        let reference = Reference(RecordName(stored: owner), action: .deleteSelf)
        assignments.append(FieldAssignment(try FieldName("r"), .reference(reference)))
      }
      _ = try fixture.mine.save(
        SaveRequest(name: RecordName(name), type: RecordType(type), assignments: assignments),
        in: zone)
    }
    try add("a", "Note", .defaultZone)
    try add("b", "Note", .defaultZone, owner: "a")
    try add("c", "Task", .defaultZone)
    try add("d", "Item", .defaultZone)
    try add("e", "Item", notes)
    #expect(try environment.size().assets == 5)
    #expect(try environment.size().privateBytes == 5 * 14 + 3)
    let failing = ModifyRequest(
      [
        .init(.delete(RecordName(stored: "a"), tag: nil), in: .defaultZone),
        .init(.delete(RecordName(stored: "c"), tag: ChangeTag(given: "zz")), in: .defaultZone),
      ], isAtomic: true)
    #expect(try fixture.mine.modify(failing).failures.count == 2)
    #expect(try environment.size().assets == 5)
    _ = try fixture.mine.delete(RecordName("a"), in: .defaultZone)
    #expect(try environment.size().assets == 3)
    try environment.drop(RecordType("Task"), nil, unlessIn: production)
    #expect(try environment.size().assets == 2)
    try fixture.mine.deleteZone(notes)
    #expect(try environment.size().assets == 1)
    try environment.drop(RecordType("Item"), FieldName("f"), unlessIn: production)
    #expect(try environment.size().assets == 0)
    #expect(try environment.size().privateBytes == 0)
  }

  @Test("R6.4: contents stay until the last reader is done")
  func reading() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    let saved = try save(fixture, "r", environment.stage(fixture.file("x", "hello")))
    let asset = try asset(of: saved)
    try environment.holdingAssets {
      _ = try fixture.mine.delete(RecordName("r"), in: .defaultZone)
      #expect(try contents(asset, fixture) == "hello")
    }
    #expect(try environment.size().assets == 1)
    _ = try save(fixture, "s", environment.stage(fixture.file("y", "next")))
    _ = try fixture.mine.delete(RecordName("s"), in: .defaultZone)
    #expect(try environment.size().assets == 0, "the next one to let go takes both")
  }

  @Test("C135: a list of assets round-trips in its order")
  func lists() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    let staged = try ["x", "y"].map { try environment.stage(fixture.file("f", $0)) }
    for (name, asset) in zip(["a", "b"], staged) { _ = try save(fixture, name, asset) }
    let list = FieldValue.list([0, 1, 0].map { .asset(staged[$0].asset) })
    try fixture.mine.save("l", "Album", [("pages", list)])
    #expect(try fixture.mine.find("l")?["pages"] == list)
    #expect(try staged.map { try contents($0.asset, fixture) } == ["x", "y"])
  }

  @Test("C134: a fetch reads no contents, with or without the asset's key")
  func desiredKeys() throws {
    let fixture = try CloudFixture()
    let saved = try save(fixture, "r", fixture.environment().stage(fixture.file("x", "hello")))
    let folder = "\(fixture.store.path)/containers/\(fixture.container.text)/development"
    try FileSystem.remove(folder + "/assets")
    #expect(try fixture.mine.find("r", keys: [])?.fields.entries.isEmpty == true)
    #expect(try fixture.mine.find("r", keys: ["f"])?["f"] == saved["f"])
  }

  @Test("C137: a file that changes while it is read gives assetFileModified (17)")
  func modifiedFile() throws {
    let fixture = try CloudFixture()
    let path = try fixture.file("f", "")
    // Large enough for the writer to run during the read.
    #expect(truncate(path, 1 << 26) == 0)
    let isDone = Atomic<Bool>(false)
    let writes = Atomic<Int>(0)
    let writer = try Worker {
      guard let file = try? FileHandle(open: path, O_WRONLY | O_APPEND) else { return }
      while !isDone.load(ordering: .relaxed), writes.load(ordering: .relaxed) < 1 << 20 {
        _ = write(file.descriptor, "y", 1)
        writes.add(1, ordering: .relaxed)
      }
    }
    while writes.load(ordering: .relaxed) == 0 { sched_yield() }
    expectRefusal(.assetFileModified, "changed while") {
      _ = try fixture.environment().stage(path)
    }
    isDone.store(true, ordering: .relaxed)
    writer.join()
    #expect(try fixture.environment().size().assets == 0)
  }

  @Test("RS2: a draft that a process may still be writing is not collected")
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

  @Test("R6.8: contents that are missing or damaged give assetNotAvailable (35)")
  func damaged() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    let saved = try save(fixture, "r", environment.stage(fixture.file("x", "hello")))
    let asset = try asset(of: saved)
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
