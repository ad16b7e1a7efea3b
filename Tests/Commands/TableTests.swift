internal import CommandKit
internal import Testing

@testable internal import Commands

/// The command table as a whole (DS8): every verb in the same manner.
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

  @Test("M1: -h and --help explain, exit 0, and touch no store", arguments: paths)
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
    #expect(full.output.contains("Global options:"))
    for option in verb.command.options {
      #expect(short.output.contains("--\(option.name)"), "--\(option.name)")
    }
    for operand in verb.command.operands { #expect(short.output.contains(operand.name)) }
  }

  @Test("M6.64: an option that nobody knows is a bad command line (64)", arguments: paths)
  func unknownOption(_ line: String) throws {
    let fixture = try CommandFixture()
    let verb = try verb(line)
    let outcome = try fixture.run(verb.path + ["--surprise"])
    #expect(outcome.code == 64)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("ckdb: error: unknown option '--surprise'"))
  }

  @Test("M6.64: an operand that is missing is a bad command line (64)", arguments: paths)
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

  @Test("DS8: each verb has a summary, each option help, in one manner", arguments: paths)
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

  @Test("DS8: each verb has an example, and its words fit the table", arguments: paths)
  func examples(_ line: String) throws {
    let verb = try verb(line)
    if verb.row.isHidden { return }
    #expect(!verb.command.examples.isEmpty)
    for example in verb.command.examples {
      #expect(!example.purpose.isEmpty)
      // What a shell would take before ckdb sees it is left to the shell.
      if example.line.contains("<(") { continue }
      var splitter = WordSplitter()
      let words = try #require(splitter.take(line: example.line).first)
      #expect(words.first == "ckdb", "\(example.line)")
      let invocation = try CommandLineParser.parse(Array(words.dropFirst()), Self.table)
      guard case .run(_, _, let path) = invocation else {
        Issue.record("runs nothing: \(example.line)")
        continue
      }
      #expect(path == verb.path, "\(example.line)")
    }
  }

  @Test("M2: the nouns and verbs of the slice are there under their names")
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
