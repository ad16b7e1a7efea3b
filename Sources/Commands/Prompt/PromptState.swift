internal import Basics
internal import CloudServices

/// The prompt's state between commands.
final class PromptState {
  /// Whether to print the time of each command; nil prints it for tables and long commands.
  var isTimed: Bool?
  /// The shell command that long output goes to; nil for none.
  var pager: String?
  /// Whether long output goes to the pager.
  var isPaged = true
  /// The words of the query that prints the next page; nil if there is none.
  var next: [String]?
  /// The environment with an open transaction.
  var transaction: CloudEnvironment?
  /// The text of the last command, for `.edit`.
  var lastCommand = ""
  /// The history file.
  let history: HistoryFile?
  /// The start of the running command, in microseconds.
  private var began: Int64 = 0
  private var hasShownTime = false

  init(_ configuration: Configuration?, _ history: HistoryFile?, _ surroundings: Surroundings) {
    self.history = history
    isTimed = configuration?.text("timer").map { $0 == "on" }
    let chosen = configuration?.text("pager") ?? surroundings.variable("PAGER")
    pager = chosen == "none" ? nil : chosen
  }

  /// Starts the clock of a command.
  func begin() {
    began = Platform.monotonicMicroseconds
    hasShownTime = false
  }

  private var elapsed: Int64 { Platform.monotonicMicroseconds - began }

  /// The time since the command began, for the end of a table; nil if it is not printed.
  func takeTime() -> String? {
    guard isTimed != false, !hasShownTime else { return nil }
    hasShownTime = true
    return Self.text(microseconds: elapsed)
  }

  /// The time of a command that has ended without a table; nil if it is not printed.
  func takeLongTime() -> String? {
    isTimed == true || elapsed >= 100_000 ? takeTime() : nil
  }

  /// A human-readable time: 0.4 ms, 12 ms, 3.2 s.
  static func text(microseconds: Int64) -> String {
    let tenths = (microseconds + 50) / 100
    if tenths < 100 { return "\(tenths / 10).\(tenths % 10) ms" }
    if microseconds < 1_000_000 { return "\((microseconds + 500) / 1000) ms" }
    let seconds = (microseconds + 50_000) / 100_000
    return "\(seconds / 10).\(seconds % 10) s"
  }
}
