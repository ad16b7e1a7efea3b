import Basics
import TestSupport
import Testing

private typealias Key = TerminalProgram.Key

/// Features of the prompt beyond the commands of the shell (M15), as a user sees them.
@Suite struct PromptTests {
  /// A program whose store has five records, two types and a reference.
  private static func library() throws -> RealProgram {
    let program = try RealProgram()
    let made = try program.shell(
      """
      ckdb init -q && ckdb container create iCloud.org.example.app -q \
      && ckdb record save Author --name asimov -q name='Isaac Asimov' born:=1920 \
      && for n in 1 2 3 4; do ckdb record save Book --name b$n -q title="Foundation $n" \
      pages:=$((n * 100)) author:reference=asimov; done
      """)
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  /// The program at its prompt on a terminal without colors.
  private static func terminal(
    columns: UInt16 = 80, _ program: RealProgram? = nil, variables: [String: String] = [:]
  ) throws -> TerminalProgram {
    let program = try program ?? library()
    var all = ["NO_COLOR": "1", "PAGER": "sed s/^/P:/", "EDITOR": "false"]
    all.merge(variables) { $1 }
    let terminal = try TerminalProgram(program, columns: columns, variables: all)
    try terminal.expectPrompt()
    return terminal
  }

  /// The lines that a command prints on a clear screen, without the time.
  private func lines(
    _ command: String, _ terminal: TerminalProgram, columns: Int = 80
  ) throws -> [String] {
    try terminal.type(Key.clear)
    try terminal.enter(command)
    try terminal.expect("\n")
    try terminal.expectPrompt()
    let typed = "iCloud.org.example.app:private> \(command)"
    return terminal.lines(columns: columns).dropLast()
      .dropFirst((typed.count + columns - 1) / columns)
      .map { $0.replacing(/\ · \d+(\.\d)? m?s/, with: "") }
  }

  @Test("the prompt leaves half of a narrow terminal for the command", arguments: [40, 20])
  func narrow(_ columns: Int) throws {
    let program = try Self.library()
    let terminal = try TerminalProgram(
      program, columns: UInt16(columns), variables: ["NO_COLOR": "1"])
    try terminal.expect(columns == 40 ? "app:private> " : "ckdb> ")
  }

  // MARK: Pages and tables

  @Test(".next shows the next page, until the last one", arguments: [40, 80, 200])
  func pages(_ columns: Int) throws {
    let terminal = try Self.terminal(columns: UInt16(columns))
    let header = ["recordName  pages", "----------  -----"]
    #expect(
      try lines("query Book --fields pages --limit 3", terminal, columns: columns) == header
        + [
          "b1            100", "b2            200", "b3            300", "3 records · more: .next",
        ])
    #expect(
      try lines(".next", terminal, columns: columns) == header
        + ["b4            400", "1 record"])
    #expect(
      try lines(".next", terminal, columns: columns).joined(separator: " ").contains(
        "there is no next page"))
  }

  @Test("help of the prompt's own commands shows them as the user types them (M15)")
  func helpOfPromptCommands() throws {
    let terminal = try Self.terminal(columns: 80)
    let help = try lines(".next -h", terminal, columns: 80)
    #expect(help.contains("Usage: .next"))
    #expect(help.contains("See '.next --help' for everything."))
  }

  @Test("--expand shows the target of a reference", arguments: [40, 80, 200])
  func expansion(_ columns: Int) throws {
    let terminal = try Self.terminal(columns: UInt16(columns))
    let reference = "author: {\"recordName\":\"asimov\",\"action\":\"NONE\"}"
    #expect(
      try lines("record fetch b1 -f line --expand author", terminal, columns: columns)
        == ["recordName: b1"] + reference.cut(to: columns)
        + ["pages: 100", "title: Foundation 1", "author.born: 1920", "author.name: Isaac Asimov"])
  }

  @Test("--facet counts by value, with bars", arguments: [40, 80, 200])
  func facets(_ columns: Int) throws {
    let terminal = try Self.terminal(columns: UInt16(columns))
    let bar = String(repeating: "█", count: columns == 40 ? 23 : 30)
    #expect(
      try lines("query Book --facet author", terminal, columns: columns).suffix(2) == [
        "asimov        4  \(bar)", "1 value",
      ])
  }

  @Test("record tree shows the descendants of a record")
  func tree() throws {
    let terminal = try Self.terminal()
    #expect(
      try lines("record tree asimov --references", terminal) == [
        "asimov (Author)", "├── b1 (Book) by author", "├── b2 (Book) by author",
        "├── b3 (Book) by author", "└── b4 (Book) by author",
      ])
  }

  @Test("output that is longer than the screen goes to the pager, other output does not")
  func pager() throws {
    let terminal = try Self.terminal()
    #expect(try lines("record list Book -f names", terminal) == ["b1", "b2", "b3", "b4"])
    try terminal.enter("help query")
    try terminal.expect("P:Usage: ckdb query")
    try terminal.expectPrompt()
    try terminal.enter(".pager off")
    try terminal.expectPrompt()
    try terminal.enter("help query")
    try terminal.expect("\nUsage: ckdb query")
    try terminal.expectPrompt()
  }

  @Test("without PAGER long output goes to the screen; one that cannot run is reported and off")
  func withoutPager() throws {
    let program = try Self.library()
    let plain = try Self.terminal(program, variables: ["PAGER": ""])
    try plain.enter("help query")
    try plain.expect("See also: ckdb help predicates")
    try plain.expectPrompt()
    #expect(try lines(".pager", plain) == ["off"])
    try plain.enter(".pager on")
    try plain.expect("no pager is set")
    let broken = try Self.terminal(program, variables: ["PAGER": "no-such-pager"])
    try broken.enter("help query")
    try broken.expect("the pager cannot be run: PAGER is 'no-such-pager'")
    try broken.expectPrompt()
    try broken.enter("help query")
    try broken.expect("See also: ckdb help predicates")
    try broken.expectPrompt()
  }

  @Test("a signal that ends the prompt ends it even during its pager")
  func pagerSignals() throws {
    let program = try Self.library()
    let terminal = try Self.terminal(
      program,
      variables: ["PAGER": "cat > /dev/null; touch \(program.directory.path)/read; sleep 100"])
    try terminal.enter("help query")
    while try program.shell("test -e read").code != 0 { Platform.sleep(milliseconds: 20) }
    terminal.send(15)
    #expect(try terminal.expectEnd() == .code(143))
  }

  @Test("a failed write to the file of .output is reported")
  func fullOutput() throws {
    let terminal = try Self.terminal()
    try terminal.enter(".output /dev/full")
    try terminal.expectPrompt()
    try terminal.enter("record list Book; .output stdout")
    try terminal.expect("No space left on device")
    try terminal.expectPrompt()
    #expect(try lines("record list Author -f names", terminal) == ["asimov"])
  }

  @Test("results go to a file until '.output stdout'; messages do not")
  func output() throws {
    let program = try Self.library()
    let terminal = try Self.terminal(program)
    let file = program.directory.path + "/names"
    for line in [
      ".output \(file)", "record list Book -f names", "record save Book --name b5", ".output",
      ".output stdout", ".output",
    ] {
      try terminal.enter(line)
      try terminal.expectPrompt()
    }
    #expect(terminal.screen.contains("saved Book b5"))
    #expect(terminal.screen.contains("\(file)\n") && terminal.screen.contains("stdout\n"))
    #expect(try program.shell("cat names").output == "b1\nb2\nb3\nb4\n")
    #expect(try lines("record list Author -f names", terminal) == ["asimov"])
  }

  @Test(".format alone says the format, and auto is the usual one")
  func format() throws {
    let terminal = try Self.terminal()
    #expect(try lines(".format", terminal) == ["auto"])
    #expect(try lines(".format names", terminal) == [])
    #expect(try lines("record list Author", terminal) == ["asimov"])
    #expect(try lines(".format", terminal) == ["names"])
    #expect(try lines(".format auto", terminal) == [])
    #expect(try lines(".format", terminal) == ["auto"])
  }

  @Test("a line pasted from a shell or a page runs, and completes")
  func pasted() throws {
    let terminal = try Self.terminal()
    #expect(try lines("ckdb record list Author -f names", terminal) == ["asimov"])
    #expect(try lines("$ ckdb record list Author -f names", terminal) == ["asimov"])
    try terminal.type("ckdb record list Auth" + Key.tab)
    try terminal.expect("ckdb record list Author ")
  }

  @Test(".timer shows the time of each command")
  func timer() throws {
    let terminal = try Self.terminal()
    try terminal.enter(".timer on")
    try terminal.expectPrompt()
    try terminal.enter("record save Book --name b5")
    let shown = try terminal.expectPrompt()
    #expect(shown.contains(/\n\d+(\.\d)? ms\n/), "\(shown)")
    try terminal.enter(".timer off")
    try terminal.expectPrompt()
    try terminal.enter("record list Author")
    #expect(try terminal.expectPrompt().contains("1 record\n"))
  }

  // MARK: The shell

  @Test("| pipes a command's output to the shell, ! runs a shell command")
  func shell() throws {
    let terminal = try Self.terminal()
    #expect(
      try lines("record list Book -f names | sort -r | head -n 2", terminal) == ["b4", "b3"])
    #expect(try lines("record list Book --json | wc -l", terminal) == ["4"])
    #expect(try lines("!echo $((6 * 7)); exit 3", terminal) == ["42", "exit code 3"])
    // A reader that ends early ends the command, but not the prompt.
    #expect(try lines("record list | head -n 1 | cut -c 1-10", terminal) == ["recordName"])
  }

  @Test(".edit runs the text that the editor saved, and nothing if it is unchanged")
  func editing() throws {
    let program = try Self.library()
    let editor = "sed -i s/Book/Author/"
    let terminal = try Self.terminal(program, variables: ["EDITOR": editor, "VISUAL": ""])
    #expect(try lines("record list Book -f names", terminal).count == 4)
    #expect(try lines(".edit", terminal) == ["asimov"])
    #expect(try lines(".edit", terminal) == ["unchanged, not run"])
  }

  @Test(".watch repeats a command until ^C")
  func watching() throws {
    let program = try Self.library()
    let terminal = try Self.terminal(program)
    try terminal.enter(".watch 0.1 query Book --count")
    try terminal.expect("4\n")
    _ = try program.shell("ckdb record save Book --name new -q")
    try terminal.expect("5\n")
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    #expect(try lines("query Author --count", terminal).last == "1")
  }

  // MARK: Lines

  @Test("an open quote or bracket continues on the next line, and is one entry of the history")
  func continuation() throws {
    let program = try Self.library()
    let terminal = try Self.terminal(program)
    try terminal.enter("query Book \"pages > 100")
    try terminal.expect("...> ")
    try terminal.enter("AND pages < 300\" -f names")
    try terminal.expect("b2\n")
    try terminal.expectPrompt()
    try terminal.enter("record save Note --name n l:=[1,")
    try terminal.expect("...> ")
    try terminal.enter("  2]")
    try terminal.expect("saved Note n")
    try terminal.expectPrompt()
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
    #expect(try program.shell("wc -l < history").output == "3\n")
    let again = try Self.terminal(program)
    try again.type(Key.up + Key.up + Key.up + Key.enter)
    try again.expect("b2\n")
    try again.expectPrompt()
  }

  @Test("Tab completes within a predicate", arguments: [40, 80, 200])
  func predicates(_ columns: Int) throws {
    let terminal = try Self.terminal(columns: UInt16(columns))
    try terminal.type("query Book \"pag" + Key.tab + "> 100 A" + Key.tab + "author.na" + Key.tab)
    try terminal.expect("name ")
    try terminal.type("BEG" + Key.tab + "'Isaac A" + Key.tab)
    try terminal.expect("BEGINSWITH ")
    try terminal.type("'\" -f names" + Key.enter)
    try terminal.expectPrompt()
    let shown = terminal.lines(columns: columns).joined()
    #expect(shown.contains("\"pages > 100 AND author.name BEGINSWITH 'Isaac A'\" -f names"))
    #expect(shown.contains("b2b3b4"))
  }

  // MARK: Settings

  @Test("the prompt's text is a setting; production has its own color")
  func text() throws {
    let program = try Self.library()
    let settings = program.directory.path + "/config"
    let set = try program.shell(
      "XDG_CONFIG_HOME=\(settings) ckdb config set prompt '{database}{mark} {environment}private> '"
    )
    try #require(set.code == 0, "\(set.errors)")
    let variables = ["XDG_CONFIG_HOME": settings, "NO_COLOR": "", "PAGER": "cat"]
    let terminal = try TerminalProgram(program, variables: variables)
    try terminal.expect("private developmentprivate> ")
    #expect(!terminal.hasColor("1;35"))
    try terminal.enter("use -e production")
    try terminal.expect("private productionprivate> ")
    #expect(terminal.hasColor("1;35"))
  }

  @Test("devices sync after each command of the prompt, unless that is turned off")
  func automatic() throws {
    let program = try Self.library()
    let made = try program.shell("ckdb device add phone -q && ckdb device add pad -q")
    try #require(made.code == 0, "\(made.errors)")
    let terminal = try Self.terminal(program)
    try terminal.enter("kvs set level:=13 --device phone")
    try terminal.expectPrompt()
    #expect(try lines("kvs get level --device pad", terminal) == ["13"])
    let other = try Self.terminal(program, variables: ["CKDB_AUTO": "0"])
    try other.enter("kvs set level:=14 --device phone")
    try other.expectPrompt()
    #expect(try lines("kvs get level --device pad", other) == ["13"])
    // Commands of the shell do not sync.
    _ = try program.shell("ckdb kvs set level:=15 --device phone -q")
    #expect(try program.shell("ckdb kvs get level --device pad").output == "13\n")
  }

  // MARK: Transactions

  @Test("commands between begin and commit are one transaction, marked in the prompt")
  func committing() throws {
    let program = try Self.library()
    let terminal = try Self.terminal(program)
    for line in ["begin", "record save Book --name b5", "record delete b1"] {
      try terminal.enter(line)
      try terminal.expect("private*> ")
    }
    #expect(try program.shell("ckdb record list Book -f names").output == "b1\nb2\nb3\nb4\n")
    let waiting = try program.shell("ckdb record save Book --wait 0.1")
    #expect(waiting.code == 75 && waiting.errors.contains("process"), "\(waiting)")
    for refused in ["snapshot save x", "container list", "store compact", "schema reset"] {
      try terminal.enter(refused)
      try terminal.expect("does not work in a transaction")
    }
    try terminal.enter("record list Book -f names -e production")
    try terminal.expect("the open transaction is in")
    try terminal.enter("commit")
    try terminal.expect("committed")
    try terminal.expectPrompt()
    #expect(try program.shell("ckdb record list Book -f names").output == "b2\nb3\nb4\nb5\n")
    #expect(try program.shell("ckdb doctor --deep").code == 0)
  }

  /// Ways in which a transaction ends without a commit.
  enum Ending: CaseIterable { case rollback, endOfInput, quit, termination, kill }

  @Test("an uncommitted transaction is rolled back", arguments: Ending.allCases)
  func rollingBack(_ ending: Ending) throws {
    let program = try Self.library()
    let terminal = try Self.terminal(program)
    try terminal.enter("begin")
    try terminal.expect("private*> ")
    try terminal.enter("record delete b1")
    try terminal.expect("deleted 1 record")
    try terminal.expect("private*> ")
    switch ending {
    case .rollback:
      try terminal.enter("rollback")
      try terminal.expect("rolled back")
      try terminal.expectPrompt()
    case .endOfInput:
      try terminal.type(Key.end)
      #expect(try terminal.expectEnd() == .code(0))
    case .quit:
      try terminal.enter("quit")
      #expect(try terminal.expectEnd() == .code(0))
    case .termination:
      terminal.send(15)
      #expect(try terminal.expectEnd() == .code(143))
    case .kill:
      terminal.send(9)
      #expect(try terminal.expectEnd() == .signal(9))
    }
    #expect(try program.shell("ckdb record list Book -f names").output == "b1\nb2\nb3\nb4\n")
    #expect(try program.shell("ckdb record save Book --name after --wait 1").code == 0)
  }

  @Test("an idle transaction is rolled back after some time; the line being typed stays")
  func idling() throws {
    let program = try Self.library()
    let settings = program.directory.path + "/config"
    _ = try program.shell("XDG_CONFIG_HOME=\(settings) ckdb config set transaction.idleSeconds 1")
    let terminal = try Self.terminal(program, variables: ["XDG_CONFIG_HOME": settings])
    try terminal.enter("begin; record delete b1")
    try terminal.expect("private*> ")
    try terminal.type("record list Bo")
    try terminal.expect("rolled back the transaction after 1 idle second")
    try terminal.expect("private> record list Bo")
    try terminal.type("ok -f names" + Key.enter)
    try terminal.expect("b1\n")
    try terminal.expectPrompt()
  }
}

extension String {
  /// The text in lines of at most `length` characters.
  fileprivate func cut(to length: Int) -> [String] {
    count <= length ? [self] : [String(prefix(length))] + String(dropFirst(length)).cut(to: length)
  }
}
