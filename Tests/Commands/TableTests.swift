internal import Basics
internal import CommandKit
internal import Testing

@testable internal import Commands

/// The command table as a whole (DS8): every verb follows the same rules.
@Suite struct TableTests {
  private static var table: CommandTable<Context> {
    CommandTable(
      program: "ckdb", summary: "", globals: GlobalOptions.all, rootOptions: GlobalOptions.root,
      rows: Table.rows)
  }
  /// The path of each verb, as a line.
  static let paths = table.allVerbs().map { $0.path.joined(separator: " ") }

  private func verb(
    _ line: String
  ) throws -> (path: [String], row: CommandRow<Context>, command: Command<Context>) {
    try #require(Self.table.allVerbs().first { $0.path.joined(separator: " ") == line })
  }

  @Test("M1: -h and --help print help, exit 0, and touch no store", arguments: paths)
  func help(_ line: String) throws {
    let fixture = try CommandFixture()
    let verb = try verb(line)
    let short = try fixture.run(verb.path + ["-h"])
    let full = try fixture.run(verb.path + ["--help"])
    for outcome in [short, full] {
      #expect(outcome.code == 0)
      #expect(outcome.errors == "")
      #expect(outcome.output.contains("Usage: ckdb \(line)"))
      #expect(outcome.output.hasPrefix(verb.row.summary))
    }
    #expect(full.output.contains("Global options: -C -e"))
    for option in verb.command.options {
      #expect(full.output.contains("--\(option.name)"), "--\(option.name)")
    }
    for operand in verb.command.operands { #expect(short.output.contains(operand.name)) }
    #expect(short.output.contains("Global options: -C -e"))
  }

  @Test("the short help of each command and group fits a screen of 80 columns and 24 lines")
  func screens() throws {
    let fixture = try CommandFixture()
    let groups = Table.rows.filter { !$0.isHidden }.map(\.name)
    for line in [""] + groups + Self.paths where !line.hasPrefix("__") {
      let outcome = try fixture.run(line.split(separator: " ").map(String.init) + ["-h"])
      let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count <= 24, "\(line): \(lines.count) lines")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(line)")
    }
    let overview = try fixture.run("help").output
    #expect(overview.split(separator: "\n", omittingEmptySubsequences: false).count <= 25)
  }

  @Test("M1: an option takes the same kind of value at each verb of a noun that has it")
  func sameOptions() {
    var kinds: [String: Set<String>] = [:]
    for verb in Self.table.allVerbs() {
      for option in verb.command.options {
        kinds["\(verb.path[0]) --\(option.name)", default: []].insert(option.placeholder ?? "flag")
      }
    }
    // A backup is a folder, the contents of a document are a file.
    #expect(kinds.filter { $0.value.count > 1 } == ["document --output": ["DIR", "FILE"]])
  }

  @Test(
    "each command that watches ends at --timeout with exit code 1, with or without the unit",
    arguments: [
      "notification watch", "kvs watch", "document watch", "document find TRUEPREDICATE --watch",
    ])
  func timeouts(_ line: String) throws {
    let fixture = try CommandFixture.withContainer()
    for time in ["0", "0s", "0.01s"] {
      let words = line.split(separator: " ").map(String.init) + ["--timeout", time]
      #expect(try fixture.run(words).code == 1, "\(words)")
    }
    let refused = try fixture.run(line.split(separator: " ").map(String.init) + ["--timeout", "s"])
    #expect(refused.code == 64 && refused.errors.contains("'s' is not a time span"))
  }

  @Test("each command is in one group of the overview, and the groups name no other")
  func groups() {
    let names = Table.groups.flatMap(\.names)
    #expect(names.sorted() == Table.rows.filter { !$0.isHidden }.map(\.name).sorted())
  }

  @Test("every reference of a page leads to another page", arguments: paths)
  func references(_ line: String) throws {
    let path = line.split(separator: " ").map(String.init)
    let pages = Table.seeAlso(path) + HelpTopic.all.flatMap(\.seeAlso)
    for page in pages {
      let isCommand = Self.table.find(page.split(separator: " ").map(String.init)).row != nil
      #expect(isCommand || HelpTopic.names.contains(page), "\(line): \(page)")
    }
    if !line.hasPrefix("__") { #expect(!Table.seeAlso(path).isEmpty, "\(line)") }
  }

  @Test("each topic is a page that fits its width", arguments: HelpTopic.names)
  func topics(_ name: String) throws {
    let fixture = try CommandFixture()
    let outcome = try fixture.run(["help", name])
    #expect(outcome.code == 0 && outcome.errors == "")
    if name == "rules" { return }
    #expect(outcome.output.contains("See also: ckdb "))
    for line in outcome.output.split(separator: "\n") where !line.hasPrefix(" ") {
      #expect(line.count <= 100, "\(line)")
    }
  }

  @Test("each word of CloudKit or of people leads to a command or a topic")
  func helpWords() throws {
    for word in HelpWords.all {
      let path = try #require(HelpWords.path(for: word))
      let isCommand = Self.table.find(path).row != nil
      #expect(isCommand || HelpTopic.names.contains(path[0]), "\(word): \(path)")
      #expect(Self.table.find([word]).row == nil, "\(word) is a command")
      #expect(!HelpTopic.names.contains(word), "\(word) is a topic")
    }
    let fixture = try CommandFixture()
    let outcome = try fixture.run("help CKQueryOperation")
    #expect(outcome.output.hasPrefix("See 'ckdb help query':\n\nFind records"))
  }

  @Test("M1.2: - and -- are ordinary words, and --json of no results is JSON", arguments: paths)
  func words(_ line: String) throws {
    let fixture = try CommandFixture(entering: true)
    _ = try fixture.run("init")
    _ = try fixture.run("container create iCloud.org.example.app")
    let verb = try verb(line)
    if verb.row.isHidden || ["help", "completion"].contains(line) { return }
    // Without an end, watch would wait forever.
    let end = line.hasSuffix(" watch") ? ["--timeout", "0"] : []
    for word in ["-", "--"] {
      let outcome = try fixture.run(verb.path + end + [word], variables: ["VISUAL": "true"])
      let codes: Set<Int32> = [0, 1, 3, 64, 65, 66, 73, 76, 78, 126, 127]
      // Without its program, the server is not there.
      let isServer = outcome.code == 69 && ["serve", "dashboard", "key add"].contains(line)
      #expect(codes.contains(outcome.code) || isServer, "\(line) \(word): \(outcome)")
      #expect(!outcome.errors.contains("unknown option"), "\(line) \(word)")
    }
    let required = verb.command.operands.contains { $0.count == .one || $0.count == .oneOrMore }
    // cktool prints what Apple's tool prints.
    if required || line == "config edit" || verb.path[0] == "cktool" { return }
    let outcome = try fixture.run(verb.path + end + ["--json"])
    guard outcome.code == 0, !outcome.output.isEmpty else { return }
    let isText = ["schema export", "export"].contains(line)
    let json = try? JSONParser.parse(outcome.output)
    #expect(isText || json != nil, "\(line) --json: \(outcome.output)")
  }

  @Test("M6.64: an unknown option is a bad command line (64)", arguments: paths)
  func unknownOption(_ line: String) throws {
    let fixture = try CommandFixture()
    let verb = try verb(line)
    let outcome = try fixture.run(verb.path + ["--surprise"])
    #expect(outcome.code == 64)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("ckdb: error: unknown option '--surprise'"))
  }

  @Test("M6.64: a missing operand is a bad command line (64)", arguments: paths)
  func missingOperands(_ line: String) throws {
    let fixture = try CommandFixture.withContainer()
    let verb = try verb(line)
    let required = verb.command.operands.filter { $0.count == .one || $0.count == .oneOrMore }
    guard let first = required.first else { return }
    let outcome = try fixture.run(verb.path)
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("\(first.name) is missing"))
    #expect(outcome.errors.contains("usage: ckdb \(line)"))
  }

  @Test("DS8: each verb has a summary and each option has help, in the same form", arguments: paths)
  func descriptions(_ line: String) throws {
    let verb = try verb(line)
    let texts =
      [verb.row.summary] + verb.command.options.map(\.help) + verb.command.operands.map(\.help)
    for text in texts {
      #expect(!text.isEmpty && (text.last != "." || text.hasSuffix("iCloud.")), "\(text)")
      #expect(text.utf8.count <= 100, "\(text)")
    }
    #expect(verb.row.summary.first?.isUppercase == true)
    let names = verb.command.options.map(\.name)
    #expect(Set(names).count == names.count, "an option twice")
  }

  @Test("DS8: options do not hide global ones, long or short", arguments: paths)
  func optionNames(_ line: String) throws {
    let verb = try verb(line)
    for option in verb.command.options {
      #expect(!GlobalOptions.all.contains { $0.name == option.name }, "--\(option.name)")
      guard let short = option.short else { continue }
      #expect(!GlobalOptions.all.contains { $0.short == short }, "-\(short)")
    }
  }

  @Test("DS8: each verb has an example, whose words fit the table", arguments: paths)
  func examples(_ line: String) throws {
    let verb = try verb(line)
    if verb.row.isHidden { return }
    #expect(!verb.command.examples.isEmpty)
    for example in verb.command.examples {
      #expect(!example.purpose.isEmpty)
      // Examples with shell syntax are left to the shell.
      if example.line.contains("<(") { continue }
      var splitter = WordSplitter()
      let line = example.line.replacing("$URL", with: "ckdb://share/iCloud.org.example.app/0")
      let words = try #require(splitter.take(line: line).first)
      #expect(words.first == "ckdb", "\(example.line)")
      let invocation = try CommandLineParser.parse(Array(words.dropFirst()), Self.table)
      guard case .run(_, _, let path) = invocation else {
        Issue.record("runs nothing: \(example.line)")
        continue
      }
      #expect(path == verb.path, "\(example.line)")
    }
  }

  @Test("M2: the nouns and verbs exist under their names")
  func names() {
    let wanted = [
      "init", "container create", "container list", "container show", "container delete",
      "zone create", "zone list", "zone show", "zone delete", "record save", "record fetch",
      "record delete", "record list", "query", "schema show", "schema types", "schema fields",
      "asset put", "asset get", "asset list", "import", "export", "store info", "use", "context",
      "run", "help", "completion", "version", "__complete",
    ]
    #expect(Set(wanted).subtracting(Self.paths).isEmpty)
  }
}
