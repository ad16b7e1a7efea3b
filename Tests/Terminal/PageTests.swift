import Basics
import Glibc
import TestSupport
import Testing

/// The console blocks of the README and of docs/ show real output (DS10).
///
/// In a block with the info string `console` each line that begins with `$ ` is a command line of
/// sh, and the lines up to the next one are the output on a terminal of 80 columns; `$ echo $?`
/// prints the exit code of the command before. A block with `name=FILE` in its info string is that
/// file. The blocks of a page run in order in one directory with the files of Tests/Samples, which
/// the page calls /home/ann/gallery. `make pages` writes the output into the pages.
@Suite struct PageTests {
  static let paths: [String] = {
    let names = (try? FileSystem.list(ProjectFiles.root + "/docs")) ?? []
    return ["README.md"] + names.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }
  }()

  @Test("DS10: a page shows what a terminal shows", arguments: paths)
  func page(_ path: String) throws {
    let file = "\(ProjectFiles.root)/\(path)"
    let text = String(decoding: try FileSystem.contents(of: file), as: UTF8.self)
    let runner = try PageRunner()
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
  private var code: Int32 = 0
  /// The random digits of change tokens: those on the page, and those of the store.
  private var digits: [(written: String, real: String)] = []
  private static let shownDirectory = "/home/ann/gallery"

  init() throws {
    program = try RealProgram()
    directory = program.directory.path + "/gallery"
    try FileSystem.makeDirectory(directory)
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
    let real = digits.reduce(command) { $0.replacing($1.written, with: $1.real) }
    let home = program.directory.path
    let terminal = try TerminalProgram(
      program, shell: "cd \(directory) && \(real)",
      variables: [
        "TERM": "dumb", "TZ": "UTC", "CKDB_CLOCK": "2026-01-01T00:00:00Z", "CKDB_SEED": "1",
        "CKDB_STORE": "", "PATH": "\(home)/.bin:/usr/bin:/bin",
      ])
    switch try terminal.expectEnd() {
    case .code(let number): code = number
    case .signal(let number): code = 128 + number
    }
    var text = terminal.screen.replacing(directory, with: Self.shownDirectory)
    learnDigits(of: text, written.joined(separator: "\n"))
    text = digits.reduce(text) { $0.replacing($1.real, with: $1.written) }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
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
