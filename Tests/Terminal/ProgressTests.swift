import Basics
import TestSupport
import Testing

/// The progress of long work on standard error (M1: --progress).
@Suite struct ProgressTests {
  /// A store, and a file whose import takes a second or more.
  private static func program() throws -> RealProgram {
    let program = try RealProgram()
    let made = try program.shell(
      """
      ckdb init -q && ckdb container create iCloud.org.example.app -q \
      && seq 300000 | sed 's/.*/{"recordName":"n&","recordType":"N","fields":{"n":&}}/' > big.jsonl
      """)
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  @Test("an import shows its progress on a line that is gone at the end", arguments: [40, 80, 200])
  func line(_ columns: Int) throws {
    let program = try Self.program()
    let file = program.directory.path + "/big.jsonl"
    let terminal = try TerminalProgram(
      program, ["import", file, "--dry-run"], columns: UInt16(columns))
    try terminal.expect("import  ")
    #expect(try terminal.expectEnd() == .code(0))
    let lines = terminal.lines(columns: columns).joined()
    #expect(
      lines == "300000 created, 0 changed, 0 unchanged (dry run)", "\(lines)")
  }

  @Test("^C leaves the line clean")
  func interrupt() throws {
    let program = try Self.program()
    let file = program.directory.path + "/big.jsonl"
    let terminal = try TerminalProgram(program, ["import", file])
    try terminal.expect("import  ")
    try terminal.type(TerminalProgram.Key.interrupt)
    #expect(try terminal.expectEnd() == .code(130))
    let lines = terminal.lines().filter { !$0.isEmpty }
    #expect(lines.last == "ckdb: error: interrupted: nothing was imported", "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("import") }, "\(lines)")
    #expect(try program.shell("ckdb schema types -f names").output == "Users\n")
  }

  @Test("there is no progress for a pipe, a dumb terminal, --quiet and --progress none")
  func silence() throws {
    let program = try Self.program()
    let file = program.directory.path + "/big.jsonl"
    #expect(try program.shell("ckdb import big.jsonl --dry-run -q").errors == "")
    for (words, variables) in [
      (["-q"], [:]), (["--progress", "none"], [:]), ([], ["CKDB_PROGRESS": "none"]),
      ([], ["TERM": "dumb"]),
    ] as [([String], [String: String])] {
      let terminal = try TerminalProgram(
        program, ["import", file, "--dry-run"] + words, variables: variables)
      #expect(try terminal.expectEnd() == .code(0))
      #expect(!terminal.screen.contains("import  "), "\(words) \(variables)")
    }
  }

  @Test("--progress json writes objects, also into a pipe")
  func json() throws {
    let program = try Self.program()
    let outcome = try program.shell(
      "ckdb import big.jsonl --progress json; ckdb export --progress json > /dev/null")
    for line in outcome.errors.split(separator: "\n") where line.hasPrefix("{") {
      #expect(
        line.contains("\"step\":\"import\"") || line.contains("\"step\":\"export\""), "\(line)")
    }
    #expect(outcome.code == 0)
  }
}
