internal import Basics
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Runs commands from a text, line by line, without reading ahead.
struct Batch {
  let session: Session
  /// The name of the text in messages.
  let name: String
  /// Whether to continue after an error.
  let keepsGoing: Bool

  /// Runs the lines of a file, which must be UTF-8.
  func run(_ reader: LineReader) throws -> Int32 {
    try run { try reader.next().map { String(validating: $0, as: UTF8.self) } }
  }

  /// Runs to the end or to the first error; returns its exit code. `.some(nil)` is a line that is
  /// not UTF-8.
  func run(_ nextLine: () throws -> String??) throws -> Int32 {
    var splitter = WordSplitter()
    var worst: Int32 = 0
    var number = 0
    while let line = try nextLine() {
      number += 1
      guard let line else {
        session.surroundings.errors.line("ckdb: error: \(name):\(number): the line is not UTF-8")
        session.surroundings.flush()
        if worst == 0 { worst = ExitCode.data.rawValue }
        if keepsGoing { continue }
        return worst
      }
      for words in splitter.take(line: line) {
        if session.ends(at: words) { return worst }
        let code = session.runCommand(words) { _ in ExitCode.success.rawValue }
        // The next command may take long, or be sent only after this one's result.
        defer { session.surroundings.flush() }
        if session.isOver { return worst }
        if code == 0 { continue }
        let command = words.map(\.shellWord).joined(separator: " ").visible.truncated(
          toColumns: 120)
        session.surroundings.errors.line(
          "\(name):\(number): '\(command)' failed with exit code \(code)")
        if worst == 0 { worst = code }
        // ^C at a terminal may be handled only by the program that the command ran.
        let isInterrupted = Interrupt.isRaised || [SIGHUP, SIGINT, SIGTERM].contains(code - 128)
        if !keepsGoing || isInterrupted { return worst }
      }
    }
    if splitter.isOpen {
      throw CommandError("\(name):\(number): a quote is not closed", .usage)
    }
    return worst
  }
}
