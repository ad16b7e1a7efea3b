/// The key-value store: reading a key, against other programs, and the time of a sync.
struct KeyValues {
  let bench: Workbench
  private var work: String { bench.work }
  private static let count = 1024

  /// The scenarios by name; each prepares its needs when it is made.
  var scenarios: [(name: String, make: () throws -> any Measurable)] {
    [
      ("kvs-get", { try get("kvs-get", rival: "sqlite3", must: 1.0, aim: 0.9) }),
      ("kvs-get-plist", { try get("kvs-get-plist", rival: "python3", must: 0.2, aim: 0.1) }),
      ("kvs-sync", { Synchronizing(bench: bench) }),
    ]
  }

  /// Reads one of 1,024 keys, against the sqlite3 shell, or Python with a binary property list.
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

/// The time to sync 1,024 changed keys from one device to another in one process, minus that of a
/// process that exchanges nothing.
private struct Synchronizing: Measurable {
  let bench: Workbench
  let name = "kvs-sync"
  private static let most = 10.0

  func measure() throws {
    try KeyValues.makeStore(name, bench)
    var times: [[Double]] = [[], []]
    for round in 1...(bench.isQuick ? 5 : 25) {
      let path = "\(bench.work)/keys-next.json"
      KeyValues.writeKeys(path, round)
      try bench.own(name, ["kvs", "import", path, "-q"], output: "/dev/null").run()
      for place in 0...1 {
        let sync = bench.own(name, ["kvs", "sync", "--all-devices"], output: "/dev/null")
        times[place].append(try sync.run().milliseconds)
      }
    }
    let medians = times.map(Scenario.median)
    let own = medians[0] - medians[1]
    print(
      Scenario.pad(name, 17), "1,024 keys from device to device:",
      "\(Scenario.number(own)) ms of \(Int(Self.most))",
      "(\(Scenario.number(medians[0])) with the process)", own < Self.most ? "ok" : "MISS")
  }
}
