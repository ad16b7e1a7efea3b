#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Subscriptions: their cost for the commands that fire them, and the delay until another process
/// sees a notification.
struct Notifications {
  let bench: Workbench
  private var work: String { bench.work }

  /// The scenarios by name; each prepares its needs when it is made.
  var scenarios: [(name: String, make: () throws -> any Measurable)] {
    [
      ("notify-zone", zone), ("notify-queries", queries), ("notify-import", `import`),
      ("notify-latency", { Latency(name: "notify-latency", bench: bench) }),
    ]
  }

  // MARK: Saves

  /// 10,000 saves with one zone subscription, against none.
  private func zone() throws -> Scenario {
    try makeStore("notify-zone")
    try run("notify-zone", ["subscription", "create", "zone", "-z", "_defaultZone", "-q"])
    return try saves("notify-zone", must: 1.05, aim: 1.02)
  }

  /// The same with a hundred query subscriptions on the type.
  private func queries() throws -> Scenario {
    try makeStore("notify-queries")
    let commands = (0..<100).map { "subscription create query Note 'count > \(20_000 + $0)' -q\n" }
    TextFile.write("\(work)/subscriptions", commands.joined())
    try run("notify-queries", ["run", "\(work)/subscriptions"])
    return try saves("notify-queries", must: 1.5, aim: 1.2)
  }

  private func saves(_ store: String, must: Double, aim: Double) throws -> Scenario {
    try makeStore("notify-none")
    let input = "\(work)/notify-saves"
    TextFile.write(
      input,
      (0..<10_000).map {
        "record save Note --name b\($0) title=title body=body count:=\($0) --policy changed -q\n"
      }.joined())
    return Scenario(
      name: store, rival: bench.ckdb, must: must, aim: aim, rounds: bench.isQuick ? 2 : 9,
      rivalRun: { _ in bench.own("notify-none", [], input: input) },
      ownRun: { _ in bench.own(store, [], input: input) })
  }

  private func makeStore(_ store: String) throws {
    try bench.makeStore(store)
    try run(store, ["record", "save", "Note", "title=x", "body=y", "count:=1", "-q"])
  }

  private func run(_ store: String, _ words: [String]) throws {
    try bench.own(store, words, output: "/dev/null").run()
  }

  // MARK: Imports

  /// An import of the collection with a query subscription that matches a few of its records,
  /// against none.
  private func `import`() throws -> Scenario {
    func prepare(_ store: String, subscribes: Bool) throws -> ChildProcess {
      try bench.makeStore(store)
      try run(store, ["schema", "add", "Artwork", "medium:STRING", "-q"])
      if subscribes {
        try run(
          store,
          ["subscription", "create", "query", "Artwork", "medium BEGINSWITH 'Bronze'", "-q"])
      }
      return bench.own(store, bench.importWords)
    }
    return Scenario(
      name: "notify-import", rival: bench.ckdb, must: 1.15, aim: 1.1,
      rounds: bench.isQuick ? 2 : 7,
      rivalRun: { _ in try prepare("notify-import-none", subscribes: false) },
      ownRun: { _ in try prepare("notify-import", subscribes: true) })
  }
}

/// The delay from the end of a save to a watcher's line in another process.
private struct Latency: Measurable {
  let name: String
  let bench: Workbench
  private var count: Int { bench.isQuick ? 100 : 1000 }
  private static let median = 20.0
  private static let percentile = 100.0

  func measure() throws {
    let store = "notify-latency"
    try bench.makeStore(store)
    for words in [
      ["record", "save", "Note", "n:=1", "-q"],
      ["subscription", "create", "query", "Note", "--on", "create", "-q"],
    ] { try bench.own(store, words, output: "/dev/null").run() }
    let script = "\(bench.work)/latency.sh"
    let log = "\(bench.work)/latency"
    // The shell's date reads the clock, and takes a millisecond itself.
    TextFile.write(
      script,
      """
      set -e
      export CKDB_STORE="\(bench.work)/\(store)"
      "\(bench.ckdb)" notification watch --device pad --count \(count) --exec 'date +%s%N >> \(log).seen' > /dev/null &
      sleep 0.3
      i=0
      while [ $i -lt \(count) ]; do
        "\(bench.ckdb)" record save Note --name n$i --device phone -q
        date +%s%N >> \(log).saved
        i=$((i + 1))
      done
      wait
      """)
    try ChildProcess(["sh", script], output: "/dev/null").run()
    let saved = Self.times("\(log).saved")
    let seen = Self.times("\(log).seen")
    let waits = zip(saved, seen).map { ($1 - $0) / 1e6 }.sorted()
    let (median, last) = (waits[waits.count / 2], waits[waits.count * 99 / 100])
    let isFast =
      waits.count == count && median < Self.median && last < Self.percentile
    print(
      Scenario.pad(name, 17), "\(waits.count) of \(count) seen,",
      "median \(Scenario.number(median)) ms of \(Int(Self.median)),",
      "p99 \(Scenario.number(last)) ms of \(Int(Self.percentile))", isFast ? "ok" : "MISS")
  }

  private static func times(_ path: String) -> [Double] {
    TextFile.read(path).split(separator: "\n").compactMap { Double($0) }
  }
}
