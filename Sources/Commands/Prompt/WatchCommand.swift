internal import Basics
internal import CommandKit

/// `.watch [SECONDS] COMMAND`
enum WatchCommand {
  private static let words = Operand(
    "[SECONDS] COMMAND", ValueKind<String>.text("WORD", candidates: .question("commandLine")),
    .oneOrMore, "Seconds between runs (default: 2), and the command")

  static var command: Command<Context> {
    Command(operands: [AnyOperand(words)], takesRest: true) { arguments, context in
      var words = arguments.all(words)
      var seconds = 2.0
      if let number = words.first.flatMap({ Double($0) }), words.count > 1 {
        guard number >= 0.1, number < 1e6 else {
          throw CommandError("the pause must be at least 0.1 seconds", .usage)
        }
        seconds = number
        words.removeFirst()
      }
      try watch(words, every: seconds, context)
    }
  }

  private static func watch(
    _ words: [String], every seconds: Double, _ context: Context
  ) throws {
    let surroundings = context.surroundings
    let clears = surroundings.outputIsTerminal && surroundings.variable("TERM") != "dumb"
    // The pager would wait for the end of output that has none.
    surroundings.output.release()
    while !Interrupt.isRaised {
      if clears { surroundings.output.write("\u{1B}[H\u{1B}[2J") }
      let line = words.joined(separator: " ").visible
      surroundings.output.line("every \(seconds) s: \(line) · ^C ends")
      let code = context.session.runCommand(words) { _ in 0 }
      surroundings.flush()
      if code != 0 { break }
      let end = Platform.monotonicMilliseconds + Int64(seconds * 1000)
      while !Interrupt.isRaised, Platform.monotonicMilliseconds < end {
        Platform.sleep(milliseconds: min(50, max(1, end - Platform.monotonicMilliseconds)))
      }
    }
    Interrupt.clear()
  }
}
