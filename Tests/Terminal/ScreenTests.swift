import Basics
import Glibc
import TestSupport
import Testing

private typealias Key = TerminalProgram.Key

/// The program's output at a terminal, and its input of lines (M4.1, M15).
@Suite struct ScreenTests {
  private static let wide = String(repeating: "w", count: 150)

  @Test("tables follow the current width of the terminal; COLUMNS counts only until a resize")
  func resizing() throws {
    let program = try RealProgram.seeded()
    _ = try program.shell("ckdb record save Wide --name w -q text=\(Self.wide)")
    for variables in [[:], ["COLUMNS": "60"]] {
      let terminal = try TerminalProgram(program, variables: variables)
      try terminal.expectPrompt()
      for columns in [nil, 40, 200] as [UInt16?] {
        if let columns { try terminal.resize(columns: columns) }
        try terminal.enter("query Wide")
        try terminal.expect("query Wide\n")
        let lines = try terminal.expect("1 record").split(separator: "\n")
        let expected = columns ?? (variables.isEmpty ? 80 : 60)
        let widest = lines.map(\.count).max() ?? 0
        #expect(expected == 200 ? widest > 150 : widest == expected, "\(lines)")
        try terminal.expectPrompt()
      }
      // A program that starts now gets the original environment.
      try terminal.enter("exec --keep never -- sh -c 'echo \"[$COLUMNS]\"'")
      try terminal.expect("[\(variables["COLUMNS"] ?? "")]\n")
    }
  }

  @Test("a resize while the user types, or a command runs, loses nothing")
  func resizingMeanwhile() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    try terminal.type("zone list -f")
    try terminal.expect("zone list -f")
    try terminal.resize(columns: 120)
    try terminal.enter(" names")
    try terminal.expect("_defaultZone")
    try terminal.expectPrompt()
    try terminal.enter(RealProgram.slowQuery)
    try terminal.expect("> 0'")
    try terminal.resize(columns: 90)
    try terminal.expectWork()
    try terminal.type(Key.interrupt)
    try terminal.expect("interrupted")
    try terminal.expectPrompt()
  }

  @Test("texts never move the cursor, in any format; a cut list briefly says how to continue")
  func hostileText() throws {
    let program = try RealProgram.seeded()
    _ = try program.shell(
      """
      printf '{"recordType":"Bad","fields":{"t":"a\\u001b[31mb"}}\n%.0s' $(seq 101) > bad.jsonl
      ckdb import bad.jsonl -q
      """)
    for format in ["table", "line", "csv", "tsv", "raw", "json"] {
      let words = ["query", "Bad", "--fields", "t", "--limit", "1", "-f", format]
      let terminal = try TerminalProgram(program, words, variables: ["NO_COLOR": "1"])
      #expect(try terminal.expectEnd() == .code(0))
      #expect(!terminal.hasEscapes, "\(format)")
      #expect(terminal.screen.contains("more: --all"), "\(terminal.screen)")
    }
    let piped = try program.shell("ckdb query Bad --limit 1 -f names")
    #expect(piped.errors.hasPrefix("cursor: 1."))
    let verbose = try TerminalProgram(
      program, ["query", "Bad", "--limit", "1", "-v", "-f", "names"])
    #expect(try verbose.expectEnd() == .code(0))
    #expect(verbose.screen.contains("cursor: 1."))
  }

  @Test("a table on a terminal has the first 100 records and says how to continue; a file has all")
  func firstPage() throws {
    let program = try RealProgram.seeded()
    _ = try program.shell(
      """
      for i in $(seq 100 204); do echo '{"fields":{"t":"x'$i'"}}'; done | ckdb import Many - -q
      """)
    let terminal = try TerminalProgram(program, ["query", "Many", "--sort", "t"], variables: [:])
    #expect(try terminal.expectEnd() == .code(0))
    #expect(terminal.screen.contains("x199") && !terminal.screen.contains("x200"))
    #expect(terminal.screen.contains("more: --all"), "\(terminal.screen)")
    let filed = try program.shell("ckdb query Many -f table > file; grep -c x file")
    #expect(filed.output.hasPrefix("105") && filed.errors.isEmpty, "\(filed)")
  }

  @Test("the commands of one line write their output and errors in order")
  func order() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    try terminal.enter("bogus; zone list -f names; zone create Q")
    try terminal.expect("unknown command 'bogus'")
    try terminal.expect("_defaultZone")
    try terminal.expect("created zone Q")
    try terminal.expectPrompt()
  }

  @Test("a dumb terminal gets no escape sequences")
  func dumb() throws {
    let program = try RealProgram.seeded()
    let terminal = try TerminalProgram(program, variables: ["TERM": "dumb"])
    try terminal.expectPrompt()
    try terminal.enter("record list -z Z -f names")
    try terminal.expect("n1")
    try terminal.expectPrompt()
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
    #expect(!terminal.hasEscapes)
  }

  // MARK: Editing

  @Test("Tab completes commands, options, and names of the store")
  func completion() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    try terminal.type("zone sh" + Key.tab)
    try terminal.expect("zone show ")
    try terminal.type(Key.tab)
    // All zones, since nothing distinguishes them.
    try terminal.type(Key.tab)
    try terminal.expect("_defaultZone")
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    try terminal.type("record fetch n" + Key.tab + "--zo" + Key.tab + "Z\r")
    try terminal.expectPrompt()
    try terminal.type("record list No" + Key.tab + "-z Z -f names\r")
    try terminal.expect("record list Note -z Z -f names")
    try terminal.expect("n1")
    try terminal.expectPrompt()
    // Names come from the store by their prefixes, however many there are.
    let names = (1...300).map {
      "{\"recordName\":\"m\($0)\",\"recordType\":\"Note\",\"fields\":{}}"
    }
    try program.file("names.jsonl", names.joined(separator: "\n"))
    #expect(try program.shell("ckdb import names.jsonl -q").code == 0)
    try terminal.type("record fetch m29" + Key.tab + Key.tab)
    try terminal.expect("m299")
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    try terminal.type("qu" + Key.tab + Key.interrupt)
    try terminal.expectPrompt()
  }

  @Test("the history is kept, also that of another session at the same time")
  func history() throws {
    let program = try RealProgram.seeded()
    let (one, other) = (try program.prompt(), try program.prompt())
    try one.enter("zone list -f names")
    try one.expectPrompt()
    try other.enter("record list -z Z -f names")
    try other.expectPrompt()
    try other.enter(" secret not kept")
    try other.expectPrompt()
    try one.enter("quit")
    try other.enter("quit")
    _ = try (one.expectEnd(), other.expectEnd())
    #expect(
      try program.shell("sort history").output
        == "quit\nquit\nrecord list -z Z -f names\nzone list -f names\n")
    #expect(try program.shell("stat -c %a history").output == "600\n")
    let next = try program.prompt()
    try next.type(Key.up + Key.up + Key.up + Key.up + Key.enter)
    try next.expect("_defaultZone")
    try next.expectPrompt()
  }

  @Test("several pasted lines run one after another, with or without the terminal's marks")
  func pasting() throws {
    let program = try RealProgram.seeded()
    let lines = (1...5).map { "zone create P\($0)" }
    let terminal = try program.prompt()
    try terminal.paste(lines.joined(separator: "\n"))
    try terminal.expect("create P5")
    try terminal.type(Key.enter)
    for number in 1...5 { try terminal.expect("created zone P\(number)") }
    try terminal.expectPrompt()
    try terminal.type(lines.map { $0.replacing("P", with: "Q") + "\r" }.joined())
    for number in 1...5 {
      try terminal.expect("created zone Q\(number)")
      try terminal.expectPrompt()
    }
    // A text of several lines is one word.
    try terminal.paste("record save Note --name two title='a\nb'")
    try terminal.type(Key.enter)
    try terminal.expect("saved Note two")
    try terminal.expectPrompt()
    #expect(
      try program.shell("ckdb record fetch two --fields title -f raw").output == "a\nb\n")
    // ^C discards the whole paste, not only its first line.
    try terminal.paste("\(RealProgram.slowQuery)\nzone create Never")
    try terminal.type(Key.enter)
    try terminal.expect("Never\n")
    try terminal.expectWork()
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    #expect(try !program.shell("ckdb zone list -f names").output.contains("Never"))
  }

  @Test("a suspended program continues with the line that was typed")
  func suspending() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    try terminal.type("zone list")
    try terminal.expect("zone list")
    terminal.send(SIGTSTP)
    try terminal.expectStop()
    terminal.send(SIGCONT)
    try terminal.type(" -f names\r")
    try terminal.expect("_defaultZone")
    try terminal.expectPrompt()
  }
}
