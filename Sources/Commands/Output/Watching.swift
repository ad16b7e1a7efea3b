internal import Basics
internal import CloudServices
internal import CommandKit

/// The options and the loop of the commands that print events as they happen.
enum Watching {
  static let timeout = Option(
    "timeout", nil, .seconds, default: "until interrupted", "Stop after this many seconds")
  static let count = count("events")

  /// `--count` for events with another name.
  static func count(_ events: String) -> Option<Int> {
    Option("count", nil, .count("N", atLeast: 1), "Stop after this many \(events)")
  }

  /// Writes events until there were `--count` of them. Exits with 1 at `--timeout`. `follow` passes
  /// events on until its closure returns false, and returns false when time is up. `write` gets the
  /// same deadline.
  static func run<Event>(
    _ arguments: Arguments, _ context: Context,
    _ follow: (_ end: Int64?, (Event) throws -> Bool) throws -> Bool,
    write: @escaping (Event, _ end: Int64?) throws -> Void
  ) throws {
    let end = arguments[timeout].map { Platform.monotonicMilliseconds + Int64($0 * 1000) }
    var left = arguments[count]
    // A pager would wait for the end of output that has none.
    context.output.release()
    let isComplete = try follow(end) { event in
      try write(event, end)
      context.surroundings.flush()
      left = left.map { $0 - 1 }
      return left != 0
    }
    if !isComplete { throw QuietExit(code: .no) }
  }
}
