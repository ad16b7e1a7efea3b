internal import Basics
internal import Testing

/// An import prepares rows in parallel with the writer if it can (DS4); other rows, and every
/// import of a single record, take the plain path. Both must make the same store.
@Suite struct ImportPathTests {
  /// Records with repeated names, missing values, late fields and values that do not fit.
  private func lines(_ seed: UInt64, _ count: Int) -> [String] {
    var random = SplitMix64(state: seed)
    func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
    var roots: [String: String] = [:]
    return (0..<count).map { index in
      var fields: [String] = []
      if chance(80) { fields.append("\"a\":\"v\(random.next() % 9) \u{e9}\"") }
      if chance(70) { fields.append("\"b\":\(chance(4) ? "\"x\"" : "\(random.next() % 99)")") }
      if chance(30) { fields.append("\"c\":null") }
      if chance(50) { fields.append("\"d\":[\"x\",\"y\(random.next() % 3)\"]") }
      if index > count / 2, chance(50) { fields.append("\"e\":\(index).25") }
      if chance(30) { fields.append("\"f\":{\"value\":\(index),\"type\":\"TIMESTAMP\"}") }
      if chance(30) { fields.append("\"g\":{\"recordName\":\"r\(random.next() % 9)\"}") }
      let name = chance(3) ? "_bad" : "r\(random.next() % UInt64(count))"
      let zone = chance(30) ? "\"zone\":\"Notes\"," : ""
      // A parent must exist: a record that is imported alone cannot wait for it.
      let parent = chance(10) ? roots[zone].map { "\"parent\":\"\($0)\"," } ?? "" : ""
      if name != "_bad", roots[zone] == nil { roots[zone] = name }
      let head = "{\"recordName\":\"\(name)\",\"recordType\":\"T\",\(zone)\(parent)"
      return head + "\"fields\":{\(fields.joined(separator: ","))}}"
    }
  }

  private func created(_ errors: String) -> Int {
    let line = errors.split(separator: "\n").first { $0.contains(" created, ") } ?? ""
    return line.split(separator: " ").first.flatMap { Int($0) } ?? 0
  }

  @Test("M5: one import of all records equals one import for each record", arguments: 1...4)
  func oneOrMany(seed: Int) throws {
    let lines = lines(UInt64(seed), 120)
    let known = "{\"recordName\":\"k\",\"recordType\":\"T\",\"fields\":{\"b\":1}}\n"
    let whole = try CommandFixture.withContainer()
    let single = try CommandFixture.withContainer()
    for fixture in [whole, single] {
      #expect(try fixture.run(["import", "-"], input: known).code == 0)
    }
    let text = lines.joined(separator: "\n") + "\n"
    let outcome = try whole.run(["import", "-", "--no-atomic"], input: text)
    var count = 0
    for line in lines {
      count += created(try single.run(["import", "-"], input: line + "\n").errors)
    }
    #expect(created(outcome.errors) == count)
    #expect(try whole.run("export").output == single.run("export").output)
  }

  @Test("M5: JSON Lines, a JSON array, and the array on one line are the same records")
  func formats() throws {
    let lines = lines(9, 80)
    let texts = [
      ("jsonl", lines.joined(separator: "\n") + "\n"),
      ("json", "[" + lines.joined(separator: ",\n ") + "]\n"),
      ("json", "[" + lines.joined(separator: ",") + "]"),
    ]
    let exports = try texts.map { format, text in
      let fixture = try CommandFixture.withContainer()
      _ = try fixture.run(["import", "-", "-f", format, "--no-atomic"], input: text)
      return try fixture.run("export --system").output
    }
    #expect(exports[0].utf8.count > 1000)
    #expect(Set(exports).count == 1)
  }

  @Test(
    "R13.2, R11.4: prepared rows are checked, too, where the public database forbids some")
  func forbiddenRows() throws {
    let fixture = try CommandFixture.withContainer()
    let schema = """
      DEFINE SCHEMA
      RECORD TYPE Open (a STRING, secret ENCRYPTED STRING, GRANT CREATE TO "_icloud",
        GRANT READ TO "_world");
      RECORD TYPE Closed (a STRING, GRANT READ TO "_world");
      """
    func write(_ name: String, _ type: String, _ field: (Int) -> String) throws -> String {
      let lines = (0..<5000).map {
        "{\"recordName\":\"r\($0)\",\"recordType\":\"\(type)\",\"fields\":{\"\(field($0))\":\"x\"}}"
      }
      return try fixture.file(name, lines.joined(separator: "\n"))
    }
    let file = try fixture.file("schema.ckdb", schema)
    let open = try write("open.jsonl", "Open") { $0 < 4990 ? "a" : "secret" }
    let closed = try write("closed.jsonl", "Closed") { _ in "a" }
    #expect(try fixture.run("schema import \(file)").code == 0)
    #expect(try fixture.run("import \(open) -d public").code == 65)
    #expect(try fixture.run("query Open -d public --count").output == "0\n")
    #expect(try fixture.run("import \(open)").code == 0, "the private database takes them")
    #expect(try fixture.run("import \(closed) -d public --no-atomic").code == 3)
    #expect(try fixture.run("query Closed -d public --count").output == "0\n")
  }
}
