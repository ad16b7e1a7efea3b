internal import Basics
internal import CommandKit

/// The output of progress: a line of the terminal that is redrawn, or lines of a log.
final class ProgressDisplay: @unchecked Sendable {
  private enum Style {
    case terminal(() -> Int)
    case plain
    case json
  }

  private let style: Style
  private let file: FileHandle
  private var isShown = false

  /// Creates the display of a command; nil if no progress is shown. A command that prints results
  /// on a terminal shows none, as both would share the screen.
  init?(_ context: Context, printsResults: Bool) {
    let surroundings = context.surroundings
    guard !context.settings.isSet(GlobalOptions.quiet),
      let descriptor = surroundings.errors.descriptor,
      let choice = try? context.settings.find(GlobalOptions.progress)?.value ?? .auto
    else { return nil }
    switch choice {
    case .none: return nil
    case .plain: style = .plain
    case .json: style = .json
    case .auto:
      let isShared = printsResults && surroundings.outputIsTerminal
      guard surroundings.errorsAreTerminal, surroundings.variable("TERM") != "dumb", !isShared
      else { return nil }
      style = .terminal(surroundings.errorsWidth)
    }
    file = FileHandle(descriptor: descriptor, path: "standard error", closesAtEnd: false)
  }

  /// Milliseconds before the first report.
  var delay: Int {
    switch style {
    case .terminal: 500
    case .plain, .json: 1000
    }
  }

  /// Milliseconds between two reports.
  var interval: Int {
    switch style {
    case .terminal: 100
    case .plain: 5000
    case .json: 1000
    }
  }

  /// Shows a report.
  func show(_ report: Progress.Report) {
    switch style {
    // The last column stays free: a cursor after it would wrap the line.
    case .terminal(let width): write("\r\(report.line(max(1, width() - 1)))\u{1B}[K")
    case .plain: write(report.line(.max) + "\n")
    case .json: write(report.json.text + "\n")
    }
    isShown = true
  }

  /// Erases the terminal's line. Call it after the last report.
  func clear() {
    if case .terminal = style, isShown { write("\r\u{1B}[K") }
    isShown = false
  }

  private func write(_ text: String) { try? file.writeAll(Array(text.utf8)) }
}

extension Context {
  /// Shows the progress of work that takes long. `position` returns how many of `total` bytes have
  /// been read; without it, the work counts.
  func showingProgress<Result>(
    _ step: String, total: Int64? = nil, _ unit: WorkMeter.Unit = .records,
    printsResults: Bool = false, position: (@Sendable () -> Int64)? = nil,
    _ work: (Progress) throws -> Result
  ) rethrows -> Result {
    let display = ProgressDisplay(self, printsResults: printsResults)
    let progress = Progress(step, total: total, unit, position: position, display)
    defer { progress.end() }
    return try work(progress)
  }
}
