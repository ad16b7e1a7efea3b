internal import Basics
internal import Glibc
internal import TestSupport
internal import Testing

/// Exit codes that need more than a command line (M6); the others are in the transcripts.
@Suite struct ExitCodeTests {
  private func folder(_ fixture: CommandFixture) -> String {
    fixture.directory.path + "/.ckdb/containers/iCloud.org.example.app/development"
  }

  @Test("M6.75, M1.8: a writer whose wait ends in vain names the holder of the lock")
  func busy() throws {
    let fixture = try CommandFixture.withContainer()
    #expect(try fixture.run("record save T --name a n:=1").code == 0)
    let lock = try FileHandle(open: folder(fixture) + "/lock", O_RDWR)
    #expect(flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0)
    let outcome = try fixture.run("record save T --name b --wait 0.05 --json")
    #expect(outcome.code == 75)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("process \(getpid()) is writing to the store"))
    #expect(outcome.errors.contains("{\"error\":{\"code\":\"zoneBusy\",\"number\":23"))
    #expect(try fixture.run("record list -f names --wait 0").output == "a\n", "readers go on")
    flock(lock.descriptor, LOCK_UN)
    #expect(try fixture.run("record save T --name b --wait 0").code == 0)
  }

  @Test("M6.78: a damaged store and one of a newer version have different messages")
  func damaged() throws {
    let fixture = try CommandFixture.withContainer()
    let path = folder(fixture) + "/records.sqlite"
    let bytes = try FileSystem.contents(of: path)
    try FileSystem.replace(path, with: Array("not a database".utf8))
    let damaged = try fixture.run("record list")
    #expect(damaged.code == 78)
    #expect(damaged.errors.contains("is not a database"))
    #expect(damaged.errors.contains("ckdb doctor --repair"))
    var newer = bytes
    newer[63] = 99
    try FileSystem.replace(path, with: newer)
    let refused = try fixture.run("record list")
    #expect(refused.code == 78)
    #expect(refused.errors.contains("has version 99"))
    #expect(try FileSystem.contents(of: path) == newer, "nothing is touched")
  }

  @Test("M6.78: there are several containers, and none is selected")
  func noContainerChosen() throws {
    let fixture = try CommandFixture.withContainer()
    #expect(try fixture.run("container create iCloud.org.example.other").code == 0)
    #expect(try fixture.run("use --clear").code == 0)
    let outcome = try fixture.run("record list")
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains("no container is chosen"))
    #expect(outcome.errors.contains("iCloud.org.example.app, iCloud.org.example.other"))
  }

  @Test("M6.73: a store that cannot be made")
  func cannotCreate() throws {
    let fixture = try CommandFixture()
    let path = try fixture.file("file", "x")
    let outcome = try fixture.run(["init", path + "/store"])
    #expect(outcome.code == 73)
    #expect(outcome.output == "")
  }

  @Test(
    "M6.64: a result that the format cannot express is a bad command line",
    arguments: ["record list T -f raw", "query T -f raw --fields recordName,changeTag"])
  func rawWithoutField(_ line: String) throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run("record save T --name a n:=1")
    let outcome = try fixture.run(line)
    #expect(outcome.code == 64)
    #expect(outcome.errors.hasPrefix("ckdb: error: format raw needs exactly one field"))
  }

  @Test(
    "M4: stdout has results only: a command that fails at once prints none",
    arguments: [
      "container list --json", "zone list --json", "schema types --csv", "container show -f tsv",
      "store info",
    ])
  func nothingPrinted(_ line: String) throws {
    let fixture = try CommandFixture()
    let outcome = try fixture.run(line)
    #expect(outcome.code == 78)
    #expect(outcome.output == "")
  }

  @Test(
    "M5: JSON values after one another are records, and none is lost")
  func textBehindJSON() throws {
    let fixture = try CommandFixture.withContainer()
    let outcome = try fixture.run(["import", "T", "-", "--json"], input: "{\"a\":1}\n{\"a\":2}\n")
    #expect(outcome.code == 0)
    #expect(try fixture.run("query T --count").output == "2\n")
  }

  @Test(
    "M1: a command's own option wins over one before -c")
  func innerFormat() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run("record save T --name a n:=1")
    let outcome = try fixture.run(["-f", "names", "-c", "record list --csv"])
    #expect(outcome.output == "recordName,n\r\na,1\r\n")
  }
}
