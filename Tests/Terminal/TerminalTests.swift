import Basics
import Glibc
import TestSupport
import Testing

private typealias Key = TerminalProgram.Key

/// The program at a terminal (M15): every action of the user, at every state of the program.
@Suite struct TerminalTests {
  // MARK: Confirming

  /// Answers, whether the command is done, and the exit code.
  private static let answers: [(answer: String, isDone: Bool, code: Int32)] = [
    ("y\r", true, 0), ("yes\r", true, 0), ("Y\r", true, 0), ("n\r", false, 1), ("\r", false, 1),
    ("nonsense\r", false, 1), (Key.end, false, 1), ("y" + Key.end + Key.end, true, 0),
    (Key.interrupt, false, 130),
  ]

  /// Commands that ask, and the last word of the question.
  private static let questions = [
    "zone delete Z", "container delete iCloud.org.example.app", "schema reset",
    "schema drop Note", "record delete --where Note TRUEPREDICATE -z Z",
  ]

  @Test("a question takes y and yes as yes; any other answer, end of input and ^C change nothing")
  func answering() throws {
    let program = try RealProgram.seeded()
    for (answer, isDone, code) in Self.answers {
      let terminal = try TerminalProgram(program, ["zone", "delete", "Z"])
      try terminal.expect("[y/N] ")
      try terminal.type(answer)
      #expect(try terminal.expectEnd() == .code(code), "\(answer.debugDescription)")
      #expect(try program.hasZone() != isDone, "\(answer.debugDescription)")
      if isDone {
        _ = try program.shell(
          "ckdb zone create Z -q; ckdb record save Note -z Z -q --name n1 title=one")
      }
    }
  }

  @Test("a question takes the same answers in raw mode, where ^C and ^D are bytes (M6.130)")
  func answeringInRawMode() throws {
    let program = try RealProgram.seeded()
    for (answer, code) in [("n\r", 1), (Key.end, 1), (Key.interrupt, 130)] as [(String, Int32)] {
      let terminal = try TerminalProgram(program, ["zone", "delete", "Z"])
      try terminal.expect("[y/N] ")
      try terminal.makeRaw()
      try terminal.type(answer)
      #expect(try terminal.expectEnd() == .code(code), "\(answer.debugDescription)")
      #expect(try program.hasZone())
    }
  }

  @Test("^C ends a question even if the parent has blocked its signal (M6.130)")
  func answeringWithBlockedSignal() throws {
    let program = try RealProgram.seeded()
    let terminal = try TerminalProgram(program, ["zone", "delete", "Z"], blocking: [SIGINT])
    try terminal.expect("[y/N] ")
    try terminal.type(Key.interrupt)
    #expect(try terminal.expectEnd() == .code(130))
    #expect(try program.hasZone())
  }

  @Test("every command that asks works with both answers", arguments: questions)
  func asking(_ line: String) throws {
    let program = try RealProgram.seeded()
    for answer in ["n\r", "y\r"] {
      let words = line.split(separator: " ").map(String.init)
      let terminal = try TerminalProgram(program, words)
      try terminal.expect("[y/N] ")
      try terminal.type(answer)
      #expect(try terminal.expectEnd() == .code(answer == "y\r" ? 0 : 1), "\(terminal.screen)")
    }
  }

  @Test(
    "signals end a long output that is not read (M6.130, M6.143)", arguments: [SIGINT, SIGTERM],
    [["record", "list", "-z", "Z"], ["export"], ["changes", "zone", "-z", "Z"]])
  func signalWhileNobodyReads(_ number: Int32, _ words: [String]) throws {
    let program = try RealProgram.seeded()
    let lines = (0..<5000).map { "{\"recordName\":\"r\($0)\",\"title\":\"t\($0)\"}\n" }.joined()
    try program.file("long.jsonl", lines)
    _ = try program.shell("ckdb import Note long.jsonl -z Z -q --name-field recordName")
    let terminal = try TerminalProgram(program, words)
    try terminal.expectFullOutput()
    terminal.send(number)
    #expect(terminal.endsUnread())
    #expect(try terminal.expectEnd() == .code(128 + number), "\(words)")
  }

  @Test("signals end a question, and nothing is done", arguments: [SIGTERM, SIGHUP])
  func signalWhileConfirming(_ number: Int32) throws {
    let program = try RealProgram.seeded()
    for words in [["zone", "delete", "Z"], ["-c", "zone delete Z; zone list"], []] {
      let terminal = try TerminalProgram(program, words)
      if words.isEmpty {
        try terminal.expectPrompt()
        try terminal.enter("zone delete Z")
      }
      try terminal.expect("[y/N] ")
      terminal.send(number)
      #expect(try terminal.expectEnd() == .code(128 + number), "\(words)")
      #expect(try program.hasZone())
    }
  }

  @Test("-c asks, too, and ends at the first refusal")
  func confirmingInBatch() throws {
    let program = try RealProgram.seeded()
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

  @Test("a resize does not disturb a question; a Tab is not part of an answer")
  func disturbedQuestion() throws {
    let program = try RealProgram.seeded()
    let answers: [(String, Bool)] = [("\ty\r", false), ("n\r", false), ("y\r", true)]
    for words in [["zone", "delete", "Z"], ["-c", "zone delete Z"]] {
      for (answer, isDone) in answers {
        let terminal = try TerminalProgram(program, words)
        try terminal.expect("[y/N] ")
        try terminal.resize(columns: 100)
        try terminal.type(answer)
        #expect(try terminal.expectEnd() == .code(isDone ? 0 : 1), "\(words) \(answer)")
        #expect(try program.hasZone() != isDone)
      }
      _ = try program.shell("ckdb zone create Z -q; ckdb record save Note -z Z -q --name n1 n:=1")
    }
  }

  @Test("at the prompt the answer is only an answer, and the next line is a command")
  func confirmingAtPrompt() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    for answer in ["n\r", Key.end, Key.interrupt] {
      try terminal.enter("zone delete Z")
      try terminal.expect("[y/N] ")
      try terminal.type(answer)
      try terminal.expectPrompt()
      #expect(try program.hasZone())
    }
    try terminal.enter("zone delete Z")
    try terminal.expect("[y/N] ")
    try terminal.resize(columns: 100)
    try terminal.type("y\r")
    try terminal.expectPrompt()
    #expect(try !program.hasZone())
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
  }

  @Test("an answer that is typed ahead is accepted, and nothing after it")
  func answerTypedAhead() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    try terminal.type("zone delete Z\ry\rzone create Typed\r")
    try terminal.expect("[y/N] ")
    try terminal.expectPrompt()
    try terminal.expectPrompt()
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
    #expect(try program.shell("ckdb zone list -f names").output == "Typed\n_defaultZone\n")
  }

  // MARK: ^C, ^D and signals

  @Test("^C discards the line being typed, but does not end the prompt, and loses no input")
  func interruptWhileTyping() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
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
    try terminal.expect("e': zone")
    try terminal.type(Key.interrupt)
    try terminal.expectPrompt()
    try terminal.enter("record list Note -z Z -f names")
    try terminal.expect("n1")
    try terminal.expectPrompt()
    try terminal.enter("quit")
    #expect(try terminal.expectEnd() == .code(0))
  }

  @Test("^C stops a running command at once, and the next command runs")
  func interruptWhileRunning() throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    for _ in 0..<2 {
      try terminal.enter(RealProgram.slowQuery)
      try terminal.expect("> 0'")
      try terminal.expectWork()
      try terminal.type(Key.interrupt)
      #expect(try terminal.expectPrompt().contains("ckdb: error: interrupted"))
      try terminal.enter("zone list -f names")
      try terminal.expect("_defaultZone")
      try terminal.expectPrompt()
    }
    try terminal.type(Key.end)
    #expect(try terminal.expectEnd() == .code(0))
  }

  @Test("^C ends a command, and -c with all its commands: 130")
  func interruptOutsideOfPrompt() throws {
    let program = try RealProgram.seeded()
    let lines = "\(RealProgram.slowQuery); zone create Never"
    for words in [["-c", lines], ["--keep-going", "-c", lines]] {
      let terminal = try TerminalProgram(program, words)
      try terminal.expectWork()
      try terminal.type(Key.interrupt)
      #expect(try terminal.expectEnd() == .code(130))
      #expect(try !program.shell("ckdb zone list -f names").output.contains("Never"))
    }
  }

  @Test("SIGTERM and SIGHUP end -c with all its commands", arguments: [SIGTERM, SIGHUP])
  func endingBatch(_ number: Int32) throws {
    let program = try RealProgram.seeded()
    let lines = "zone list -f names; \(RealProgram.slowQuery); zone create Never"
    let terminal = try TerminalProgram(program, ["-c", lines])
    try terminal.expect("_defaultZone\n")
    try terminal.resize(columns: 60)
    try terminal.expectWork()
    terminal.send(number)
    #expect(try terminal.expectEnd() == .code(128 + number))
    #expect(try !program.shell("ckdb zone list -f names").output.contains("Never"))
  }

  @Test("input that is typed or pasted while a command runs comes after it")
  func typingAhead() throws {
    let program = try RealProgram.seeded()
    let lock = try program.lockedForWriting()
    let terminal = try program.prompt()
    try terminal.enter("zone create First")
    try terminal.expect("First\n")
    try terminal.expectOpen("development/lock")
    try terminal.type("zone create Second\rzone cre\t Third\r")
    try terminal.paste("zone create Fourth\nzone create Fi")
    flock(lock.descriptor, LOCK_UN)
    for name in ["First", "Second", "Third"] { try terminal.expect("created zone \(name)") }
    try terminal.enter("fth")
    for name in ["Fourth", "Fifth"] { try terminal.expect("created zone \(name)") }
    try terminal.expectPrompt()
  }

  @Test("^C while another process writes ends the wait, and the prompt continues")
  func interruptWhileWaiting() throws {
    let program = try RealProgram.seeded()
    let lock = try program.lockedForWriting()
    let terminal = try program.prompt()
    try terminal.enter("record save Note --name waits title=x")
    try terminal.expect("title=x")
    try terminal.expectOpen("development/lock")
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
    "SIGTERM and SIGHUP end the prompt in every state, and the history is saved",
    arguments: [SIGTERM, SIGHUP], ["idle", "typing", "running"])
  func ending(_ number: Int32, _ place: String) throws {
    let program = try RealProgram.seeded()
    let terminal = try program.prompt()
    try terminal.enter("zone list -f names")
    try terminal.expectPrompt()
    switch place {
    case "typing":
      try terminal.type("half a line")
      try terminal.expect("half a line")
    case "running":
      try terminal.enter(RealProgram.slowQuery)
      try terminal.expect("> 0'")
      try terminal.expectWork()
    default: break
    }
    terminal.send(number)
    #expect(try terminal.expectEnd() == .code(128 + number), "\(terminal.screen)")
    let history = try program.shell("cat history").output
    #expect(history.hasPrefix("zone list -f names\n"))
    #expect(try program.shell("ckdb doctor -q").code == 0)
  }

  @Test("^D ends the prompt on an empty line, deletes within a line, and leaves a command alone")
  func endOfInput() throws {
    let program = try RealProgram.seeded()
    var terminal = try program.prompt()
    try terminal.type("zone listx" + "\u{1B}[D" + Key.end + " -f names\r")
    try terminal.expect("_defaultZone")
    try terminal.expectPrompt()
    try terminal.type(Key.end)
    #expect(try terminal.expectEnd() == .code(0))
    // Within a quote.
    terminal = try program.prompt()
    try terminal.enter("record save Note title='half")
    try terminal.expect("...> ")
    try terminal.type(Key.end)
    try terminal.expect("a quote or a bracket is not closed")
    try terminal.expectPrompt()
    try terminal.enter("zone list -f names")
    try terminal.expect("_defaultZone")
  }
}
