#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// One comparison: what a rival does, and what ckdb does for the same.
struct Scenario {
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
      return print("\(Self.pad(name, 16)) skipped: \(rival) is not installed")
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
      Self.pad(name, 16), Self.pad(rival.split(separator: "/").last.map(String.init) ?? "", 12),
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
