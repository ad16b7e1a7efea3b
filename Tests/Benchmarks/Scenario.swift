#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A line of the report.
protocol Measurable {
  var name: String { get }

  /// Measures, and prints the line.
  func measure() throws
}

/// The rate at which a command processes records, without a rival.
struct Rate: Measurable {
  var name: String
  /// The number of records in a run.
  var count: Int
  /// The rate that the project requires, in records a second.
  var must: Double
  var aim: Double
  var rounds: Int
  /// The limit of its memory.
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

/// A comparison of a rival and ckdb at the same task.
struct Scenario: Measurable {
  /// Prepares a run, which is not measured, and returns the command to measure.
  typealias Run = (_ round: Int) throws -> ChildProcess

  var name: String
  var rival: String
  /// The ratios that the project requires.
  var must: Double
  var aim: Double
  /// The number of runs of each side, after one to warm up.
  var rounds: Int
  /// For a short process, a folder for its files. Its program and store are read back from the
  /// disk first, and a second line shows it right after an installation.
  var startsIn: String?
  var rivalRun: Run
  var ownRun: Run

  /// The medians of the runs, and ckdb's peaks of memory and page faults.
  private struct Medians {
    var rival = 0.0
    var own = 0.0
    var peakKilobytes = 0
    var rivalFaults = 0
    var ownFaults = 0
  }

  /// Runs both sides in turns, and prints the medians and their ratio.
  func measure() throws {
    guard Self.isInstalled(rival) else {
      return print("\(Self.pad(name, 17)) skipped: \(rival) is not installed")
    }
    guard let folder = startsIn else { return report(name, try medians(from: 0, ownRun)) }
    try rivalRun(0).readBack()
    let own = try ownRun(0)
    own.readBack()
    let medians = try medians(from: 1, ownRun)
    let instructions = own.instructionCount(in: folder).map {
      ", \(Self.number($0 / 1e6).drop { $0 == " " })M instructions"
    }
    let calls = try ownRun(rounds + 2).callCount(in: folder).map { ", \($0) system calls" }
    report(
      name, medians,
      "\(medians.ownFaults) page faults (\(medians.rivalFaults))"
        + (instructions ?? "") + (calls ?? ""))
    let installed = "\(folder)/installed"
    try PageCache.install(own.words[0], at: installed)
    report(
      "  as installed",
      try self.medians(from: rounds + 3) { round in
        var process = try ownRun(round)
        process.words[0] = installed
        return process
      })
  }

  private func medians(from first: Int, _ ownRun: Run) throws -> Medians {
    var theirs: [Double] = []
    var ours: [Double] = []
    var medians = Medians()
    for round in first...first + rounds {
      let their = try rivalRun(round).run()
      let own = try ownRun(round).run()
      medians.peakKilobytes = max(medians.peakKilobytes, own.peakKilobytes)
      (medians.rivalFaults, medians.ownFaults) = (their.pageFaults, own.pageFaults)
      if round == first { continue }
      theirs.append(their.milliseconds)
      ours.append(own.milliseconds)
    }
    (medians.rival, medians.own) = (Self.median(theirs), Self.median(ours))
    return medians
  }

  private func report(_ name: String, _ medians: Medians, _ notes: String = "") {
    let ratio = medians.own / medians.rival
    let verdict = ratio <= aim ? "aim" : ratio <= must ? "ok" : "MISS"
    print(
      Self.pad(name, 17), Self.pad(rival.split(separator: "/").last.map(String.init) ?? "", 12),
      Self.number(medians.rival), Self.number(medians.own), Self.number(ratio),
      Self.number(must), Self.number(aim), Self.pad(verdict, 5),
      "peak \(medians.peakKilobytes / 1024) MB", notes)
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
