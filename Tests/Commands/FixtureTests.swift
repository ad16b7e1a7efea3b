import Basics
import Glibc
import TestSupport
import Testing

/// Loading, exporting and comparing fixtures (M7).
@Suite struct FixtureTests {
  /// A store with every type of value, lists of each, every kind of reference, assets, both
  /// databases and several zones.
  private func storeOfEverything() throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    let blob = try fixture.file("blob", "\u{1}\u{2}binary\u{0}")
    let text = try fixture.file("text", "zwei\nZeilen\t\"ü\" 🎨\n")
    let lines = [
      ["zone", "create", "Work", "Empty", "-q"],
      [
        "record", "save", "Target", "--name", "target", "s=\u{1}\t\"\\ü 🎨",
        "i:=-9223372036854775808",
        "d:=394", "x:double=1e300", "t:timestamp=1815-12-10T01:02:03.004Z", "b:bytes=AAEC",
        "p:location=51.5,-0.12", "e:encrypted<string>=geheim",
      ],
      [
        "record", "save", "Everything", "--name", "everything", "--parent", "target",
        "none:reference=target", "self:reference=target,delete", "gone:reference=gone",
        "blob@\(blob)", "text@\(text)", "ls:=[\"a\",\"\"]", "li:=[1,2]", "ld:=[1.5,2.0]",
        "lt:list<timestamp>=[\"2024-05-01T12:00:00Z\"]", "lb:list<bytes>=[\"AAEC\"]",
        "lp:list<location>=[{\"latitude\":1,\"longitude\":2,\"altitude\":3.5,\"timestamp\":5}]",
        "lr:list<reference>=[{\"recordName\":\"target\"},{\"recordName\":\"lost\"}]",
        "le:list<string>=[]", "ea:list<asset>=[]",
      ],
      ["record", "save", "Target", "--name", "target", "-z", "Work", "i:=1"],
      ["record", "save", "Target", "--name", "public", "-d", "public", "i:=2"],
    ]
    for line in lines {
      let outcome = try fixture.run(line)
      try #require(outcome.code == 0, "\(line): \(outcome.errors)")
    }
    let validating = """
      {"recordName":"a","recordType":"V","zone":"Work","fields":{"r":{"recordName":"b","action":"VALIDATE"}}}
      {"recordName":"b","recordType":"V","zone":"Work","fields":{"r":{"recordName":"a","action":"VALIDATE"}}}
      """
    #expect(try fixture.run(["import", "-"], input: validating).code == 0)
    return fixture
  }

  private func export(_ fixture: CommandFixture) throws -> String {
    let outcome = try fixture.run(["fixture", "export"])
    try #require(outcome.code == 0, "\(outcome.errors)")
    return outcome.output
  }

  @Test("export | load | export is byte-equal for a store of everything (M5.7)")
  func roundTrip() throws {
    let text = try export(storeOfEverything())
    #expect(text.contains("\"dangling\":true"))
    let other = try CommandFixture()
    _ = try other.run(["init"])
    let load = try other.run(["fixture", "load", "-"], input: text)
    #expect(load.code == 0, "\(load.errors)")
    #expect(try export(other) == text)
    // Loading it again changes nothing, and reports that.
    let again = try other.run(["fixture", "load", "-"], input: text)
    #expect(again.errors == "0 created, 0 changed, 6 unchanged\n")
    #expect(try other.run(["assert", "-"], input: text).code == 0)
    #expect(try other.run(["doctor", "--deep", "-q"]).code == 0)
  }

  @Test("export | load is lossless with files for assets and schema, too")
  func roundTripOfFiles() throws {
    let fixture = try storeOfEverything()
    let folder = fixture.directory.path + "/seed"
    try FileSystem.makeDirectory(folder)
    let words = ["fixture", "export", "-o", folder + "/all.json"]
    let options = ["--assets", "files", "--schema", "schema.ckdb"]
    #expect(try fixture.run(words + options).code == 0)
    let other = try CommandFixture()
    _ = try other.run(["init"])
    let load = try other.run(["fixture", "load", folder])
    #expect(load.code == 0, "\(load.errors)")
    #expect(try export(other) == export(fixture))
    #expect(
      try other.run(["schema", "export"]).output == fixture.run(["schema", "export"]).output)
  }

  @Test("two loads with the same clock and seed are byte-equal in every export (M1.13)")
  func repeatable() throws {
    let text = """
      { "defaults": { "Book": { "language": "en" } },
        "databases": { "private": { "zones": { "_defaultZone": { "records": [
        { "recordName": "b", "recordType": "Book", "fields": { "read": { "value": "now-36h",
          "type": "TIMESTAMP" }, "cover": { "random": 3000 }, "by": { "recordName": "a" } } },
        { "recordName": "a", "recordType": "Author", "fields": { "n": 1 } } ] } } } } }
      """
    var exports: [[String]] = []
    for _ in 0..<2 {
      let fixture = try CommandFixture()
      _ = try fixture.run(["init"])
      #expect(try fixture.run(["fixture", "load", "-"], input: text).code == 0)
      let kinds = [
        ["fixture", "export"], ["export", "--system"], ["export", "--system", "--json"],
        ["export", "-f", "wire"], ["export", "--csv"], ["schema", "export"],
      ]
      exports.append(try kinds.map { try fixture.run($0).output })
    }
    #expect(exports[0] == exports[1])
    #expect(exports[0][1].contains("2025-12-30T12:00:00.000Z"), "now-36h of the frozen clock")
  }

  @Test("the fixture's clock and seed apply unless an option or a variable overrides them")
  func clockAndSeed() throws {
    let text = """
      { "clock": "2020-02-03", "seed": 1, "databases": { "private": { "zones": { "_defaultZone":
        { "records": [ { "recordName": "a", "recordType": "T", "fields": { "x": { "random": 8 },
          "t": { "value": "now", "type": "TIMESTAMP" } } } ] } } } } }
      """
    var exports: [String] = []
    for words in [[], ["--seed", "2"], ["--seed", "1"], ["--clock", "2021-01-01"]] {
      let fixture = try CommandFixture()
      fixture.variables["CKDB_CLOCK"] = nil
      fixture.variables["CKDB_SEED"] = nil
      _ = try fixture.run(["init"])
      _ = try fixture.run(["fixture", "load", "-"] + words, input: text)
      exports.append(try fixture.run(["export"]).output)
    }
    #expect(exports[0].contains("2020-02-03T00:00:00.000Z"))
    #expect(exports[0] != exports[1])
    #expect(exports[0] == exports[2])
    #expect(exports[3].contains("2021-01-01T00:00:00.000Z"))
  }

  @Test("all notations give the same records")
  func notations() throws {
    let files = [
      "Book.json": """
      [ { "recordName": "b1", "title": "Foundation", "pages": 255 },
        { "recordName": "b2", "recordType": "Book", "fields": { "title": "Robot, I", "pages": 3 } } ]
      """,
      "Book.jsonl": """
      {"recordName":"b1","title":"Foundation","pages":255}
      {"recordName":"b2","recordType":"Book","fields":{"title":"Robot, I","pages":3}}
      """,
      "Book.csv": "recordName,title,pages\nb1,Foundation,255\nb2,\"Robot, I\",3\n",
      "Book.tsv": "recordName\ttitle\tpages\nb1\tFoundation\t255\nb2\tRobot, I\t3\n",
      "Book.plist": """
      <?xml version="1.0"?><!-- books --><plist version="1.0"><array>
      <dict><key>recordName</key><string>b1</string><key>title</key>
        <string>Found<![CDATA[ati]]>on</string><key>pages</key><integer>255</integer></dict>
      <dict><key>recordName</key><string>b2</string><key>recordType</key><string>Book</string>
        <key>fields</key><dict><key>title</key><string>Robot&#44; I</string>
        <key>pages</key><integer>0x3</integer></dict></dict>
      </array></plist>
      """,
    ]
    var exports: Set<String> = []
    for (name, text) in files {
      let fixture = try CommandFixture.withContainer()
      // The types of a schema decide how cells are read.
      _ = try fixture.run(["schema", "add", "Book", "title:STRING", "pages:INT64"])
      let load = try fixture.run(["fixture", "load", fixture.file(name, text)])
      #expect(load.code == 0, "\(name): \(load.errors)")
      exports.insert(try fixture.run(["export"]).output)
    }
    #expect(exports.count == 1)
  }

  @Test("upsert, clean and insert do what they say (M7.1)")
  func modes() throws {
    func text(_ records: String) -> String {
      #"{ "databases": { "private": { "zones": { "_defaultZone": { "records": [\#(records)] } } } } }"#
    }
    let a = #"{ "recordName": "a", "recordType": "T", "fields": { "n": 1 } }"#
    let b = #"{ "recordName": "b", "recordType": "T", "fields": { "n": 2 } }"#
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run(["fixture", "load", "-"], input: text(a + "," + b))
    _ = try fixture.run(["record", "save", "T", "--name", "a", "m:=1", "--policy", "changed"])
    _ = try fixture.run(["record", "save", "U", "--name", "c", "m:=1"])
    let insert = try fixture.run(["fixture", "load", "-", "--mode", "insert"], input: text(a))
    #expect(insert.code == 76)
    let upsert = try fixture.run(["fixture", "load", "-"], input: text(a + "," + b))
    #expect(upsert.errors == "0 created, 1 changed, 1 unchanged\n")
    #expect(
      try fixture.run(["export", "T"]).output.contains(
        #""a","recordType":"T","zone":"_defaultZone","fields":{"n":1}}"#))
    let clean = try fixture.run(["fixture", "load", "-", "--mode", "clean"], input: text(a))
    #expect(clean.errors == "0 created, 0 changed, 1 unchanged, 2 deleted\n")
    let again = try fixture.run(["fixture", "load", "-", "--mode", "clean"], input: text(a))
    #expect(again.errors == "0 created, 0 changed, 1 unchanged\n")
    let equal = try fixture.run(["fixture", "load", "-", "--mode", "insert"], input: text(a))
    #expect(equal.errors == "0 created, 0 changed, 1 unchanged\n")
  }

  @Test("clean replaces a record of another type; upsert does not")
  func otherType() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run(["record", "save", "Author", "--name", "x", "n:=1"])
    let text = """
      { "databases": { "private": { "zones": { "_defaultZone": { "records": [
        { "recordName": "x", "recordType": "Book" } ] } } } } }
      """
    #expect(try fixture.run(["fixture", "load", "-"], input: text).code == 76)
    #expect(try fixture.run(["fixture", "check", "-", "--mode", "clean"], input: text).code == 0)
    let clean = try fixture.run(["fixture", "load", "-", "--mode", "clean"], input: text)
    #expect(clean.errors.hasSuffix("1 created, 0 changed, 0 unchanged, 1 deleted\n"))
    #expect(try fixture.run(["record", "list", "Book", "-f", "names"]).output == "x\n")
  }

  @Test("a record that clean may not delete is reported at its zone's place (R11.4)")
  func cleanPermissions() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run(["record", "save", "T", "--name", "t", "-d", "public", "n:=1"])
    let path = try fixture.file(
      "t.json",
      #"{ "databases": { "public": { "zones": { "_defaultZone": { "records": [] } } } } }"#)
    let clean = try fixture.run(["fixture", "load", path, "--mode", "clean", "-u", "bob"])
    #expect(clean.code == 77)
    #expect(clean.errors.contains("t.json:1:41: error: t: WRITE operation not permitted"))
    #expect(try fixture.run(["record", "list", "-d", "public", "-f", "names"]).output == "t\n")
  }

  @Test("files of one fixture must agree about container, clock and seed")
  func oneClock() throws {
    let fixture = try CommandFixture.withContainer()
    let settings = [
      "\"clock\": \"2026-01-01\"", "\"seed\": 1", "\"container\": \"iCloud.org.example.app\"",
    ]
    let others = ["\"clock\": \"2027-01-01\"", "\"seed\": 2", "\"container\": \"iCloud.b\""]
    for (one, other) in zip(settings, others) {
      let first = try fixture.file("a.json", "{ \(one), \"databases\": {} }")
      let second = try fixture.file("b.json", "{ \(other), \"databases\": {} }")
      #expect(try fixture.run(["fixture", "check", first, first]).code == 0)
      let check = try fixture.run(["fixture", "check", first, second])
      #expect(check.code == 1)
      #expect(check.output.contains("b.json:1:"), "\(check.output)")
    }
  }

  @Test("an asset above 50 MB is a warning, and refused with --strict (M2.16)")
  func largeAsset() throws {
    let fixture = try CommandFixture.withContainer()
    let path = try fixture.file("large", "")
    try #require(truncate(path, 52_428_801) == 0)
    let text = try fixture.file(
      "T.json", #"[{ "recordName": "a", "file": { "file": "large" } }]"#)
    let check = try fixture.run(["fixture", "check", text])
    #expect(check.code == 0)
    #expect(check.errors.contains("warning: the asset has 52428801 bytes"))
    let strict = try fixture.run(["fixture", "check", text, "--strict"])
    #expect(strict.code == 1)
    #expect(strict.output.contains("T.json:1:31: error: a: file: the asset has"), "\(strict)")
  }

  @Test("every CKError can be injected, with its exit code and JSON (M6, M7.2)")
  func everyError() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run(["record", "save", "T", "--name", "t", "n:=1"])
    let table = try fixture.run(["help", "errors"]).output.split(separator: "\n")
    var count = 0
    for row in table {
      // `7 requestRateLimited: exit 75`, `2/1011 partialFailure: exit 3`
      let words = row.split(separator: " ")
      guard words.count == 4, words[2] == "exit", let number = words[0].split(separator: "/").first,
        let code = Int32(words[3])
      else { continue }
      count += 1
      let name = words[1].dropLast()
      let add = ["fault", "add", "--operation", "save", "--code", String(name)]
      #expect(try fixture.run(add + ["--times", "1", "--retry-after", "1.5"]).code == 0)
      let save = ["record", "save", "T", "--name", "t", "n:=2", "--policy", "changed"]
      let failed = try fixture.run(save + ["--json"])
      #expect(failed.code == code, "\(row)")
      let json = try JSONParser.parse(String(failed.errors.split(separator: "\n").last ?? ""))
      #expect(json["error"]?["code"] == .string(String(name)))
      #expect(json["error"]?["number"] == .int(Int64(number) ?? 0))
      #expect(json["error"]?["retryAfter"] == .double(1.5))
      if number == "14" {
        #expect(json["error"]?["serverRecord"]?["fields"]?["n"] == .int(1))
        #expect(json["error"]?["clientRecord"]?["fields"]?["n"] == .int(2))
      }
    }
    #expect(count == 37)
    #expect(
      try fixture.run(["record", "fetch", "t", "--fields", "n", "-f", "raw"]).output == "1\n")
    #expect(try fixture.run(["fault", "list", "--json"]).output == "[]\n")
  }

  @Test("random faults are the same for a seed, and a command counts once (M7.2)")
  func chance() throws {
    var runs: [[Int32]] = []
    for _ in 0..<2 {
      let fixture = try CommandFixture.withContainer()
      let add = "fault add --operation any --code zoneBusy --probability 0.3 --times 5 --seed 11"
      _ = try fixture.run(add)
      runs.append(try (0..<40).map { _ in try fixture.run(["zone", "list"]).code })
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0].count { $0 == 75 } == 5)
    #expect(runs[0].prefix(8).contains(0))
    // It applies to the whole store.
    let fixture = try CommandFixture.withContainer()
    let add = ["fault", "add", "--operation", "any", "--code", "23", "-d", "public"]
    #expect(try fixture.run(add).code == 64)
  }
}
