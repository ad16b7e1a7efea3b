internal import Basics
internal import CReadline
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// GNU readline: editing, history and completion of the prompt's lines.
///
/// readline calls back through plain C functions, so what they need is in globals; only the
/// prompt's thread touches them. Its own loop and its signal handlers are not used: keys and
/// signals come from `TerminalEvents`, so that none is lost.
enum LineEditor {
  /// The result of reading.
  enum Line {
    /// The entered text; pasted text may have several lines.
    case text(String)
    /// Nothing: the user cancelled the line (^C).
    case cancelled
    /// The end of the input, or a signal that ends the process.
    case end
  }

  /// The action when no key is pressed for some time.
  struct Idle {
    let milliseconds: Int
    /// Acts, and returns the new prompt.
    let action: () -> String
  }

  private nonisolated(unsafe) static var complete: (String) -> RawCompletion? = { _ in nil }
  private nonisolated(unsafe) static var matches: ArraySlice<String> = []
  private nonisolated(unsafe) static var line: Line?

  /// Starts editing with earlier lines; `complete` completes the text before the cursor.
  static func start(history: [String], complete: @escaping (String) -> RawCompletion?) {
    self.complete = complete
    ckdb_readline_start { text, start, end in
      guard let text else { return nil }
      LineEditor.findMatches(Int(start), Int(end))
      return rl_completion_matches(text) { _, _ in
        LineEditor.matches.popFirst().flatMap { strdup($0) }
      }
    }
    for line in history { add_history(line) }
  }

  /// Reads from standard input until a line is entered or cancelled, or the input ends.
  static func read(_ prompt: String, idle: Idle? = nil) -> Line {
    let events = TerminalEvents(0)
    defer { events.end() }
    line = nil
    var idle = idle
    rl_callback_handler_install(prompt) { text in
      // Reset the terminal before anything is printed.
      rl_callback_handler_remove()
      LineEditor.line = text.map { .text(String(cString: $0)) } ?? .end
      free(text)
    }
    while true {
      if let line { return line }
      switch events.next(milliseconds: idle?.milliseconds) {
      case .key: rl_callback_read_char()
      case .interrupt: return giveUp()
      case .resize: rl_resize_terminal()
      case .suspend:
        rl_deprep_terminal()
        events.suspend()
        rl_prep_terminal(1)
        rl_forced_update_display()
      case .idle:
        ckdb_readline_leave_line()
        if let action = idle?.action { rl_set_prompt(action()) }
        rl_forced_update_display()
        idle = nil
      }
    }
  }

  /// Adds a line to the history.
  static func remember(_ line: String) { add_history(line) }

  private static func giveUp() -> Line {
    ckdb_readline_cancel(Interrupt.number)
    rl_callback_handler_remove()
    if Interrupt.endsProcess { return .end }
    Interrupt.clear()
    return .cancelled
  }

  /// Finds the texts that may replace the line from a byte to the cursor.
  private static func findMatches(_ start: Int, _ end: Int) {
    matches = []
    guard let bytes = ckdb_readline_line() else { return }
    let line = String(
      decoding: UnsafeRawBufferPointer(start: bytes, count: end), as: UTF8.self)
    guard let found = complete(line) else { return ckdb_readline_no_files(1) }
    ckdb_readline_no_files(found.isFiles ? 0 : 1)
    matches = found.texts(from: start, in: line)[...]
    let goesOn = matches.count == 1 && RawCompletion.goesOn(matches[matches.startIndex])
    ckdb_readline_no_blank(goesOn ? 1 : 0)
  }
}
