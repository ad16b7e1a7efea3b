import Basics
import Commands
import SQLite
import TestSupport
import Testing

/// Snapshots: states of the store to go back to (M2.20, RS2).
@Suite struct SnapshotTests {
  private func seeded() throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    let file = try fixture.file("a.txt", "contents")
    for line in [
      ["record", "save", "T", "--name", "a", "n:=1", "file@\(file)"],
      ["record", "save", "T", "--name", "b", "-d", "public", "n:=2"], ["zone", "create", "Z"],
      ["use", "-z", "Z"],
      ["snapshot", "save", "seeded"],
    ] {
      let outcome = try fixture.run(line)
      try #require(outcome.code == 0, "\(outcome.errors)")
    }
    return fixture
  }

  private func state(_ fixture: CommandFixture) throws -> [String] {
    try [
      "export --system -z _defaultZone", "export --system -d public -z _defaultZone",
      "schema export", "context", "asset get a file -o - -z _defaultZone",
    ].map { try fixture.run($0).output }
  }

  private func lock(_ fixture: CommandFixture) throws -> String {
    let store = try #require(
      fixture.run("context --jsonl").output.firstMatch(of: /"store","value":"([^"]+)"/))
    return store.1 + "/containers/iCloud.org.example.app/development/lock"
  }

  @Test("a restore brings back records, tags, schema, contents, settings; and it can be undone")
  func restores() throws {
    let fixture = try seeded()
    let before = try state(fixture)
    for line in [
      "record delete a -z _defaultZone", "schema drop T --yes", "use --clear", "zone create New",
      "asset gc", "container create iCloud.org.example.other",
    ] {
      #expect(try fixture.run(line).code == 0, "\(line)")
    }
    let changed = try fixture.run("container list -f names").output
    #expect(try fixture.run("snapshot restore seeded").code == 0)
    #expect(try state(fixture) == before)
    #expect(try fixture.run("doctor --deep -q").code == 0)
    #expect(try fixture.run("snapshot restore previous").code == 0)
    #expect(try fixture.run("container list -f names").output == changed)
    #expect(try fixture.run("snapshot restore seeded").code == 0)
    #expect(try state(fixture) == before)
  }

  @Test("a damaged state that a restore replaced can be brought back unchanged")
  func damagedPrevious() throws {
    let fixture = try seeded()
    let folder = FileSystem.parent(of: try lock(fixture))
    try Connection(path: folder + "/records.sqlite", mode: .readWrite)
      .execute("UPDATE T SET n = 7 WHERE _name = 'a'")
    #expect(try fixture.run("record fetch a -z _defaultZone").code == 78)
    #expect(try fixture.run("snapshot restore seeded").code == 0)
    #expect(try fixture.run("record fetch a -z _defaultZone").code == 0)
    let back = try fixture.run("snapshot restore previous")
    #expect(back.code == 0, "\(back.errors)")
    #expect(try fixture.run("record fetch a -z _defaultZone").code == 78)
  }

  @Test("a snapshot has no log, so that a restore is one copy, and it can be read anywhere")
  func noLog() throws {
    let fixture = try seeded()
    #expect(try fixture.run("record save T --name logged n:=4 -z _defaultZone").code == 0)
    #expect(try fixture.run("snapshot save logged").code == 0)
    let folder = "snapshots/logged/containers/iCloud.org.example.app/development"
    let files = try FileSystem.list("\(fixture.directory.path)/.ckdb/\(folder)")
    #expect(files.contains("records.sqlite"))
    #expect(!files.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(files)")
    #expect(try fixture.run("diff logged").code == 0)
  }

  @Test("a snapshot that was used as a store can be restored, with the changes made to it")
  func usedAsStore() throws {
    let fixture = try seeded()
    let path = "\(fixture.directory.path)/.ckdb/snapshots/seeded"
    let save = "record save T --name more n:=3 -z _defaultZone"
    #expect(try fixture.run("--store \(path) \(save)").code == 0)
    #expect(try fixture.run("doctor --deep").code == 0)
    let restored = try fixture.run("snapshot restore seeded")
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(try fixture.run("record list -f names -z _defaultZone").output == "a\nmore\n")
  }

  @Test("a restore that a system crash interrupted is reported, and can be repeated")
  func powerLoss() throws {
    let fixture = try seeded()
    #expect(try fixture.run("snapshot restore seeded").code == 0)
    let path = try lock(fixture)
    let run = try #require(Platform.systemRun)
    var text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    #expect(text.contains(run), "the files are still to be brought to the disk")
    // The file has the id of another run of the system, as after a crash.
    text = text.replacing(run, with: String(run.reversed()))
    try FileSystem.replace(path, with: Array(text.utf8))
    for line in ["record list -z _defaultZone", "record save T -z _defaultZone", "store backup b"] {
      let outcome = try fixture.run(line)
      #expect(outcome.code == 78, "\(line)")
      #expect(outcome.errors.contains("restore it again"), "\(outcome.errors)")
    }
    #expect(try fixture.run("snapshot restore seeded").code == 0)
    #expect(try fixture.run("record save T n:=3 --name c -z _defaultZone").code == 0)
    text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    #expect(!text.contains(run), "the first change brings them to the disk")
    #expect(try fixture.run("doctor --deep -q").code == 0)
  }

  @Test("a process that stays open during a restore sees the new state, and loses nothing")
  func openMeanwhile() throws {
    let fixture = try seeded()
    let (output, errors) = (ByteOutput(), ByteOutput())
    let session = try fixture.session(output: output, errors: errors)
    let place = ["-z", "_defaultZone"]
    #expect(session.run(["record", "save", "T", "--name", "late", "n:=1"] + place) == 0)
    #expect(try fixture.run("snapshot restore seeded").code == 0)
    // The process may notice the restore only when it holds the lock, or at its next check.
    let code = session.run(["record", "save", "T", "--name", "late", "n:=2"] + place)
    #expect(code == 75 || code == 0)
    let end = Platform.monotonicMilliseconds + 10_000
    let fetch = ["record", "fetch", "a", "--fields", "n", "-f", "raw"] + place
    while session.run(fetch) != 0 { try #require(Platform.monotonicMilliseconds < end) }
    #expect(
      session.run(
        ["record", "save", "T", "--name", "late", "n:=3", "--policy", "changed"] + place) == 0)
    let late = try fixture.run(["record", "fetch", "late", "--fields", "n", "-f", "raw"] + place)
    #expect(late.output == "3\n")
  }

  @Test("the next snapshot removes leftovers of a killed one; 'previous' cannot be saved")
  func leftovers() throws {
    let fixture = try seeded()
    let folder = try FileSystem.parent(
      of: FileSystem.parent(of: FileSystem.parent(of: FileSystem.parent(of: lock(fixture)))))
    let left = [".draft", ".restore"].map { folder + "/snapshots/" + $0 }
    let strange = folder + "/snapshots/.mine"
    for path in left + [strange] { try FileSystem.makeDirectories(path + "/a") }
    #expect(try fixture.run("snapshot list -f names").output == "seeded\n")
    #expect(try fixture.run("snapshot save other").code == 0)
    #expect(left.allSatisfy { !FileSystem.exists($0) })
    #expect(FileSystem.exists(strange + "/a"), "nothing goes that is not ours")
    #expect(try fixture.run("snapshot save previous").code == 64)
  }

  @Test("a snapshot is the state of one moment, even while others write")
  func whileOthersWrite() throws {
    let program = try RealProgram()
    let outcome = try program.shell(
      """
      ckdb init -q && ckdb container create iCloud.org.x -q && ckdb snapshot save none -q
      (i=0; while [ ! -e stop ]; do i=$((i+1)); echo "record save T n:=$i --name r$i -q"; done |
        ckdb) & p=$!
      for i in 1 2 3 4 5 6; do sleep 0.1; ckdb snapshot save s$i -q || exit 9; done
      touch stop; wait $p
      for i in 1 2 3 4 5 6; do
        ckdb --store store/snapshots/s$i doctor --deep -q || exit 8
        ckdb --store store/snapshots/s$i query T --count; done
      """)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let counts = outcome.output.split(separator: "\n").compactMap { Int($0) }
    #expect(counts.count == 6)
    #expect(counts == counts.sorted())
    #expect(counts.last ?? 0 > 0)
  }

  // MARK: Tokens and tags (C197)

  private func token(_ fixture: CommandFixture, _ line: String) throws -> String {
    let outcome = try fixture.run(line)
    return String(try #require(outcome.output.firstMatch(of: /"token":"([^"]+)"/)).1)
  }

  private func tag(_ fixture: CommandFixture, _ value: Int, _ more: [String] = []) throws -> String
  {
    let words = ["record", "save", "T", "--name", "x", "-z", "N", "n:=\(value)"]
    let saved = try fixture.run(words + ["--policy", "changed", "-f", "json"] + more)
    return String(try #require(saved.output.firstMatch(of: /"changeTag":"([^"]+)"/)).1)
  }

  @Test("C197: tokens from before a snapshot stay valid after its restore, later ones expire")
  func tokens() throws {
    let fixture = try CommandFixture.withContainer()
    let (zone, database) = ("changes zone -z N", "changes")
    _ = try fixture.run("zone create N")
    _ = try tag(fixture, 1)
    let early = try [zone, database].map { try token(fixture, $0) }
    _ = try fixture.run("snapshot save s")
    _ = try tag(fixture, 2)
    let late = try [zone, database].map { try token(fixture, $0) }
    for round in 0..<3 {
      #expect(try fixture.run("snapshot restore s").code == 0)
      // As many changes as were made after the snapshot, and more.
      for value in 0...round { _ = try tag(fixture, 10 + value) }
      for (line, (early, late)) in zip([zone, database], zip(early, late)) {
        let changes = try fixture.run("\(line) --since \(early)")
        #expect(changes.code == 0)
        #expect(changes.output.contains(line == zone ? "\"x\"" : "\"N\""), "\(changes.output)")
        let expired = try fixture.run("\(line) --since \(late) --json")
        #expect(expired.code == 76)
        #expect(expired.errors.contains("\"number\":21"))
      }
    }
    // The state that was replaced still has its own tokens.
    #expect(try fixture.run("snapshot restore previous").code == 0)
    #expect(try fixture.run("\(zone) --since \(early[0])").code == 0)
    #expect(try fixture.run("doctor --deep -q").code == 0)
  }

  @Test("no tag is given twice, whatever is restored, deleted and made again; a stale tag loses")
  func tags() throws {
    let fixture = try CommandFixture.withContainer()
    var given: Set<String> = []
    func change(_ value: Int) throws {
      let tag = try tag(fixture, value)
      #expect(given.insert(tag).inserted, "\(tag) was given before")
    }
    _ = try fixture.run("zone create N")
    try change(1)
    _ = try fixture.run("snapshot save s")
    let stale = try tag(fixture, 2)
    given.insert(stale)
    _ = try fixture.run("snapshot restore s")
    try change(3)
    let save = ["record", "save", "T", "--name", "x", "-z", "N", "n:=4", "--tag", stale]
    #expect(try fixture.run(save).code == 76)
    try change(5)
    // A deleted container is restored from a snapshot, or made again.
    for (index, again) in ["snapshot restore s", "container create iCloud.org.example.app"]
      .enumerated()
    {
      try change(10 + index)
      #expect(try fixture.run("container delete iCloud.org.example.app --yes").code == 0)
      #expect(try fixture.run(again).code == 0)
      _ = try fixture.run("zone create N")
      try change(20 + index)
    }
    // The same for a container that a restore takes away.
    let other = ["-C", "iCloud.org.example.other", "--device", "d"]
    _ = try fixture.run("container create iCloud.org.example.other")
    _ = try fixture.run(["zone", "create", "N"] + other)
    let before = try tag(fixture, 1, other)
    #expect(try fixture.run("snapshot restore s").code == 0)
    _ = try fixture.run("container create iCloud.org.example.other")
    _ = try fixture.run(["zone", "create", "N"] + other)
    #expect(try tag(fixture, 1, other) != before)
    #expect(try fixture.run("doctor --deep -q").code == 0)
  }

  @Test("tokens of a deleted container of the same name, or of another store, have expired")
  func foreignTokens() throws {
    let fixture = try CommandFixture.withContainer()
    func expectExpired(_ token: String, _ words: [String] = []) throws {
      _ = try fixture.run(["zone", "create", "N"] + words)
      let changes = try fixture.run(["changes", "zone", "-z", "N", "--since", token] + words)
      #expect(changes.code == 76, "\(changes.output)")
    }
    _ = try fixture.run("zone create N")
    let token = try token(fixture, "changes zone -z N")
    // The same commands, clock and seed in another store.
    let other = ["--store", fixture.directory.path + "/other"]
    _ = try fixture.run(["init", fixture.directory.path + "/other"])
    _ = try fixture.run(["container", "create", "iCloud.org.example.app"] + other)
    try expectExpired(token, other)
    // A copy diverges from its original.
    let copy = fixture.directory.path + "/copy"
    #expect(try fixture.run(["store", "backup", copy]).code == 0)
    _ = try tag(fixture, 1)
    let later = try self.token(fixture, "changes zone -z N")
    _ = try tag(fixture, 1, ["--store", copy])
    #expect(
      try fixture.run(["changes", "zone", "-z", "N", "--since", token, "--store", copy]).code == 0)
    try expectExpired(later, ["--store", copy])
    _ = try fixture.run("container delete iCloud.org.example.app --yes")
    _ = try fixture.run("container create iCloud.org.example.app")
    try expectExpired(token)
  }

  @Test("with clock and seed, a restored store exports the same bytes")
  func repeatable() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run("zone create N")
    _ = try tag(fixture, 1)
    _ = try fixture.run("snapshot save s")
    let before = try fixture.run("export --system").output
    _ = try tag(fixture, 2)
    _ = try fixture.run("snapshot restore s")
    #expect(try fixture.run("export --system").output == before)
  }
}
