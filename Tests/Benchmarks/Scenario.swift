#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A line of the report.
protocol Measurable {
  var name: String { get }

  /// Runs all that it takes and prints the line.
  func measure() throws
}

/// How fast a command goes through records, with nothing to compare it to.
struct Rate: Measurable {
  var name: String
  /// How many records a run goes through.
  var count: Int
  /// Records a second that the project asks of itself.
  var must: Double
  var aim: Double
  var rounds: Int
  /// The most memory that it may hold.
  var mostMegabytes: Int?
  var run: ChildProcess

  func measure() throws {
    var times: [Double] = []
    var peak = 0
    for _ in 0...rounds {
      let measure = try run.run()
      peak = max(peak, measure.peakKilobytes / 1024)
      times.append(measure.milliseconds)
    }
    let median = Scenario.median(Array(times.dropFirst()))
    let rate = Double(count) / median * 1000
    let isLean = mostMegabytes.map { peak <= $0 } ?? true
    let verdict = !isLean || rate < must ? "MISS" : rate >= aim ? "aim" : "ok"
    print(
      Scenario.pad(name, 17), Scenario.pad("records/s", 22), Scenario.number(median),
      Scenario.pad(" \(Int(rate)) of \(Int(must)), \(Int(aim))", 29), Scenario.pad(verdict, 5),
      "peak \(peak) MB")
  }
}

/// One comparison: what a rival does, and what ckdb does for the same.
struct Scenario: Measurable {
  /// A command to measure, and what has to happen before it without being measured.
  typealias Run = (_ round: Int) throws -> ChildProcess

  var name: String
  var rival: String
  /// The ratios that the project asks of itself.
  var must: Double
  var aim: Double
  /// How often each side runs, beside one run to warm up.
  var rounds: Int
  var rivalRun: Run
  var ownRun: Run

  /// Runs both sides in turns and prints a line with the medians and their ratio.
  func measure() throws {
    guard Self.isInstalled(rival) else {
      return print("\(Self.pad(name, 17)) skipped: \(rival) is not installed")
    }
    var theirs: [Double] = []
    var ours: [Double] = []
    var peak = 0
    for round in 0...rounds {
      let their = try rivalRun(round).run()
      let own = try ownRun(round).run()
      peak = max(peak, own.peakKilobytes)
      if round == 0 { continue }
      theirs.append(their.milliseconds)
      ours.append(own.milliseconds)
    }
    let ratio = Self.median(ours) / Self.median(theirs)
    let verdict = ratio <= aim ? "aim" : ratio <= must ? "ok" : "MISS"
    print(
      Self.pad(name, 17), Self.pad(rival.split(separator: "/").last.map(String.init) ?? "", 12),
      Self.number(Self.median(theirs)),
      Self.number(Self.median(ours)), Self.number(ratio), Self.number(must), Self.number(aim),
      Self.pad(verdict, 5), "peak \(peak / 1024) MB")
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  static func isInstalled(_ program: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return program.contains("/")
      || path.split(separator: ":").contains { directory in
        access("\(directory)/\(program)", X_OK) == 0
      }
  }

  static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// A number with two places, right-aligned.
  static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let fraction = hundredths % 100
    let text = "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    return String(repeating: " ", count: max(0, 9 - text.count)) + text
  }
}
