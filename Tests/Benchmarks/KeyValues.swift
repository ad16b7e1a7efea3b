/// The key-value store: reading a key, against other programs, and what a synchronization takes.
struct KeyValues {
  let bench: Workbench
  private var work: String { bench.work }
  private static let count = 1024

  /// The scenarios by their names; each prepares what it needs when it is made.
  var scenarios: [(name: String, make: () throws -> any Measurable)] {
    [
      ("kvs-get", { try get("kvs-get", rival: "sqlite3", must: 1.0, aim: 0.9) }),
      ("kvs-get-plist", { try get("kvs-get-plist", rival: "plistlib", must: 0.2, aim: 0.1) }),
      ("kvs-sync", { Synchronizing(bench: bench) }),
    ]
  }

  /// One key of 1,024, against a select of the shell, or Python reading a binary property list.
  private func get(
    _ name: String, rival: String, must: Double, aim: Double
  ) throws -> Scenario {
    try KeyValues.makeStore(name, bench)
    let rivalWords =
      rival == "sqlite3"
      ? ["sqlite3", "\(work)/kv.db", "SELECT value FROM kv WHERE key = 'key0500'"]
      : [
        "python3", "-c",
        "import plistlib; print(plistlib.load(open('\(work)/kv.plist', 'rb'))['key0500'])",
      ]
    TextFile.write(
      "\(work)/kv.py",
      """
      import plistlib, sqlite3, os
      values = {'key%04d' % i: i for i in range(\(Self.count))}
      plistlib.dump(values, open('\(work)/kv.plist', 'wb'), fmt=plistlib.FMT_BINARY)
      if os.path.exists('\(work)/kv.db'): os.remove('\(work)/kv.db')
      db = sqlite3.connect('\(work)/kv.db')
      db.execute('CREATE TABLE kv(key TEXT PRIMARY KEY, value TEXT)')
      db.executemany('INSERT INTO kv VALUES (?, ?)', [(k, str(v)) for k, v in values.items()])
      db.commit()
      """)
    try ChildProcess(["python3", "\(work)/kv.py"]).run()
    return Scenario(
      name: name, rival: rival, must: must, aim: aim, rounds: bench.isQuick ? 20 : 100,
      rivalRun: { _ in ChildProcess(rivalWords, output: "/dev/null") },
      ownRun: { _ in bench.own(name, ["kvs", "get", "key0500"], output: "/dev/null") })
  }

  /// A store with 1,024 keys that two devices have.
  static func makeStore(_ name: String, _ bench: Workbench) throws {
    try bench.makeStore(name)
    writeKeys("\(bench.work)/keys-0.json", 0)
    for words in [
      ["import", "\(bench.work)/keys-0.json"], ["sync"], ["sync", "--device", "pad"],
    ] { try bench.own(name, ["kvs"] + words, output: "/dev/null").run() }
  }

  static func writeKeys(_ path: String, _ first: Int) {
    let members = (0..<count).map { number in
      let digits = String(number)
      let name = "key" + String(repeating: "0", count: 4 - digits.count) + digits
      return "\"\(name)\":{\"integer\":\(first + number)}"
    }
    TextFile.write(path, "{\(members.joined(separator: ","))}")
  }
}

/// What two synchronizations take that bring 1,024 changed keys from one device to another, within
/// a process: what the process takes without them is subtracted.
private struct Synchronizing: Measurable {
  let bench: Workbench
  let name = "kvs-sync"
  private static let rounds = 20
  private static let most = 10.0

  func measure() throws {
    try KeyValues.makeStore(name, bench)
    func commands(_ extra: String) -> String {
      (1...Self.rounds).map { "kvs import \(bench.work)/keys-\($0).json -q\n\(extra)" }.joined()
    }
    for round in 1...Self.rounds {
      KeyValues.writeKeys("\(bench.work)/keys-\(round).json", round)
    }
    let (with, without) = ("\(bench.work)/kvs-with", "\(bench.work)/kvs-without")
    TextFile.write(with, commands("kvs sync\nkvs sync --device pad\n"))
    TextFile.write(without, commands(""))
    var times: [Double] = []
    for _ in 0..<(bench.isQuick ? 3 : 9) {
      let all = try milliseconds(with)
      times.append((all - (try milliseconds(without))) / Double(Self.rounds))
      try bench.own(name, ["kvs", "sync"], output: "/dev/null").run()
      try bench.own(name, ["kvs", "sync", "--device", "pad"], output: "/dev/null").run()
    }
    let median = times.sorted()[times.count / 2]
    print(
      Scenario.pad(name, 17), "1,024 keys from device to device:",
      "\(Scenario.number(median)) ms of \(Int(Self.most))", median < Self.most ? "ok" : "MISS")
  }

  private func milliseconds(_ input: String) throws -> Double {
    let clock = ContinuousClock()
    let time = try clock.measure {
      try bench.own(name, [], input: input, output: "/dev/null").run()
    }
    return Double(time.components.seconds) * 1000
      + Double(time.components.attoseconds) / 1e15
  }
}
