#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `Benchmarks CKDB [--quick] [NAME…]`: runs ckdb and rivals in turns, and prints ratios.
@main
enum Benchmarks {
  static func main() throws {
    var words = CommandLine.arguments.dropFirst()
    let isQuick = words.contains("--quick")
    words.removeAll { $0 == "--quick" }
    guard let ckdb = words.popFirst() else {
      print("usage: Benchmarks CKDB [--quick] [NAME…]")
      exit(64)
    }
    let template = (getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/ckdb-bench.XXXXXX"
    var path = Array(template.utf8CString)
    guard mkdtemp(&path) != nil else { exit(73) }
    let work = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { _ = try? ChildProcess(["rm", "-rf", work]).run() }
    let data = getenv("CKDB_BENCH_DATA").map { String(cString: $0) } ?? "../shared/data"
    do {
      let bench = try Workbench(ckdb: ckdb, work: work, data: data, isQuick: isQuick)
      bench.printHead()
      func isWanted(_ name: String) -> Bool { words.isEmpty || words.contains(name) }
      for scenario in bench.scenarios + bench.fixtureScenarios where isWanted(scenario.name) {
        try scenario.measure()
      }
      let million = Million(bench: bench)
      let wanted = million.scenarios.filter { isWanted($0.name) }
      if !wanted.isEmpty { try million.prepare() }
      for scenario in wanted { try scenario.make().measure() }
      let feeds = Feeds(bench: bench)
      let wantedFeeds = feeds.scenarios.filter { isWanted($0.name) }
      if !wantedFeeds.isEmpty { try feeds.prepare() }
      for scenario in wantedFeeds { try scenario.make().measure() }
      for scenario in Shares(bench: bench).scenarios where isWanted(scenario.name) {
        try scenario.make().measure()
      }
      let others =
        Notifications(bench: bench).scenarios + KeyValues(bench: bench).scenarios
        + Documents(bench: bench).scenarios + bench.sharesFixtureScenarios
      for scenario in others where isWanted(scenario.name) {
        try scenario.make().measure()
      }
    } catch let failure as ChildProcess.Failure {
      print("failed with \(failure.code): \(failure.words.joined(separator: " "))")
      _ = try? ChildProcess(["rm", "-rf", work]).run()
      exit(1)
    }
  }
}
