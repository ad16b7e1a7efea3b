internal import Basics
internal import CommandKit

/// When and how to show the progress of long operations.
enum ProgressChoice: String, CaseIterable, Sendable {
  /// On a terminal, after half a second.
  case auto
  /// As a line after a second and then every five seconds, for logs.
  case plain
  /// As a JSON object every second.
  case json
  case none
}

/// The progress of one operation: it counts its work, and a second thread reads the count.
final class Progress: @unchecked Sendable {

  /// The progress at one moment.
  struct Report {
    /// The current step, in a word or two.
    let step: String
    let done: Int64
    let total: Int64?
    let unit: WorkMeter.Unit
    /// The number of records, if the unit is bytes.
    let records: Int64?
    let milliseconds: Int64
  }

  private let work: String
  private let position: (@Sendable () -> Int64)?
  /// The meter that the work advances.
  let meter: WorkMeter
  private var ticker: Ticker?
  private let display: ProgressDisplay?

  /// Starts to show progress; `position` returns how many bytes of the total have been read.
  init(
    _ work: String, total: Int64?, _ unit: WorkMeter.Unit, position: (@Sendable () -> Int64)?,
    _ display: ProgressDisplay?
  ) {
    (self.work, self.position, self.display) = (work, position, display)
    meter = WorkMeter(total: total, unit)
    guard let display else { return }
    ticker = try? Ticker(after: display.delay, every: display.interval) { [unowned self] in
      display.show(self.report)
    }
  }

  /// Counts completed work.
  func advance(_ count: Int64 = 1) { meter.advance(count) }

  /// Ends the display and clears the terminal's line.
  func end() {
    ticker?.stop()
    ticker = nil
    display?.clear()
  }

  private var report: Report {
    let (step, done) = meter.reading
    return Report(
      step: step.name.map { "\(work): \($0)" } ?? work, done: position?() ?? done,
      total: step.total, unit: step.unit, records: position == nil ? nil : done,
      milliseconds: Platform.monotonicMilliseconds - step.began)
  }
}

extension Progress.Report {
  /// The step, percentage, amount, rate and time left, in at most `columns` columns: parts that do
  /// not fit are left out.
  func line(_ columns: Int) -> String {
    var parts = [step]
    if let total, total > 0 { parts.append("\(min(100, done * 100 / total)) %") }
    if let records, records > 0 { parts.append(records.grouped + " records") }
    if done > 0 { parts.append(amount) }
    parts += pace
    var line = parts[0]
    for part in parts.dropFirst() where line.columnWidth + 2 + part.columnWidth <= columns {
      line += "  " + part
    }
    return line.truncated(toColumns: columns)
  }

  private var amount: String {
    switch (unit, total) {
    case (.records, let total?): "\(done.grouped) of \(total.grouped) records"
    case (.records, nil): "\(done.grouped) records"
    case (.bytes, let total?): "\(done.megabytes) of \(total.megabytes) MB"
    case (.bytes, nil): "\(done.megabytes) MB"
    }
  }

  /// The rate and the time left, or the elapsed time if nothing has been counted.
  private var pace: [String] {
    let seconds = max(1, milliseconds) / 1000
    guard done > 0 else { return ["\(seconds) s"] }
    let perSecond = done * 1000 / max(1, milliseconds)
    let rate =
      unit == .bytes ? "\(perSecond.megabytes) MB/s" : "\(perSecond.grouped) a second"
    guard let total, total > done, perSecond > 0 else { return [rate] }
    return [rate, "\((total - done + perSecond - 1) / perSecond) s left"]
  }

  /// The report as a JSON object.
  var json: JSONValue {
    var members = [
      JSONMember("step", .string(step)), JSONMember("done", .int(done)),
      JSONMember("unit", .string(unit.rawValue)),
      JSONMember("seconds", .double(Double(milliseconds) / 1000)),
    ]
    if let total { members.insert(JSONMember("total", .int(total)), at: 2) }
    if let records { members.append(JSONMember("records", .int(records))) }
    return .object(members)
  }
}

extension Int64 {
  /// The number with a separator between groups of three digits: 12,345.
  fileprivate var grouped: String {
    var text = ""
    let digits = String(self)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Megabytes with one digit after the decimal point.
  fileprivate var megabytes: String {
    let tenths = (self + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
