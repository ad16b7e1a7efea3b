internal import Basics
internal import TestSupport
internal import Testing

/// In the shared database a participant sees exactly what is shared (R10.1.4, R10.3.4): random
/// records with secrets are stored beside shared ones, and commands that act on a database print no
/// secret. Commands for the whole store belong to its owner.
@Suite struct PrivacyTests {
  /// A part of the name and of each value of a record that is not shared.
  private static let secret = "S3CRET"

  /// A store in which ann shares some records of a zone with bob.
  private struct World {
    let fixture: CommandFixture
    /// The names of the records that bob sees, and of all others in the zone.
    var (seen, hidden): ([String], [String]) = ([], [])
    var url = ""

    init(seed: UInt64) throws {
      fixture = try CommandFixture(entering: true)
      let secret = PrivacyTests.secret
      var random = SplitMix64(state: seed)
      func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
      for line in [
        "container create iCloud.org.example.app", "zone create Lists Other -u ann",
        "record save Item --name v0 title=open n:=0 -z Lists -u ann",
      ] { try run(line) }
      seen = ["v0"]
      var lines: [String] = []
      for index in 1..<40 {
        let isSeen = below(2) == 0
        let name = isSeen ? "v\(index)" : "h\(index)-\(secret)"
        let text = isSeen ? "open \(index)" : "\(secret) \(index)"
        let parents = isSeen ? seen : hidden
        let parent = parents.isEmpty ? nil : parents[below(parents.count)]
        let target = hidden.isEmpty || below(2) == 0 ? seen[below(seen.count)] : nil
        var fields = [
          "\"title\":\"\(text)\"", "\"n\":\(index)", "\"tags\":[\"\(text)\",\"tag\"]",
          "\"place\":{\"latitude\":\(index),\"longitude\":1.5}",
        ]
        if let target { fields.append("\"up\":{\"recordName\":\"\(target)\"}") }
        if !isSeen, below(3) == 0 {
          fields.append(
            "\"needs\":{\"value\":{\"recordName\":\"\(seen[below(seen.count)])\","
              + "\"action\":\"VALIDATE\"},\"type\":\"REFERENCE\"}")
        }
        lines.append(
          "{\"recordName\":\"\(name)\",\"recordType\":\"Item\","
            + (parent.map { "\"parent\":\"\($0)\"," } ?? "")
            + "\"fields\":{\(fields.joined(separator: ","))}}")
        if isSeen { seen.append(name) } else { hidden.append(name) }
      }
      _ = try fixture.file("items.jsonl", lines.joined(separator: "\n") + "\n")
      _ = try fixture.file("contents", "\(secret) in a file")
      for line in [
        "import items.jsonl -z Lists -u ann",
        "asset put \(hidden[0]) file contents -z Lists -u ann",
        "record save Item --name other-\(secret) title=\(secret) -z Other -u ann",
        "record save Item --name default-\(secret) title=\(secret) -u ann",
        "share create \(hidden[0]) --title \(secret) --with cem -z Lists -u ann",
      ] { try run(line) }
      url = try run("share create v0 --with bob:write --title Open -z Lists -u ann").output
        .split(separator: "\n")[0].description
      try run("share accept \(url) -u bob")
      for line in [
        "subscription create database -d shared -u bob",
        "subscription create query Item --on create,update --desired-keys title -u ann",
        "record save Item --name \(hidden[0]) title=\(secret) -z Lists -u ann --device other",
        "record save Item --name v0 n:=1 -z Lists -u ann --device other",
      ] { try run(line) }
    }

    @discardableResult
    func run(_ line: String) throws -> CommandFixture.Outcome {
      try Transcript.run(.init(line: 0, command: "ckdb \(line)"), in: fixture)
    }
  }

  /// Command lines of bob; NAME stands for each name, FORMAT for each format.
  private static let reading = [
    "record list", "record list Item", "record tree v0", "record tree NAME --references",
    "record fetch NAME", "record fetch v0 NAME", "record fetch NAME --fields title,up",
    "query Item", "query Item --all --sort -n", "query Item \"title BEGINSWITH 'S3'\"",
    "query Item \"title CONTAINS 'CRET'\"", "query Item \"ANY tags == 'tag'\" --all",
    "query Item \"self CONTAINS 'S3CRET'\"", "query Item \"up.title CONTAINS 'C'\" --all",
    "query Item \"up == ref('NAME')\"", "query Item \"recordName == 'NAME'\"",
    "query Item \"parent == ref('NAME')\"", "query Item \"n > 3\" --count",
    "query Item --facet title", "query Item --facet tags", "query Item --expand up --all",
    "query Item --near place=3,1 --limit 3", "query Item --limit 2",
    "query Item \"creatorUserRecordID == 'x'\"", "query cloudkit.share --all",
    "explain Item \"title == 'S3CRET 3'\"", "explain Item \"n > 3\" --sort title", "export",
    "export Item", "export Item \"n > 1\"", "changes", "changes zone", "changes zone --limit 3",
    "zone list", "zone show Lists:ann", "asset list", "asset get NAME file -o -", "share list",
    "share show v0", "share show NAME", "share requests v0", "share metadata URL",
    "cktool query-records --container-id iCloud.org.example.app --environment development "
      + "--database-type shared --zone-name Lists --record-type Item",
    "assert query Item \"n > 3\" --count 3", "record save Item --name NAME title=mine",
    "record save Item --name NAME title=mine --parent v0",
    "record save Item --name NAME title=mine --parent v0 --policy changed",
    "record save Item --name NAME title=mine --tag 5 --policy unchanged",
    "record save Item --name made-1 --parent NAME",
    "record save Item --name made-2 --parent v0 needs:reference=NAME",
    "record save Item --name made-3 --parent v0 --from items.jsonl", "import items.jsonl",
    "import items.jsonl --policy changed", "asset put NAME file contents2",
    "record delete NAME --tag 5", "share edit v0 --add dan", "share create NAME",
    "share leave NAME", "record delete --where Item \"title CONTAINS 'C'\"",
    "fixture check open.json", "subscription list", "notification list", "notification show 1",
    "notification show 2", "notification show 3", "notification payload 1",
    "notification payload 2", "notification payload 3",
    "notification watch --since 0 --count 1 --timeout 5",
    "assert notifications --count 1",
  ]

  private static let formats = ["table", "line", "json", "jsonl", "csv", "tsv", "names", "wire"]

  /// Words that bob completes.
  private static let completions = [
    "record fetch ''", "record fetch h", "query Item 'title == '", "query Item 'title == \"S'",
    "record save Item title=", "record save Item --parent h", "share show ''", "zone show ''",
  ]

  @Test(
    "R10.3.4: records that are not shared are in no output of a participant's commands",
    arguments: 0..<2 as Range<UInt64>)
  func secrets(seed: UInt64) throws {
    let world = try World(seed: seed)
    _ = try world.fixture.file("contents2", "open")
    _ = try world.fixture.file(
      "open.json", "{\"databases\":{\"private\":{\"zones\":{}}}}")
    let asBob = "-d shared -z Lists -u bob"
    let names = [world.hidden[0], world.hidden[1], world.seen[1]]
    let all = world.hidden.sorted { $0.utf8.count > $1.utf8.count }
    var count = 0
    func look(_ line: String) throws {
      let outcome = try world.run(line)
      count += 1
      // Messages repeat what bob writes.
      let found = (outcome.output + outcome.errors).lines.filter { text in
        var rest = text
        for name in line.contains("items.jsonl") ? all : names {
          rest = rest.replacing(name, with: "")
        }
        rest = rest.replacing("S3CRET 3", with: "").replacing("'S3CRET'", with: "")
        return rest.contains(Self.secret)
      }
      #expect(found.isEmpty, "\(line): \(found.prefix(3))")
    }
    for (index, line) in Self.reading.enumerated() {
      let line = line.replacing("URL", with: world.url)
      for name in line.contains("NAME") ? names : [""] {
        let named = line.replacing("NAME", with: name)
        // Each line runs in some of the formats, and all formats occur.
        for step in 0..<3 {
          let format = Self.formats[(index + step * 3) % Self.formats.count]
          let isFormatless = line.hasPrefix("cktool") || line.hasPrefix("record delete")
          try look("\(named) \(asBob)" + (isFormatless ? "" : " -f \(format)"))
        }
        try look("\(named) \(asBob) --strict --json")
        try look("\(named) -d shared -u bob")
      }
    }
    for words in Self.completions {
      let outcome = try world.fixture.run(
        ["__complete", "--"] + words.split(separator: " ", maxSplits: 2).map(String.init),
        variables: [
          "CKDB_DATABASE": "shared", "CKDB_ZONE": "Lists", "CKDB_USER": "bob",
        ])
      count += 1
      #expect(!outcome.output.contains(Self.secret), "\(words): \(outcome.output)")
    }
    #expect(count > 400)
    // Bob has changed nothing that he cannot see.
    let left = try world.run("record list -f names -z Lists -u ann").output
    for name in world.hidden { #expect(left.contains(name), "\(name) is gone") }
  }
}

extension String {
  fileprivate var lines: [String] { split(separator: "\n").map(String.init) }
}
