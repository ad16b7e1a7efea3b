internal import Basics
internal import TestSupport
internal import Testing

/// `export | import | export` is byte-equal (M5.7), for random records of every type.
@Suite struct ExportTests {
  /// JSON Lines that an import accepts.
  private func lines(_ seed: UInt64, _ count: Int) -> String {
    var random = SplitMix64(state: seed)
    func pick(_ words: [String]) -> String { words[Int(random.next() % UInt64(words.count))] }
    let values: [String: [String]] = [
      "a": ["\"\"", "\"e\\u0301 \u{e9}\"", "\"\\\"\\\\\\n\\u0000\"", "\"\u{1F9ED}\"", "null"],
      "b": ["0", "-9223372036854775808", "9007199254740993", "null"],
      "c": ["0.1", "1e300", "-5.0", "1e-7", "123456789012345680.0", "null"],
      "d": ["[]", "[\"x\",\"\"]", "[\"y\"]"], "e": ["[1,2]", "[]", "[-1]"],
      "f": ["[0.5]", "[1.0,1e22]"], "g": ["{\"latitude\":51.5,\"longitude\":-0.12}"],
      "h": ["{\"recordName\":\"x\"}", "{\"recordName\":\"a b\",\"action\":\"DELETE_SELF\"}"],
      "i": ["{\"value\":\"2024-05-01T12:00:00.001Z\",\"type\":\"TIMESTAMP\"}"],
      "j": ["{\"value\":\"AAE=\",\"type\":\"BYTES\"}", "{\"value\":\"\",\"type\":\"BYTES\"}"],
      "k": ["{\"value\":[\"2024-05-01\"],\"type\":\"LIST<TIMESTAMP>\"}"],
      "l": ["{\"value\":\"s\",\"type\":\"ENCRYPTED STRING\"}"],
      "m": ["{\"latitude\":1,\"longitude\":2,\"altitude\":3.5,\"timestamp\":\"2024-05-01\"}"],
      "n": [
        "[{\"recordName\":\"x\"}]",
        "[{\"recordName\":\"[\\\"e\\\\\"},{\"recordName\":\",\"}]",
        "[{\"recordName\":\"q\\\"\\\\\"},{\"recordName\":\"]\"}]",
        "[{\"recordName\":\"v\",\"action\":\"DELETE_SELF\"}]",
        "{\"value\":[],\"type\":\"LIST<REFERENCE>\"}",
      ],
    ]
    var text = ""
    // The first record of each zone is the parent of some of the others.
    var parents: [String: String] = [:]
    // The first record has all fields, so that an empty list meets a known one.
    for index in 0..<count {
      var fields: [String] = []
      for key in values.keys.sorted() where index == 0 || random.next() % 2 == 0 {
        let first = key == "d" ? "[\"x\"]" : key == "e" ? "[1]" : nil
        fields.append(
          "\"\(key)\":\(index == 0 ? first ?? pick(values[key] ?? []) : pick(values[key] ?? []))")
      }
      let zone = pick(["Notes", "_defaultZone"])
      let root = parents[zone]
      let parent = random.next() % 3 == 0 ? root.map { "\"parent\":\"\($0)\"," } ?? "" : ""
      parents[zone] = root ?? "r\(index)"
      text += "{\"recordName\":\"r\(index)\",\"recordType\":\"\(pick(["T", "t"]))\","
      text += "\"zone\":\"\(zone)\",\(parent)\"fields\":{\(fields.joined(separator: ","))}}\n"
    }
    return text
  }

  /// A store whose two types know every field.
  private func filled(_ seed: UInt64) throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    for (type, text) in [("T", lines(seed, 1)), ("t", lines(seed + 1, 1))] {
      let first = text.split(separator: "\n").first.map(String.init) ?? ""
      let fields = first.split(separator: "\"fields\":").last.map { String($0.dropLast()) } ?? "{}"
      let made = try fixture.run(["import", type, "-"], input: fields + "\n")
      #expect(made.code == 0, "\(made.errors)")
    }
    let filled = try fixture.run(["import", "-"], input: lines(seed + 2, 60))
    #expect(filled.code == 0, "\(filled.errors)")
    return fixture
  }

  /// Exports to a file in a format, and imports it into another store and into the same one.
  private func checkRoundTrip(_ seed: Int, _ format: String) throws {
    let fixture = try filled(UInt64(seed) * 10)
    let path = fixture.directory.path + "/all." + format
    let exported = try fixture.run(["export", "-f", format, "-o", path])
    #expect(exported.code == 0, "\(exported.errors)")
    let before = try fixture.run("export")
    #expect(try fixture.run("container create iCloud.copy").code == 0)
    let imported = try fixture.run(["import", path, "-f", format, "-C", "iCloud.copy"])
    #expect(imported.code == 0, "\(imported.errors)")
    let after = try fixture.run("export -C iCloud.copy")
    #expect(after.output == before.output)
    let again = try fixture.run(["import", path, "-f", format])
    #expect(again.errors.contains("0 created, 0 changed, 62 unchanged"), "\(again.errors)")
  }

  @Test(
    "M5.7: export, import, export is byte-equal", arguments: [1, 2, 3, 4],
    ["jsonl", "json"])
  func roundTrip(seed: Int, format: String) throws { try checkRoundTrip(seed, format) }

  @Test(
    "M4.5: the wire form is lossless, and an import reads it",
    arguments: [1, 2, 3])
  func wireForm(seed: Int) throws { try checkRoundTrip(seed, "wire") }

  @Test("M1.13: the same commands with the same clock and seed export the same bytes")
  func repeatable() throws {
    let first = try filled(5).run("export --system")
    let second = try filled(5).run("export --system")
    #expect(first == second)
  }

  @Test("records written from their stored rows equal those written from record objects")
  func viewsAndRecords() throws {
    for seed in 10..<13 as Range<UInt64> {
      let fixture = try filled(seed)
      for zone in ["_defaultZone", "Notes"] {
        let views = try fixture.run(["export", "t", "-z", zone, "--jsonl"])
        let records = try fixture.run(["export", "t", "TRUEPREDICATE", "-z", zone, "--jsonl"])
        #expect(views.code == 0 && !views.output.isEmpty)
        #expect(views.output == records.output)
      }
    }
  }
}
