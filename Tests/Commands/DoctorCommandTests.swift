internal import Basics
internal import Glibc
internal import TestSupport
internal import Testing

/// `ckdb doctor` on the command line (M2.19): exit codes, and the results of a repair.
@Suite struct DoctorCommandTests {
  private func damaged(_ fixture: CommandFixture) -> String {
    fixture.directory.path + "/.ckdb/containers/iCloud.org.example.app/development"
  }

  @Test("M2.19: a sound store is 0, and leftovers of interrupted saves are notices")
  func sound() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run("record save Note --name a text=x")
    let draft = damaged(fixture) + "/assets/tmp/1-gone"
    _ = try FileHandle(create: draft)
    utimes(draft, [timeval(tv_sec: 0, tv_usec: 0), timeval(tv_sec: 0, tv_usec: 0)])
    let outcome = try fixture.run("doctor --deep")
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("notice\tleftover\tiCloud.org.example.app\tdevelopment\t"))
    #expect(outcome.errors == "2 environments, 3 records: sound\n")
    #expect(try fixture.run("store doctor --repair").code == 0)
    #expect(!FileSystem.exists(draft))
  }

  @Test("M2.19: damage that --repair mends is 1, and 0 after the repair")
  func repairable() throws {
    let fixture = try CommandFixture.withContainer()
    chmod(damaged(fixture) + "/records.sqlite", 0o644)
    let outcome = try fixture.run("doctor --json")
    #expect(outcome.code == 1)
    #expect(
      outcome.output.contains(
        """
        {"severity":"repairable","code":"mode","container":"iCloud.org.example.app",\
        "environment":"development","subject":"records.sqlite",\
        "detail":"other users can read or write it (mode 644)"}
        """))
    #expect(try fixture.run("doctor --repair").code == 0)
    #expect(try fixture.run("doctor").code == 0)
  }

  @Test("M2.19: damage is 78, before and with the repair; the lost records can be imported")
  func damage() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try fixture.file("small", "text")
    _ = try fixture.run(["record", "save", "Note", "--name", "a", "text=x", "f@\(file)"])
    _ = try fixture.run("record save Note --name b text=y")
    let folder = damaged(fixture)
    for name in try FileSystem.list(folder + "/assets") where name != "tmp" {
      try FileSystem.remove("\(folder)/assets/\(name)")
    }
    #expect(try fixture.run("doctor").code == 78)
    let repair = try fixture.run("doctor --repair")
    #expect(repair.code == 78)
    #expect(repair.errors.contains("some data was lost"))
    #expect(try fixture.run("doctor --deep").code == 0)
    #expect(try fixture.run("record fetch a --fields f -f json").output.contains("\"fields\":{}"))
    let lost = try FileSystem.contents(of: folder + ".damaged-1/lost.jsonl")
    #expect(String(decoding: lost, as: UTF8.self).contains("\"text\":\"x\""))
  }

  @Test("lost.jsonl lists records of which only the name is known; an import refuses it (issue 53)")
  func lostNames() throws {
    let fixture = try CommandFixture.withContainer()
    let text = String(repeating: "x", count: 200)
    let lines = (0..<100).map { "{\"recordName\":\"n\($0)\",\"text\":\"\(text)\"}\n" }
    let imported = try fixture.run(
      ["import", "Note", "-", "--name-field", "recordName"], input: lines.joined())
    #expect(imported.code == 0, "\(imported.errors)")
    _ = try fixture.run("store checkpoint")
    let path = damaged(fixture) + "/records.sqlite"
    var bytes = try FileSystem.contents(of: path)
    // The text is on a page of records only.
    let place = try #require(bytes.firstRange(of: Array(text.utf8))).lowerBound / 4096 * 4096
    bytes.replaceSubrange(place..<place + 4096, with: repeatElement(0, count: 4096))
    for name in ["-wal", "-shm"] { try FileSystem.remove(path + name) }
    try FileSystem.replace(path, with: bytes)
    let repair = try fixture.run("doctor --repair")
    #expect(repair.code == 78)
    let left = Int(try fixture.run("query Note --count").output.dropLast()) ?? 0
    let lost = damaged(fixture) + ".damaged-1/lost.jsonl"
    let found = String(decoding: try FileSystem.contents(of: lost), as: UTF8.self)
      .split(separator: "\n")
    #expect(left < 100 && found.count == 100 - left)
    #expect(found.allSatisfy { $0.hasSuffix("\"zone\":\"_defaultZone\",\"fields\":null}") })
    #expect(try fixture.run("import \(lost)").code == 65)
  }

  @Test("a store whose settings cannot be read is repaired, and keeps the old ones")
  func settings() throws {
    let fixture = try CommandFixture.withContainer()
    let path = fixture.directory.path + "/.ckdb/store.json"
    try FileSystem.replace(path, with: Array("{".utf8))
    #expect(try fixture.run("container list").code == 78)
    #expect(try fixture.run("doctor").code == 78)
    #expect(try fixture.run("doctor --repair").code == 78, "the saved context is lost")
    #expect(try fixture.run("container list").code == 0)
    #expect(FileSystem.exists(path + ".damaged"))
  }
}
