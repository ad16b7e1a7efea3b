internal import Basics
internal import Glibc

/// Bad input for every command (RS5.10): an answer, or an error with a message and an exit code of
/// the table; never a crash, never a hang, and the store stays sound.
enum Matrix {
  static let experiment = Experiment(name: "bad-input", run: run)

  /// Bad input: words after those of the command, or the surroundings of the program.
  private struct Row {
    let name: String
    var words: [String] = []
    /// Shell text before and after the call of the program.
    var before = ""
    var after = ""
    /// Whether a command that prints anything must fail.
    var mustFailWithOutput = false
  }

  /// The form in which a command is given.
  private enum Column: String, CaseIterable {
    case plain
    case json
    case batch
  }

  /// The exit codes (M6), and those of signals that end a program regularly.
  private static let codes: Set<Int32> = [
    0, 1, 3, 64, 65, 66, 69, 70, 73, 74, 75, 76, 77, 78, 130, 141, 143,
  ]

  /// `exec` ends as env(1) does if the command cannot be run, or does not exist.
  private static let codesOfExec: Set<Int32> = [126, 127]

  private static func isKnown(_ code: Int32, of command: [String]) -> Bool {
    codes.contains(code) || command == ["exec"] && codesOfExec.contains(code)
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let seed = try laboratory.store([
      ["record", "save", "Note", "--name", "a", "text=x", "n:=1"], ["zone", "create", "Z"],
    ])
    let commands = try commands(laboratory)
    let rows = try rows(laboratory)
    var (cells, passed) = (0, 0)
    for command in commands {
      let store = try laboratory.copy(seed, to: "\(laboratory.work)/matrix")
      for row in rows {
        for column in Column.allCases {
          cells += 1
          if let fault = try attempt(laboratory, store, command, row, column) {
            findings.add("\(command.joined(separator: " ")) × \(row.name) × \(column): \(fault)")
          } else {
            passed += 1
          }
        }
      }
      // Commands that delete containers leave nothing to check.
      if let text = laboratory.unsoundness(store) {
        findings.add("\(command.joined(separator: " ")): \(text)")
      }
    }
    return "\(commands.count) commands × \(rows.count) inputs × \(Column.allCases.count) ways: "
      + "\(passed) of \(cells) cells passed"
  }

  /// The words of all commands, as the program prints them; those that wait do so for 0 seconds.
  private static func commands(_ laboratory: Laboratory) throws -> [[String]] {
    let text = laboratory.answer("\(laboratory.work)/none", ["help", "--all", "--json"]).output
    let json = try Array(text.utf8).withUnsafeBytes { try JSONParser.parse($0) }
    guard case .array(let commands)? = json["commands"] else { return [] }
    return commands.compactMap { command in
      guard case .array(let path)? = command["path"] else { return nil }
      return path.compactMap(\.string) + (hasTimeout(command) ? ["--timeout=0"] : [])
    }
  }

  private static func hasTimeout(_ command: JSONValue) -> Bool {
    guard case .array(let options)? = command["options"] else { return false }
    return options.contains { $0["name"]?.string == "timeout" }
  }

  private static func attempt(
    _ laboratory: Laboratory, _ store: String, _ command: [String], _ row: Row, _ column: Column
  ) throws -> String? {
    var words = [laboratory.ckdb, "--store", store, "--yes"]
    var script = "\(row.before) exec \"$@\" \(row.after)"
    if column == .batch {
      // The words as one line of a batch, each in quotes.
      let line = (command + row.words).map {
        "'\($0.split(separator: "'").joined(separator: "'\\''"))'"
      }
      let batch = try laboratory.file("batch", Array((line.joined(separator: " ") + "\n").utf8))
      words += ["run", batch]
    } else {
      words += command + row.words + (column == .json ? ["--json"] : [])
    }
    if !row.after.contains("<") { script += " </dev/null" }
    let end = try Child(
      ["/bin/sh", "-c", script, "sh"] + words,
      Laboratory.variables.merging(["HOME": laboratory.work, "EDITOR": "cat"]) { $1 }
    ).run()
    if end.isSignal || !isKnown(end.code, of: command) {
      return "exit \(end.code) \(end.errors.prefix(200))"
    }
    let canSpeak = !row.after.contains("2>")
    if canSpeak, end.code > 3, !end.errors.contains("ckdb: ") {
      return "exit \(end.code) without a word"
    }
    if row.mustFailWithOutput, end.code == 0 {
      let output = try FileHandle(
        open: "\(laboratory.work)/output", O_RDWR | O_CREAT | O_TRUNC, mode: 0o600)
      _ = try Child(words, Laboratory.variables).run(output: output.descriptor)
      if try output.status().st_size > 0 { return "it printed nothing and said nothing" }
    }
    return nil
  }

  // MARK: The inputs

  private static func rows(_ laboratory: Laboratory) throws -> [Row] {
    try wordRows() + fileRows(laboratory) + surroundingRows()
  }

  private static func wordRows() -> [Row] {
    let texts: [(String, String)] = [
      ("an empty word", ""), ("two dashes", "--"), ("a dash", "-"), ("an unknown option", "--nope"),
      ("an option without its value", "--zone"), ("a lone equals sign", "="),
      ("a control character", "\u{1B}[2J"),
      ("a number that is too large", "9223372036854775808"),
      ("a real number that is too large", "1e400"),
      ("not a number", "NaN"), ("minus zero", "n:=-0"),
      ("a field with an infinite number", "n:=1e999"),
      ("a date of the year 0", "t:timestamp=0000-00-00T00:00:00Z"),
      ("a date of the year 99999", "t:timestamp=99999-01-01T00:00:00Z"),
      ("a place beyond the pole", "p:location=90.0001,0"),
      ("a place of no numbers", "p:location=NaN,NaN"),
      ("a reference to nothing", "r:reference="), ("a list of mixed types", "l:=[1,\"a\",null,{}]"),
      ("an object in an object", "o:={\"a\":{\"b\":[]}}"), ("a lone surrogate", "s:=\"\\ud800\""),
      ("a long name", String(repeating: "n", count: 256)),
      ("a name that begins with a low line", "_reserved"),
      ("a name with a combining mark", "e\u{301}\u{202E}x"),
      ("a long word", String(repeating: "w", count: 100_000)),
      (
        "many parentheses",
        String(repeating: "(", count: 10_000) + "1 = 1" + String(repeating: ")", count: 10_000)
      ),
      ("an open quote", "text = 'x"), ("a wild predicate", "%@ == $x AND SUBQUERY(a, $b, $c)"),
      ("SQL", "x\" OR 1=1; DROP TABLE Note--"), ("a path upward", "../../../etc/passwd"),
      ("a cursor of nonsense", "--cursor=AAAA"), ("a token of nonsense", "--since=z9.zz.zz"),
      ("a zone of nonsense", "--zone=a/b"), ("a container of nonsense", "--container=x"),
      ("a clock of nonsense", "--clock=never"), ("a format of nonsense", "--format=pdf"),
    ]
    let rows = texts.map { Row(name: $0.0, words: [$0.1]) }
    let twice = ["Note", "a", "b"]
    return [
      Row(name: "nothing"), Row(name: "a flag twice", words: ["--quiet", "--quiet"]),
      Row(name: "many words", words: Array(repeating: "Note", count: 2000)),
      Row(name: "a type and an empty word", words: ["Note", ""]),
      Row(name: "three plain words", words: twice),
      Row(name: "bytes that are no UTF-8", after: "\"$(printf '\\377\\376')\""),
    ] + rows
  }

  private static func fileRows(_ laboratory: Laboratory) throws -> [Row] {
    let deep = String(repeating: "[", count: 10_000)
    let contents: [(String, [UInt8])] = [
      ("empty", []), ("NUL", [0]), ("no UTF-8", [0xFF, 0xFE, 0x41]),
      ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)), ("deep", Array(deep.utf8)),
      ("keys twice", Array("{\"recordName\":\"a\",\"recordName\":\"b\"}\n".utf8)),
      ("a comma too many", Array("[1,]".utf8)), ("two documents", Array("{} {}".utf8)),
      ("cut off", Array("{\"recordName\":\"a\",\"fields\":{\"n\":".utf8)),
      (
        "an overlong sequence", Array("{\"recordName\":\"".utf8) + [0xC0, 0x80] + Array("\"}".utf8)
      ),
      (
        "a long line", Array("{\"recordName\":\"".utf8) + [UInt8](repeating: 0x61, count: 2_000_000)
      ),
      ("carriage returns", Array("recordName,n\r\na,1\r\n".utf8)),
    ]
    var rows: [Row] = []
    for (name, bytes) in contents {
      let path = try laboratory.file("input-\(rows.count)", bytes)
      rows.append(Row(name: "a file: \(name)", words: [path]))
      rows.append(Row(name: "a type and a file: \(name)", words: ["Note", path]))
    }
    let fifo = "\(laboratory.work)/fifo"
    mkfifo(fifo, 0o600)
    rows += [
      Row(name: "a folder as a file", words: ["Note", laboratory.work]),
      Row(name: "a missing file", words: ["Note", "\(laboratory.work)/missing"]),
      Row(name: "a field from a missing file", words: ["Note", "f@\(laboratory.work)/missing"]),
      Row(name: "a field from a folder", words: ["Note", "f@\(laboratory.work)"]),
      Row(name: "a field from a device", words: ["Note", "f@/dev/null"]),
      Row(
        name: "a path of 4096 bytes", words: ["Note", "/" + String(repeating: "p", count: 4095)]),
    ]
    return rows
  }

  private static func surroundingRows() -> [Row] {
    [
      Row(name: "standard input closed", after: "<&-"),
      Row(name: "standard output closed", after: ">&-"),
      Row(name: "standard output full", after: ">/dev/full", mustFailWithOutput: true),
      Row(name: "standard error full", after: "2>/dev/full"),
      Row(name: "standard error closed", after: "2>&-"),
      Row(name: "all closed", after: "<&- >&- 2>&-"),
      Row(name: "no home", before: "unset HOME;"),
      Row(name: "no place for temporary files", before: "export TMPDIR=/nonexistent;"),
      Row(name: "a narrow, dumb terminal", before: "export TERM=dumb COLUMNS=1 LANG=C LC_ALL=C;"),
      Row(name: "an umask of 777", before: "umask 777;"),
      Row(
        name: "a working directory that is gone",
        before: "mkdir -p gone.$$ && cd gone.$$ && rmdir ../gone.$$;"),
      Row(name: "no variables", before: "for v in $(env | cut -d= -f1); do unset $v; done;"),
    ]
  }
}
