import Basics
import Glibc
import TestSupport
import Testing

private typealias Key = TerminalProgram.Key

/// The program at a terminal (issue 19): what a person does, times where the program is.
@Suite struct TerminalTests {
  /// A store with a zone `Z` that has a record, and a record whose list takes long to search.
  private static func seeded() throws -> RealProgram {
    let program = try RealProgram()
    let numbers = (0..<20_000).map(String.init).joined(separator: ",")
    try program.file("slow.jsonl", "{\"recordType\":\"Slow\",\"fields\":{\"l\":[\(numbers)]}}\n")
    let made = try program.shell(
      """
      ckdb init -q && ckdb container create iCloud.org.example.app -q && ckdb zone create Z -q \
      && ckdb record save Note --name n1 -z Z -q title=one && ckdb import slow.jsonl -q
      """)
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  /// Compares each member with each: minutes.
  private static let slowQuery = "query Slow 'SUBQUERY(l, $x, ANY l < $x - 99999).@count > 0'"

  private func prompt(_ program: RealProgram) throws -> TerminalProgram {
    let terminal = try TerminalProgram(program)
    try terminal.expectPrompt()
    return terminal
  }

  private func hasZone(_ program: RealProgram) throws -> Bool {
    try program.shell("ckdb zone list -f names").output.contains("Z\n")
  }

  // MARK: Confirming

  /// What somebody answers, whether it is done, and the exit code.
  private static let answers: [(answer: String, isDone: Bool, code: Int32)] = [
    ("y\r", true, 0), ("yes\r", true, 0), ("Y\r", true, 0), ("n\r", false, 1), ("\r", false, 1),
    ("nonsense\r", false, 1), (Key.end, false, 1), ("y" + Key.end + Key.end, true, 0),
    (Key.interrupt, false, 130),
  ]

  /// Commands that ask, and the question's last word.
  private static let questions = [
    "zone delete Z", "container delete iCloud.org.example.app", "schema reset",
    "schema drop Note", "record delete --where Note TRUEPREDICATE -z Z",
  ]

  @Test("a question takes y and yes for yes; all else, the end and ^C leave things as they are")
  func answering() throws {
    let program = try Self.seeded()
    for (answer, isDone, code) in Self.answers {
      let terminal = try TerminalProgram(program, ["zone", "delete", "Z"])
      try terminal.expect("[y/N] ")
      try terminal.type(answer)
      #expect(try terminal.expectEnd() == .code(code), "\(answer.debugDescription)")
      #expect(try hasZone(program) != isDone, "\(answer.debugDescription)")
      if isDone {
        _ = try program.shell(
          "ckdb zone create Z -q; ckdb record save Note -z Z -q --name n1 title=one")
      }
    }
  }

  @Test("every command that asks survives both answers", arguments: questions)
  func asking(_ line: String) throws {
    let program = try Self.seeded()
    for answer in ["n\r", "y\r"] {
      let words = line.split(separator: " ").map(String.init)
      let terminal = try TerminalProgram(program, words)
      try terminal.expect("[y/N] ")
      try terminal.type(answer)
      #expect(try terminal.expectEnd() == .code(answer == "y\r" ? 0 : 1), "\(terminal.screen)")
    }
  }

  @Test("signals end a question: nothing is done", arguments: [SIGTERM, SIGHUP])
  func signalWhileConfirming(_ number: Int32) throws {
    let program = try Self.seeded()
    for words in [["zone", "delete", "Z"], ["-c", "zone delete Z; zone list"], []] {
      let terminal = try TerminalProgram(program, words)
      if words.isEmpty {
        try terminal.expectPrompt()
        try terminal.enter("zone delete Z")
      }
      try terminal.expect("[y/N] ")
      terminal.send(number)
      #expect(try terminal.expectEnd() == .code(128 + number), "\(words)")
      #expect(try hasZone(program))
    }
  }

  @Test("-c asks, too, and ends at the first refusal")
  func confirmingInBatch() throws {
    let program = try Self.seeded()
    for (answer, code) in [("n\r", 1), (Key.end, 1), (Key.interrupt, 130)] as [(String, Int32)] {
      let terminal = try TerminalProgram(program, ["-c", "zone delete Z; zone create Never"])
      try terminal.expect("[y/N] ")
      try terminal.type(answer)
      #expect(try terminal.expectEnd() == .code(code))
      #expect(try !program.shell("ckdb zone list -f names").output.contains("Never"))
    }
    let terminal = try TerminalProgram(program, ["-c", "zone delete Z; zone create Then"])
    try terminal.expect("[y/N] ")
    try terminal.type("y\r")
    #expect(try terminal.expectEnd() == .code(0))
    #expect(try program.shell("ckdb zone list -f names").output == "Then\n_defaultZone\n")
  }

  @Test("at the prompt an answer is an answer, and the next line a command")
  func confirmingAtPrompt() throws {
    let program = try Self.seeded()
    let terminal = try prompt(program)
    for answer in ["n\r", Key.end, Key.interrupt] {
      try terminal.enter("zone delete Z")
      try terminal.expect("[y/N] ")
      try terminal.type(answer)
      try terminal.expectPrompt()
      #expect(try hasZone(program))
    }
    try terminal.enter("zone delete Z")
    try terminal.expect("[y/N] ")
    try terminal.resize(columns: 100)
    try terminal.type("y\r")
    try terminal.expectPrompt()
    #expect(try !hasZone(program))
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
  }

  @Test("an answer that is typed ahead is taken, and nothing behind it")
  func answerTypedAhead() throws {
    let program = try Self.seeded()
    let terminal = try prompt(program)
    try terminal.type("zone delete Z\ry\rzone create Typed\r")
    try terminal.expect("[y/N] ")
    try terminal.expectPrompt()
    try terminal.expectPrompt()
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
    #expect(try program.shell("ckdb zone list -f names").output == "Typed\n_defaultZone\n")
  }

  // MARK: ^C, ^D and signals

  @Test("^C gives up the line that is typed, never the prompt, and eats nothing")
  func interruptWhileTyping() throws {
    let program = try Self.seeded()
    let terminal = try prompt(program)
    for _ in 0..<3 {
      try terminal.type(Key.interrupt)
      try terminal.expectPrompt()
    }
    try terminal.type("abc")
    try terminal.expect("abc")
    try terminal.type(Key.interrupt)
    #expect(try terminal.expectPrompt().hasPrefix("^C\n"))
    try terminal.enter("zone list -f names")
    try terminal.expect("_defaultZone")
    try terminal.expectPrompt()
    // Within a quote, and within a search of the history.
    try terminal.enter("record save Note title='half")
    try terminal.expect("...> ")
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    try terminal.type("\u{12}zone")
    try terminal.expect("list")
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    try terminal.enter("record list Note -z Z -f names")
    try terminal.expect("n1")
    try terminal.expectPrompt()
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
  }

  @Test("^C stops a running command at once; the next command runs")
  func interruptWhileRunning() throws {
    let program = try Self.seeded()
    let terminal = try prompt(program)
    for _ in 0..<2 {
      try terminal.enter(Self.slowQuery)
      try terminal.expect("> 0'")
      Platform.sleep(milliseconds: 300)
      try terminal.type(Key.interrupt)
      #expect(try terminal.expectPrompt().contains("ckdb: error: interrupted"))
      try terminal.enter("zone list -f names")
      try terminal.expect("_defaultZone")
      try terminal.expectPrompt()
    }
    try terminal.type(Key.end)
    #expect(try terminal.expectEnd() == .code(0))
  }

  @Test("^C ends a command, and -c with all of its commands: 130")
  func interruptOutsideOfPrompt() throws {
    let program = try Self.seeded()
    let lines = "\(Self.slowQuery); zone create Never"
    for words in [["-c", lines], ["--keep-going", "-c", lines]] {
      let terminal = try TerminalProgram(program, words)
      Platform.sleep(milliseconds: 500)
      try terminal.type(Key.interrupt)
      #expect(try terminal.expectEnd() == .code(130))
      #expect(try !program.shell("ckdb zone list -f names").output.contains("Never"))
    }
  }

  @Test("^C while another process writes: the wait ends, and the prompt goes on")
  func interruptWhileWaiting() throws {
    let program = try Self.seeded()
    let lock = try FileHandle(
      open: program.directory.path
        + "/store/containers/iCloud.org.example.app/development/lock", O_RDWR)
    flock(lock.descriptor, LOCK_EX)
    let terminal = try prompt(program)
    try terminal.enter("record save Note --name waits title=x")
    try terminal.expect("title=x")
    Platform.sleep(milliseconds: 200)
    try terminal.type(Key.interrupt)
    try terminal.expect("interrupted")
    try terminal.expectPrompt()
    flock(lock.descriptor, LOCK_UN)
    try terminal.enter("record save Note --name after title=x")
    try terminal.expect("saved Note after")
    try terminal.expectPrompt()
    try terminal.enter("record fetch waits")
    try terminal.expect("ckdb: error")
    try terminal.expectPrompt()
  }

  @Test(
    "SIGTERM and SIGHUP end the prompt wherever it is, and the history is there",
    arguments: [SIGTERM, SIGHUP], ["idle", "typing", "running"])
  func ending(_ number: Int32, _ place: String) throws {
    let program = try Self.seeded()
    let terminal = try prompt(program)
    try terminal.enter("zone list -f names")
    try terminal.expectPrompt()
    switch place {
    case "typing":
      try terminal.type("half a line")
      try terminal.expect("half a line")
    case "running":
      try terminal.enter(Self.slowQuery)
      try terminal.expect("> 0'")
      Platform.sleep(milliseconds: 300)
    default: break
    }
    terminal.send(number)
    #expect(try terminal.expectEnd() == .code(128 + number), "\(terminal.screen)")
    let history = try program.shell("cat history").output
    #expect(history.hasPrefix("zone list -f names\n"))
    #expect(try program.shell("ckdb doctor -q").code == 0)
  }

  @Test("^D ends the prompt on an empty line, deletes within one, and does not disturb a command")
  func endOfInput() throws {
    let program = try Self.seeded()
    var terminal = try prompt(program)
    try terminal.type("zone listx" + "\u{1B}[D" + Key.end + " -f names\r")
    try terminal.expect("_defaultZone")
    try terminal.expectPrompt()
    try terminal.type(Key.end)
    #expect(try terminal.expectEnd() == .code(0))
    // Within a quote.
    terminal = try prompt(program)
    try terminal.enter("record save Note title='half")
    try terminal.expect("...> ")
    try terminal.type(Key.end)
    #expect(try terminal.expectEnd() == .code(0))
  }

  // MARK: The screen

  private static let wide = String(repeating: "w", count: 150)

  @Test("tables follow the width that the terminal has now, COLUMNS only until it is resized")
  func resizing() throws {
    let program = try Self.seeded()
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
      // A program that is started now has the environment as it was.
      try terminal.enter("exec --keep never -- sh -c 'echo \"[$COLUMNS]\"'")
      try terminal.expect("[\(variables["COLUMNS"] ?? "")]\n")
    }
  }

  @Test("a resize while a line is typed, or a command runs, loses nothing")
  func resizingMeanwhile() throws {
    let program = try Self.seeded()
    let terminal = try prompt(program)
    try terminal.type("zone list -f")
    try terminal.expect("zone list -f")
    try terminal.resize(columns: 120)
    try terminal.enter(" names")
    try terminal.expect("_defaultZone")
    try terminal.expectPrompt()
    try terminal.enter(Self.slowQuery)
    try terminal.expect("> 0'")
    try terminal.resize(columns: 90)
    Platform.sleep(milliseconds: 200)
    try terminal.type(Key.interrupt)
    try terminal.expect("interrupted")
    try terminal.expectPrompt()
  }

  @Test("texts do not move the cursor, in any format; a cut list says how to go on in few words")
  func hostileText() throws {
    let program = try Self.seeded()
    _ = try program.shell(
      """
      printf '{"recordType":"Bad","fields":{"t":"a\\u001b[31mb"}}\n%.0s' $(seq 101) > bad.jsonl
      ckdb import bad.jsonl -q
      """)
    for format in ["table", "line", "csv", "tsv", "raw", "json"] {
      let words = ["query", "Bad", "--fields", "t", "--limit", "1", "-f", format]
      let terminal = try TerminalProgram(program, words)
      #expect(try terminal.expectEnd() == .code(0))
      #expect(!terminal.hasEscapes, "\(format)")
      #expect(terminal.screen.contains("more: --all"), "\(terminal.screen)")
    }
    let piped = try program.shell("ckdb query Bad --limit 1 -f names")
    #expect(piped.errors.hasPrefix("cursor: 1."))
    let verbose = try TerminalProgram(program, ["query", "Bad", "-v", "-f", "names"])
    #expect(try verbose.expectEnd() == .code(0))
    #expect(verbose.screen.contains("cursor: 1."))
  }

  @Test("a dumb terminal gets no escape sequences")
  func dumb() throws {
    let program = try Self.seeded()
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
    let program = try Self.seeded()
    let terminal = try prompt(program)
    try terminal.type("zone del" + Key.tab)
    try terminal.expect("zone delete ")
    try terminal.type(Key.tab)
    // All of its zones, as there is nothing to tell them apart by.
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
    // Names come from the store by their beginnings, however many there are.
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

  @Test("the history comes back, also that of another session side by side")
  func history() throws {
    let program = try Self.seeded()
    let (one, other) = (try prompt(program), try prompt(program))
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
    let next = try prompt(program)
    try next.type(Key.up + Key.up + Key.up + Key.up + Key.enter)
    try next.expect("_defaultZone")
    try next.expectPrompt()
  }

  @Test("several pasted lines run one after the other, marked by the terminal or not")
  func pasting() throws {
    let program = try Self.seeded()
    let lines = (1...5).map { "zone create P\($0)" }
    let terminal = try prompt(program)
    try terminal.paste(lines.joined(separator: "\n"))
    try terminal.expect("create P5")
    try terminal.type(Key.enter)
    for number in 1...5 { try terminal.expect("made zone P\(number)") }
    try terminal.expectPrompt()
    try terminal.type(lines.map { $0.replacing("P", with: "Q") + "\r" }.joined())
    for number in 1...5 {
      try terminal.expect("made zone Q\(number)")
      try terminal.expectPrompt()
    }
    // A text over several lines is one word.
    try terminal.paste("record save Note --name two title='a\nb'")
    try terminal.type(Key.enter)
    try terminal.expect("saved Note two")
    try terminal.expectPrompt()
    #expect(
      try program.shell("ckdb record fetch two --fields title -f raw").output == "a\nb\n")
    // ^C gives the paste up, not only its first line.
    try terminal.paste("\(Self.slowQuery)\nzone create Never")
    try terminal.type(Key.enter)
    try terminal.expect("Never\n")
    Platform.sleep(milliseconds: 300)
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    #expect(try !program.shell("ckdb zone list -f names").output.contains("Never"))
  }

  @Test("a program that is suspended goes on with the line that was typed")
  func suspending() throws {
    let program = try Self.seeded()
    let terminal = try prompt(program)
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
