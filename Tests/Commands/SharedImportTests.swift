internal import TestSupport
internal import Testing

/// Imports into the shared database of records that name one another: they are added together, or
/// not at all, and what was tried and taken back leaves no trace.
@Suite struct SharedImportTests {
  /// The zone as the participant may name it: with its owner, or alone where it is the only one.
  static let zones = ["Lists:me", "Lists"]

  /// A participant `bob` with write access to the hierarchy of `root`, whose owner is `me`.
  private func shared() throws -> CommandFixture {
    let fixture = try CommandFixture(entering: true)
    _ = try run("container create iCloud.org.example.app", in: fixture)
    _ = try run("zone create Lists", in: fixture)
    _ = try fixture.file("root.jsonl", Self.record("root", below: nil, naming: "root") + "\n")
    _ = try run("import root.jsonl -z Lists", in: fixture)
    let url = try run("share create root --public write -z Lists", in: fixture).output
    _ = try run("share accept \(url.split(separator: "\n")[0]) -u bob", in: fixture)
    return fixture
  }

  @discardableResult
  private func run(
    _ line: String, code: Int32 = 0, in fixture: CommandFixture
  ) throws -> CommandFixture.Outcome {
    let outcome = try Transcript.run(.init(line: 0, command: "ckdb \(line)"), in: fixture)
    #expect(outcome.code == code, "\(line): \(outcome.errors)")
    return outcome
  }

  private static func record(
    _ name: String, below parent: String?, naming other: String
  ) -> String {
    let parent = parent.map { "\"parent\":\"\($0)\"," } ?? ""
    return """
      {"recordName":"\(name)","recordType":"Item",\(parent)"fields":{"other":\
      {"value":{"recordName":"\(other)","action":"VALIDATE"},"type":"REFERENCE"}}}
      """
  }

  private func names(in fixture: CommandFixture) throws -> [String] {
    let list = try run("record list Item -f names -d shared -z Lists -u bob", in: fixture)
    return list.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test("R4.1.6: records that need each other are added together", arguments: zones)
  func mutual(zone: String) throws {
    let fixture = try shared()
    _ = try fixture.file(
      "pair.jsonl",
      [
        Self.record("x", below: "root", naming: "y"), Self.record("y", below: "x", naming: "x"),
        // The parent comes after the child.
        Self.record("p", below: "q", naming: "root"), Self.record("q", below: "root", naming: "p"),
      ].joined(separator: "\n"))
    try run("import pair.jsonl -d shared -z \(zone) -u bob", in: fixture)
    #expect(try names(in: fixture) == ["p", "q", "root", "x", "y"])
  }

  @Test(
    "R10.1.4: with --no-atomic, a pair is left out where one of its records may not be added",
    arguments: zones)
  func rolledBack(zone: String) throws {
    let fixture = try shared()
    // No parent: y would be outside the share. So x, which needs it, is taken back.
    _ = try fixture.file(
      "pair.jsonl",
      [
        Self.record("good", below: "root", naming: "root"),
        Self.record("x", below: "root", naming: "y"), Self.record("y", below: nil, naming: "x"),
      ].joined(separator: "\n"))
    let outcome = try run(
      "import pair.jsonl --no-atomic -d shared -z \(zone) -u bob", code: 3, in: fixture)
    #expect(outcome.errors.contains("pair.jsonl:3:1: y: CREATE operation not permitted"))
    #expect(try names(in: fixture) == ["good", "root"])
    try run("doctor --deep", in: fixture)
  }
}
