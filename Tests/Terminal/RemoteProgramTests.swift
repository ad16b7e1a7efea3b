import Basics
import TestSupport
import Testing

/// How a batch or the prompt starts `ckdb-remote`: a stand-in prints its words, and the database
/// and the account that its variables name.
@Suite struct RemoteProgramTests {
  private static let standIn = """
    #!/bin/sh
    shift
    printf '[%s]' "$@"
    echo " $CKDB_DATABASE $CKDB_USER"
    """

  /// A folder with the program, the stand-in, and a remote; no variable names the store.
  private static func program() throws -> RealProgram {
    var program = try RealProgram()
    // A copy by this process would be busy while another test's child has it open for writing.
    let made = try program.shell(
      """
      cp '\(RealProgram.path)' ckdb && cat > ckdb-remote <<'END' && chmod 755 ckdb ckdb-remote
      \(standIn)
      END
      ckdb init -q && ckdb container create iCloud.org.example.app -q && echo token > token \
      && ckdb remote add lab --url https://lab.example -C iCloud.org.example.app \
      --api-token-file token && ckdb config set alias.get 'pull lab -v' -q
      """)
    try #require(made.code == 0, "\(made.errors)")
    program.variables["CKDB_STORE"] = ""
    return program
  }

  @Test(
    "the options before -c apply to each command that does not set its own (cli.md, §1)",
    arguments: [
      ("pull lab", "[--store=store][--database=public][--quiet][pull][lab]"),
      ("pull lab -d private", "[--store=store][--quiet][pull][lab][-d][private]"),
      ("pull --store=s -- lab", "[--database=public][--quiet][pull][--store=s][--][lab]"),
      ("get", "[--store=store][--database=public][--quiet][pull][lab][-v]"),
    ])
  func batches(_ line: String, _ words: String) throws {
    let program = try Self.program()
    let options = "--store store -d public -q"
    _ = try program.file("lines", line + "\n")
    for command in [
      "./ckdb \(options) -c '\(line)'", "./ckdb \(options) < lines", "./ckdb run \(options) lines",
    ] {
      let outcome = try program.shell(command)
      #expect(outcome.output == words + "  \n", "\(command): \(outcome.errors)")
    }
  }

  @Test("of options that are given at several levels, the innermost applies")
  func nested() throws {
    let program = try Self.program()
    try program.file("lines", "pull lab\n")
    let outcome = try program.shell(
      "./ckdb --store store -d private -q -c 'run -d public -q lines'")
    #expect(outcome.output == "[--store=store][--database=public][--quiet][pull][lab]  \n")
  }

  @Test("a command alone has no words but its own")
  func alone() throws {
    let outcome = try Self.program().shell("./ckdb get --store store -q")
    #expect(outcome.output == "[pull][lab][-v][--store][store][-q]  \n")
  }

  @Test("what use has chosen applies, but not where: a pull has places of its own")
  func prompt() throws {
    let program = try Self.program()
    let terminal = try TerminalProgram(
      program, shell: "cd && exec ./ckdb --store store",
      variables: ["CKDB_STORE": "", "NO_COLOR": "1"])
    try terminal.expectPrompt()
    try terminal.enter("use -d public -u bob --strict")
    try terminal.expect("public (bob)> ")
    try terminal.enter("pull lab")
    try terminal.expect("[--store=store][pull][lab]  bob")
  }

  @Test("results go where those of the prompt's other commands go")
  func output() throws {
    let program = try Self.program()
    let terminal = try TerminalProgram(
      program, shell: "cd && exec ./ckdb --store store",
      variables: ["CKDB_STORE": "", "NO_COLOR": "1"])
    try terminal.expectPrompt()
    try terminal.enter("remote diff lab | tr a-z A-Z")
    try terminal.expect("[REMOTE][DIFF][LAB]")
    try terminal.expectPrompt()
    try terminal.enter(".output results")
    try terminal.expectPrompt()
    try terminal.enter("remote diff lab")
    try terminal.expectPrompt()
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
    let results = try program.shell("cat results").output
    #expect(results == "[--store=store][remote][diff][lab]  \n")
  }
}
