internal import Basics

/// Runs commands from a text, line by line, without reading ahead.
struct Batch {
  let session: Session
  /// What the text is called in messages.
  let name: String
  /// Whether an error does not end the batch.
  let keepsGoing: Bool

  /// Runs the lines of a file, which have to be UTF-8.
  func run(_ reader: LineReader) throws -> Int32 {
    try run {
      guard let line = try reader.next() else { return nil }
      if let text = String(validating: line, as: UTF8.self) { return text }
      throw CommandError("\(name):\(reader.lineNumber): the line is not UTF-8", .data)
    }
  }

  /// Runs to the end or to the first error; returns its exit code.
  func run(_ nextLine: () throws -> String?) throws -> Int32 {
    var splitter = WordSplitter()
    var worst: Int32 = 0
    var number = 0
    while let line = try nextLine() {
      number += 1
      for words in splitter.take(line: line) {
        if session.ends(at: words) { return worst }
        let code = session.runCommand(words) { _ in ExitCode.success.rawValue }
        if session.isOver { return worst }
        if code == 0 { continue }
        let command = words.joined(separator: " ").visible.truncated(toColumns: 120)
        session.surroundings.errors.line(
          "\(name):\(number): '\(command)' failed with exit code \(code)")
        if worst == 0 { worst = code }
        if !keepsGoing || Interrupt.isRaised { return worst }
      }
    }
    if splitter.isOpen {
      throw CommandError("\(name):\(number): a quote is not closed", .usage)
    }
    return worst
  }
}
