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
