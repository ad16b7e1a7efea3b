internal import Basics
internal import Glibc
internal import SQLite
internal import TestSupport
internal import Testing

/// Reads verify their results: a damaged record is named, the exit code is 78, and the others are
/// returned (F07).
@Suite struct DamagedReadsTests {
  /// A store with a zone `Z` of 60 notes and 20 people, and its database closed.
  private final class DamagedZone {
    let fixture: CommandFixture
    let database: String
    private var whole: [UInt8]

    init() throws {
      fixture = try CommandFixture.withContainer()
      fixture.variables["CKDB_DATABASE"] = "private"
      _ = try fixture.run("zone create Z")
      let notes = (0..<60).map {
        """
        {"recordName":"n\($0)","text":"note \($0)","count":\($0),"tags":["a\($0 % 3)","b"],\
        "owner":{"recordName":"p\($0 % 18)"},"part":\(Double($0) / 7)}
        """
      }
      let people = (0..<20).map { "{\"recordName\":\"p\($0)\",\"name\":\"person \($0)\"}" }
      for (type, lines) in [("Person", people), ("Note", notes)] {
        let words = ["-z", "Z", "import", type, "-", "--name-field", "recordName"]
        let imported = try fixture.run(words, input: lines.joined(separator: "\n"))
        #expect(imported.code == 0, "\(imported.errors)")
      }
      for name in ["p18", "p19"] { _ = try fixture.run("-z Z record delete \(name) -y") }
      let folder = ".ckdb/containers/iCloud.org.example.app/development"
      database = "\(fixture.directory.path)/\(folder)/records.sqlite"
      try Connection(path: database, mode: .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
      whole = try FileSystem.contents(of: database)
    }

    /// Restores the database, with one bit flipped, or none.
    func restore(flipping bit: Int? = nil) throws {
      for name in ["-wal", "-shm"] { try FileSystem.remove(database + name) }
      var bytes = whole
      if let bit { bytes[bit / 8] ^= 1 << (bit % 8) }
      let file = try FileHandle(open: database, O_WRONLY | O_TRUNC)
      try file.writeAll(bytes)
    }

    /// Uses the present database for `restore`.
    func take() throws {
      try Connection(path: database, mode: .readWrite).checkpoint(.truncate)
      whole = try FileSystem.contents(of: database)
    }

    /// Flips a bit in the middle of a text's first occurrence in the file; returns the place.
    func flip(_ text: String) throws -> Int {
      let pattern = Array(text.utf8)
      let place = try #require(
        (0..<whole.count - pattern.count).first { whole[$0..<$0 + pattern.count] == pattern[...] })
      try restore(flipping: (place + pattern.count - 1) * 8)
      return place
    }

    var bits: Int { whole.count * 8 }

    func execute(_ sql: String) throws {
      try Connection(path: database, mode: .readWrite).execute(sql)
    }
  }

  private static let reads = [
    "-z Z record list -f jsonl", "export", "query Note -f jsonl --all", "-z Z changes zone",
    "-z Z record fetch n7 n8 n9 -f jsonl",
  ]

  @Test("F07: no read gives wrong data with exit code 0 when a bit is flipped", arguments: 1...3)
  func flippedBits(seed: UInt64) throws {
    let zone = try DamagedZone()
    let wanted = try Self.reads.map { try zone.fixture.run($0) }
    #expect(wanted.allSatisfy { $0.code == 0 && $0.output.contains("n7") })
    var random = SplitMix64(state: seed)
    for _ in 0..<60 {
      let bit = Int(random.next() % UInt64(zone.bits))
      try zone.restore(flipping: bit)
      for (line, wanted) in zip(Self.reads, wanted) {
        let found = try zone.fixture.run(line)
        #expect(found.code != 0 || found.output == wanted.output, "bit \(bit): \(line)")
        #expect([0, 1, 3, 78].contains(found.code), "bit \(bit): \(line): \(found.errors)")
      }
    }
  }

  private static let queries: [[String]] = [
    ["-z", "Z", "query", "Note", "count > 30 AND text != 'x'", "-f", "names"],
    ["-z", "Z", "query", "Note", "text BEGINSWITH 'note 4'", "-f", "names"],
    ["-z", "Z", "query", "Note", "tags CONTAINS 'a1'", "--sort", "part", "-f", "names"],
    ["-z", "Z", "query", "Note", "--count"], ["-z", "Z", "query", "Person", "--count"],
  ]

  @Test(
    "a query that misses a record, or counts wrongly, reports a damaged page",
    arguments: 1...3)
  func missed(seed: UInt64) throws {
    let zone = try DamagedZone()
    _ = try zone.fixture.run("store index build Note text tags")
    _ = try zone.fixture.run("store compact")
    try zone.take()
    let wanted = try Self.queries.map { try zone.fixture.run($0) }
    #expect(wanted.allSatisfy { $0.code == 0 && !$0.output.isEmpty })
    var random = SplitMix64(state: seed)
    var told = 0
    for _ in 0..<60 {
      let bit = Int(random.next() % UInt64(zone.bits))
      try zone.restore(flipping: bit)
      for (words, wanted) in zip(Self.queries, wanted) {
        let found = try zone.fixture.run(words)
        #expect(found.code != 0 || found.output == wanted.output, "bit \(bit): \(words)")
        if found.code == 78 { told += 1 }
      }
    }
    #expect(told > 20)
  }

  @Test("records on a damaged page are printed, and each command of a batch reports the page")
  func damagedPage() throws {
    let zone = try DamagedZone()
    let place = try zone.flip("note 41")
    let found = try zone.fixture.run(["query", "Note", "text = 'note 41'", "-f", "names"])
    #expect(found.code == 78 && found.output.isEmpty)
    #expect(found.errors.contains("page \(place / 4096 + 1) of "), "\(found.errors)")
    let others = try zone.fixture.run("query Note -f names --all")
    #expect(others.code == 78 && others.output.split(separator: "\n").count == 59)
    let batch = try zone.fixture.run([
      "--keep-going", "-c", "query Note --count\nquery Note --count",
    ])
    #expect(batch.code != 0 && batch.output == "60\n60\n")
    let told = batch.errors.split(separator: "\n").filter {
      $0.contains("does not match its checksum")
    }
    #expect(told.count == 2, "\(batch.errors)")
  }

  @Test("a damaged page affects only the commands that read its store")
  func otherStore() throws {
    let zone = try DamagedZone()
    _ = try zone.flip("note 41")
    let made = "--store \(zone.fixture.directory.path)/other"
    _ = try zone.fixture.run("\(made) init")
    _ = try zone.fixture.run("\(made) container create iCloud.org.example.other")
    let batch = try zone.fixture.run([
      "--keep-going", "-c", "query Note --count\nhelp exit-codes\n\(made) zone list -f names",
    ])
    #expect(batch.code == 78)
    #expect(batch.output.hasPrefix("60\n") && batch.output.hasSuffix("\n_defaultZone\n"))
    let told = batch.errors.split(separator: "\n").filter {
      $0.contains("does not match its checksum")
    }
    #expect(told.count == 1, "\(batch.errors)")
  }

  @Test("an error with another cause than the damaged page keeps its exit code and its JSON")
  func otherError() throws {
    let zone = try DamagedZone()
    _ = try zone.flip("note 41")
    let wrong = try zone.fixture.run(["query", "Note", "text = 'a' AND", "--count"])
    #expect(wrong.code == 65 && !wrong.errors.contains("page"), "\(wrong.errors)")
    let missing = try zone.fixture.run("-z Z record fetch n41 n7 none --json")
    #expect(missing.code == 78)
    let errors = missing.errors.split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(errors.count == 1, "\(missing.errors)")
  }

  @Test("nothing is written over a damaged page: a new checksum would hide the damage")
  func notWrittenOver() throws {
    let zone = try DamagedZone()
    let start = try zone.flip("note 41") / 4096 * 4096
    let page = start..<start + 4096
    let before = try FileSystem.contents(of: zone.database)
    for line in [
      "-z Z record save Note count=1 --name n40 --policy all",
      "store index build Note text", "-z Z record delete n42 -y", "store backup copy",
      "store compact",
    ] {
      let found = try zone.fixture.run(line)
      #expect(found.code == 78, "\(line): \(found.errors)")
      _ = try zone.fixture.run("store checkpoint")
      let now = try FileSystem.contents(of: zone.database)
      #expect(now[page] == before[page], "\(line)")
    }
    let doctor = try zone.fixture.run("doctor -f jsonl")
    #expect(doctor.code == 78 && doctor.output.contains("\"page\""))
    let repair = try zone.fixture.run("doctor --repair")
    #expect(repair.code == 78 && repair.output.contains("n41"))
    #expect(try zone.fixture.run("doctor --deep").code == 0)
    #expect(try zone.fixture.run("query Note --count").output == "59\n")
  }

  @Test("a damaged record is named, and the others are returned", arguments: reads)
  func named(_ line: String) throws {
    let zone = try DamagedZone()
    let wanted = try zone.fixture.run(line).output
    try zone.execute("UPDATE Note SET text = 'other' WHERE _name = 'n8'")
    let found = try zone.fixture.run(line)
    #expect(found.code == 78)
    #expect(found.errors.contains("the record 'n8' of zone 'Z' is damaged"), "\(found.errors)")
    let others = wanted.split(separator: "\n").filter { !$0.contains("\"n8\"") }
    for other in others.filter({ $0.contains("\"recordName\"") }) {
      #expect(found.output.contains(other.prefix(60)), "\(other)")
    }
    #expect(!found.output.contains("\"n8\""))
  }

  @Test("an export to a file keeps the records that are not damaged")
  func exportedFile() throws {
    let zone = try DamagedZone()
    try zone.execute("UPDATE Note SET count = 3 WHERE _name IN ('n8', 'n11')")
    let path = zone.fixture.directory.path + "/out.jsonl"
    let found = try zone.fixture.run("export Note -o \(path)")
    #expect(found.code == 78)
    #expect(found.errors.contains("n8") && found.errors.contains("n11"))
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 58)
  }

  @Test(
    "a record that damage hides shows in the zone's count", arguments: reads.prefix(2) + [reads[3]])
  func hidden(_ line: String) throws {
    let zone = try DamagedZone()
    try zone.execute("DELETE FROM _record WHERE name = 'n8'; DELETE FROM Note WHERE _name = 'n8'")
    let found = try zone.fixture.run(line)
    #expect(found.code == 78)
    #expect(found.errors.contains("it counts 78 records, but 77 can be found"), "\(found.errors)")
  }

  @Test("a field of a damaged record is not dropped, and the error names the zone")
  func dropped() throws {
    let zone = try DamagedZone()
    try zone.execute("UPDATE Note SET text = 'other' WHERE _name = 'n8'")
    let found = try zone.fixture.run("schema drop Note.text --yes")
    #expect(found.code == 78 && found.errors.contains("of zone 'Z'"), "\(found.errors)")
  }

  @Test("a feed names each damaged record once, in pages, too")
  func feedNamesOnce() throws {
    let zone = try DamagedZone()
    try zone.execute("UPDATE Note SET text = 'other' WHERE _name = 'n8'")
    for line in ["-z Z changes zone", "-z Z changes zone --limit 50"] {
      let found = try zone.fixture.run(line)
      #expect(found.code == 78)
      #expect(found.errors.matches(of: /the record 'n8'/).count == 1, "\(line): \(found.errors)")
    }
  }

  @Test("a user who may not read a damaged record does not see its name")
  func hiddenName() throws {
    let fixture = try CommandFixture.withContainer()
    for line in [
      "-d public record save Diary --name secret text=x",
      "-d public record save Diary --name b n:=1",
      "schema revoke Diary _world read", "schema revoke Diary _icloud read",
      "schema grant Diary _creator read,write",
    ] {
      let outcome = try fixture.run(line)
      try #require(outcome.code == 0, "\(line): \(outcome.errors)")
    }
    let folder = ".ckdb/containers/iCloud.org.example.app/development"
    try Connection(path: "\(fixture.directory.path)/\(folder)/records.sqlite", mode: .readWrite)
      .execute("UPDATE Diary SET text = 'y' WHERE _name = 'secret'")
    for line in ["record list", "export", "query Diary"] {
      let other = try fixture.run("-d public -u other \(line)")
      #expect(!other.output.contains("secret") && !other.errors.contains("secret"), "\(line)")
      let own = try fixture.run("-d public \(line)")
      #expect(own.code == 78 && own.errors.contains("secret"), "\(line)")
    }
  }

  @Test("a page is full without the damaged records, and the next one begins after them")
  func page() throws {
    let zone = try DamagedZone()
    let line = "query Note --limit 5 -v -f"
    let wanted = try zone.fixture.run("query Note -f names --limit 7").output
    try zone.execute("UPDATE Note SET text = 'other' WHERE _name IN ('n1', 'n3')")
    let names = wanted.split(separator: "\n").filter { $0 != "n1" && $0 != "n3" }
    // JSON is written from views of the rows, names are written from records.
    for (format, begin) in [("names", ""), ("jsonl", "{\"recordName\":\"")] {
      let found = try zone.fixture.run("\(line) \(format)")
      let lines = found.output.split(separator: "\n")
      #expect(lines.count == 5 && names.count == 5)
      for (line, name) in zip(lines, names) {
        #expect(line == name || line.hasPrefix("\(begin)\(name)\""), "\(line)")
      }
      #expect(found.code == 78 && found.errors.contains("cursor: "), "\(found.errors)")
    }
  }

  @Test("a reference to a damaged record does not match by its values")
  func followed() throws {
    let zone = try DamagedZone()
    let line = ["query", "Note", "owner.name == 'person 3'", "-f", "names"]
    #expect(try zone.fixture.run(line).output == "n3\nn21\nn39\nn57\n")
    try zone.execute("UPDATE Person SET name = 'person 3' WHERE _name = 'p4'")
    let found = try zone.fixture.run(line)
    #expect(found.code == 78 && found.output == "n3\nn21\nn39\nn57\n")
    #expect(found.errors.contains("'p4'"))
  }

  @Test("a damaged record is not changed: its correct values are unknown")
  func changed() throws {
    let zone = try DamagedZone()
    try zone.execute("UPDATE Note SET text = 'other' WHERE _name = 'n8'")
    let found = try zone.fixture.run("-z Z record save Note count=1 --name n8 --policy changed")
    #expect(found.code == 78, "\(found.errors)")
  }

  @Test(
    "a changed row of the store's own tables is refused",
    arguments: [
      "UPDATE _user SET name = '_1'", "UPDATE _author SET device = 'phone'",
      "UPDATE _zone SET name = 'Y' WHERE name = 'Z'",
      "UPDATE _type SET name = 'Mote' WHERE name = 'Note'",
      "UPDATE _field SET name = 'texs' WHERE name = 'text'",
    ])
  func sealedRows(_ damage: String) throws {
    let zone = try DamagedZone()
    try zone.execute(damage)
    let line = damage.contains("_zone") ? "zone list" : "-z Z record list"
    #expect(try zone.fixture.run(line).code == 78)
  }

  @Test("a log that is damaged in the middle does not silently restore an older state")
  func log() throws {
    let zone = try DamagedZone()
    for number in 0..<8 {
      _ = try zone.fixture.run("-z Z record save Note count=1 --name w\(number)")
    }
    let log = zone.database + "-wal"
    var bytes = try FileSystem.contents(of: log)
    try #require(bytes.count > 8 * 4096)
    bytes[bytes.count / 2] ^= 1
    let file = try FileHandle(open: log, O_WRONLY | O_TRUNC)
    try file.writeAll(bytes)
    try FileSystem.remove(zone.database + "-shm")
    let found = try zone.fixture.run("-z Z record list -f names")
    #expect(found.code == 78, "\(found.output)")
    #expect(try zone.fixture.run("-z Z record save Note count=1 --name w9").code == 78)
  }
}
