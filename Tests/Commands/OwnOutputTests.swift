internal import TestSupport
internal import Testing

/// Commands that read records accept the output of those that print them: every printing command ×
/// every format × both databases × every reading command.
@Suite struct OwnOutputTests {
  /// A command that prints records; `isWhole` if it prints all of them.
  private struct Writer {
    let words: [String]
    var isWhole = true
    var formats = OwnOutputTests.formats
  }

  private static let formats = ["json", "jsonl", "page", "wire", "csv", "tsv"]
  private static let writers = [
    Writer(
      words: [
        "record", "save", "T", "--name", "root", "--policy", "changed", "title=R\u{e9}, \"1\"\n2",
      ], isWhole: false),
    Writer(words: ["record", "fetch", "root", Self.child]),
    Writer(words: ["record", "list"]),
    Writer(words: ["query", "T"]),
    Writer(words: ["export", "T"]),
    Writer(words: ["changes", "zone"], formats: ["json"]),
  ]
  private static let child = "a, \"b\""

  private static let schema = """
    DEFINE SCHEMA
      RECORD TYPE T (
        "___recordID" REFERENCE QUERYABLE,
        data  BYTES,
        day   TIMESTAMP QUERYABLE,
        n     INT64 QUERYABLE,
        names LIST<STRING> QUERYABLE,
        other REFERENCE QUERYABLE,
        place LOCATION QUERYABLE,
        ratio DOUBLE QUERYABLE,
        title STRING QUERYABLE,
        GRANT WRITE TO "_creator", GRANT READ TO "_world"
      );

    """

  /// A store with a schema only.
  private static func target(_ schema: String = schema) throws -> CommandFixture {
    let fixture = try CommandFixture(entering: true)
    _ = try fixture.file("schema.ckdb", schema)
    try succeed(fixture, ["container", "create", "iCloud.org.example.app"])
    try succeed(fixture, ["schema", "import", "schema.ckdb", "--yes"])
    return fixture
  }

  /// A store with two records of ann, a root and its child, which are shared with bob.
  private static func source() throws -> CommandFixture {
    let fixture = try target()
    try succeed(fixture, ["zone", "create", "Z"])
    try succeed(
      fixture,
      [
        "record", "save", "T", "--name", "root", "-z", "Z", "title=R\u{e9}, \"1\"\n2",
        "n:=9007199254740993",
        "ratio:=0.1", "day:timestamp=2026-01-02T03:04:05.678Z", "data:bytes=AAEC/w==",
        "place:location=51.5,-0.125", "names:=[\"x\",\"y;z\",\"\"]",
      ])
    try succeed(
      fixture,
      [
        "record", "save", "T", "--name", child, "-z", "Z", "--parent", "root", "title=",
        "other:reference=root",
      ])
    let share = try succeed(
      fixture, ["share", "create", "root", "-z", "Z", "--with", "bob:write"])
    let url = String(share.output.split(separator: "\n")[0])
    try succeed(fixture, ["share", "accept", url, "-u", "bob"])
    return fixture
  }

  @discardableResult
  private static func succeed(
    _ fixture: CommandFixture, _ words: [String]
  ) throws -> CommandFixture.Outcome {
    let outcome = try fixture.run(words)
    try #require(outcome.code == 0, "\(words): \(outcome.output)\(outcome.errors)")
    return outcome
  }

  /// The canonical text of a store's records.
  private static func records(_ fixture: CommandFixture) throws -> [String] {
    try succeed(fixture, ["export", "T", "-f", "jsonl", "-z", "Z"]).output
      .split(separator: "\n").map(String.init)
  }

  /// A file for the readers, and its records.
  private struct File {
    let name: String
    let text: String
    let records: [String]
    let schema: String
    /// Whether it is a table that does not name the type of its records.
    let needsType: Bool
  }

  /// Commands that read the file into a store, or compare it with one.
  private static let readers: [[String]] = [
    ["import", "T", "FILE", "-z", "Z"],
    ["import", "FILE", "-z", "Z"],
    ["record", "save", "T", "--from", "FILE", "-z", "Z", "--policy", "changed"],
    ["record", "save", "--from", "FILE", "-z", "Z", "--policy", "changed"],
    ["fixture", "load", "FILE", "-z", "Z"],
    ["fixture", "check", "FILE", "-z", "Z"],
    ["schema", "check", "FILE", "--against", "schema.ckdb"],
    ["predicate", "match", "title != nil", "FILE"],
    ["assert", "FILE", "-z", "Z"],
  ]

  @Test(
    "each output of each command is read by each command that reads records",
    arguments: ["private", "shared"], 0..<6)
  func matrix(_ database: String, _ number: Int) throws {
    let (source, writer) = (try Self.source(), Self.writers[number])
    let all = try Self.records(source)
    try #require(all.count == 2)
    let schema = try Self.succeed(source, ["schema", "export"]).output
    let place = database == "private" ? ["-z", "Z"] : ["-z", "Z:me", "-d", "shared", "-u", "bob"]
    for format in writer.formats {
      let written = try Self.succeed(source, writer.words + place + ["-f", format])
      let isTable = format == "csv" || format == "tsv"
      let columns = written.output.prefix { $0 != "\n" }
      let suffix = format == "page" || format == "wire" ? "json" : format
      var expected = writer.isWhole ? all : all.filter { $0.hasPrefix(#"{"recordName":"root""#) }
      if isTable, !columns.contains("parent") {
        expected = expected.map { $0.replacing(#","parent":"root""#, with: "") }
      }
      if format == "tsv" {
        // An empty cell of TSV is nil; CSV quotes an empty text.
        expected = expected.map { $0.replacing(#","title":"""#, with: "") }
      }
      let file = File(
        name: "T.\(suffix)", text: written.output,
        records: expected, schema: schema, needsType: isTable && !columns.contains("recordType"))
      for reader in Self.readers { try read(file, reader, "\(writer.words) \(format)") }
    }
  }

  private func read(_ file: File, _ reader: [String], _ origin: String) throws {
    let target = try Self.target(file.schema)
    _ = try target.file(file.name, file.text)
    let words = reader.map { $0 == "FILE" ? file.name : $0 }
    if words[0] == "assert" {
      try Self.succeed(target, ["import", "T", file.name, "-z", "Z"])
    } else if words[0] != "import", words[0] != "fixture" {
      try Self.succeed(target, ["zone", "create", "Z"])
    }
    let outcome = try target.run(words)
    let isUntyped = file.needsType && !words.contains("T")
    if isUntyped, ["import", "record"].contains(words[0]) {
      // A table does not name the type of its records.
      #expect(outcome.code == (words[0] == "import" ? 65 : 3), "\(origin) → \(words)")
      #expect(outcome.errors.contains("no TYPE"), "\(origin) → \(words): \(outcome.errors)")
      return
    }
    #expect(outcome.code == 0, "\(origin) → \(words): \(outcome.output)\(outcome.errors)")
    switch words[0] {
    case "import", "record", "fixture":
      if words[1] == "check" { return }
      let records = try Self.records(target)
      #expect(records == file.records, "\(origin) → \(words)")
    case "predicate":
      let found = outcome.output.split(separator: "\n").count
      #expect(found >= 1 && found <= file.records.count, "\(origin): \(outcome.output)")
    default: break
    }
  }
}
