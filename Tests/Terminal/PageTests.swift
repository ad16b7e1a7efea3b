import Basics
import Glibc
import TestSupport
import Testing

/// The console blocks of the README and of docs/ show real output (DS10).
///
/// In a block with the info string `console` each line that begins with `$ ` is a command line of
/// sh, and the lines up to the next one are the output on a terminal of 80 columns; `$ echo $?`
/// prints the exit code of the command before; `export NAME=VALUE` and `NAME=$(…)` apply to all
/// later ones. A block with `name=FILE` in its info string is that file. The blocks of a page run
/// in order in one directory with the files of Tests/Samples, which the page calls
/// /home/ann/gallery. `make pages` writes the output into the pages.
@Suite struct PageTests {
  static let paths: [String] = {
    let names = (try? FileSystem.list(ProjectFiles.root + "/docs")) ?? []
    return ["README.md"] + names.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }
  }()

  @Test("DS10: a page shows what a terminal shows", arguments: paths)
  func page(_ path: String) throws {
    let file = "\(ProjectFiles.root)/\(path)"
    let text = String(decoding: try FileSystem.contents(of: file), as: UTF8.self)
    let runner = try PageRunner(RealProgram(), isFixed: true)
    let shown = try runner.run(text)
    if Platform.environmentVariables["CKDB_GENERATE"] != nil {
      try FileSystem.replace(file, with: Array(shown.utf8))
    }
    let lines = zip(text.split(separator: "\n"), shown.split(separator: "\n"))
    if let (written, real) = lines.first(where: { $0 != $1 }) {
      Issue.record("\(path) shows '\(written)', the terminal '\(real)': make pages")
    }
    #expect(shown == text, "\(path)")
  }

  @Test(
    "a reader who follows the pages, in any order, sees what they show but for times and chance",
    arguments: [paths, paths.reversed()])
  func followed(_ pages: [String]) throws {
    let program = try RealProgram()
    for path in pages {
      let text = String(
        decoding: try FileSystem.contents(of: "\(ProjectFiles.root)/\(path)"), as: UTF8.self)
      let shown = try PageRunner(program, isFixed: false).run(text)
      let lines = zip(text.split(separator: "\n"), shown.split(separator: "\n"))
      let differing = lines.filter { Self.withoutChance($0) != Self.withoutChance($1) }
      for (written, real) in differing.prefix(3) {
        Issue.record("\(path) shows '\(written)', the terminal '\(real)'")
      }
    }
  }

  /// A line without the parts that depend on when and where it is printed: dates, tokens, UUIDs,
  /// share URLs, and the width of their columns.
  private static func withoutChance(_ line: Substring) -> String {
    var line = String(line)
    line.replace(/\d{4}-\d\d-\d\d(T[0-9:.…]*Z?)?/, with: "DATE")
    line.replace(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "UUID")
    line.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "UUID")
    line.replace(/\b[0-9a-f]{32}\b/, with: "TOKEN")
    line.replace(/\b[dz]1\.[0-9a-f.]+/, with: "TOKEN")
    line.replace(/[ ]{2,}/, with: "  ")
    line.replace(/-{2,}/, with: "--")
    return line
  }

  @Test("a page ends with links to other pages that exist", arguments: paths)
  func links(_ path: String) throws {
    let file = "\(ProjectFiles.root)/\(path)"
    let text = String(decoding: try FileSystem.contents(of: file), as: UTF8.self)
    for match in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
      let target = FileSystem.parent(of: file) + "/" + match.1
      #expect(FileSystem.exists(target), "\(path) links to \(match.1)")
    }
  }
}

/// Runs the blocks of one page.
private final class PageRunner {
  private let program: RealProgram
  private let directory: String
  private var variables: [String: String]
  private var code: Int32 = 0
  /// The random digits of change tokens: those on the page, and those of the store.
  private var digits: [(written: String, real: String)] = []
  private static let shownDirectory = "/home/ann/gallery"

  /// Runs a page in a new folder; with a fixed clock and seed, or with those of a reader.
  init(_ program: RealProgram, isFixed: Bool) throws {
    self.program = program
    let home = program.directory.path
    directory = "\(home)/\(UInt32.random(in: 0...(.max)))/gallery"
    variables = [
      "TERM": "dumb", "TZ": "UTC", "CKDB_STORE": "", "PATH": "\(home)/.bin:/usr/bin:/bin",
    ]
    if isFixed {
      variables["CKDB_CLOCK"] = "2026-01-01T00:00:00Z"
      variables["CKDB_SEED"] = "1"
    }
    try FileSystem.makeDirectories(directory)
    try ProjectFiles.copySamples(to: directory)
    // Puts the program into the search path.
    _ = try program.shell("true")
  }

  /// The page with the terminal's output.
  func run(_ page: String) throws -> String {
    var shown: [String] = []
    var lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
    while let line = lines.popFirst() {
      shown.append(line)
      guard line.hasPrefix("```"), line.count > 3 else { continue }
      let block = Array(lines.prefix { $0 != "```" })
      lines = lines.dropFirst(block.count)
      if let name = line.split(separator: "name=").dropFirst().first {
        let path = "\(directory)/\(name)"
        try FileSystem.makeDirectories(FileSystem.parent(of: path))
        try FileSystem.replace(path, with: Array((block.joined(separator: "\n") + "\n").utf8))
      }
      shown += line == "```console" ? try run(block) : block
      // The end of the block.
      if let end = lines.popFirst() { shown.append(end) }
    }
    return shown.joined(separator: "\n")
  }

  private func run(_ block: [String]) throws -> [String] {
    var shown: [String] = []
    var lines = block[...]
    while let line = lines.popFirst() {
      let output = Array(lines.prefix { !$0.hasPrefix("$ ") })
      lines = lines.dropFirst(output.count)
      shown.append(line)
      shown += try run(String(line.dropFirst(2)), showing: output)
    }
    return shown
  }

  private func run(_ command: String, showing written: [String]) throws -> [String] {
    if command == "echo $?" {
      defer { code = 0 }
      return ["\(code)"]
    }
    if let export = command.wholeMatch(of: /export (\w+)=(\S+)/) {
      variables[String(export.1)] = String(export.2)
      return []
    }
    if let assignment = command.wholeMatch(of: /(\w+)=\$\(.*\)/) {
      let name = String(assignment.1)
      variables[name] = try terminal(command + " && printf %s \"$\(name)\"").screen
      return []
    }
    let real = digits.reduce(command) { $0.replacing($1.written, with: $1.real) }
    let terminal = try terminal(real)
    var text = terminal.screen.replacing(directory, with: Self.shownDirectory)
    learnDigits(of: text, written.joined(separator: "\n"))
    text = digits.reduce(text) { $0.replacing($1.real, with: $1.written) }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// A terminal that has run a command line.
  private func terminal(_ command: String) throws -> TerminalProgram {
    let terminal = try TerminalProgram(
      program, shell: "cd \(directory) && \(command)", variables: variables)
    switch try terminal.expectEnd() {
    case .code(let number): code = number
    case .signal(let number): code = 128 + number
    }
    return terminal
  }

  private func learnDigits(of text: String, _ written: String) {
    func tokens(_ text: String) -> [String] {
      text.matches(of: /[dz]1\.([0-9a-f]{16})\./).map { String($0.1) }
    }
    let known = tokens(written)
    for (index, real) in tokens(text).enumerated()
    where !digits.contains(where: { $0.real == real }) {
      digits.append((index < known.count ? known[index] : real, real))
    }
  }
}
