internal import Basics
internal import Glibc

/// SIGKILL during and between writes and syncs of the key-value store (F01, K36): nothing is
/// damaged, two keys set at once stay equal, and after two rounds all devices have the last
/// acknowledged write, or the one that the kill interrupted.
enum KeyValueKills {
  static let experiment = Experiment(name: "kvs-kills", run: run)

  private static let rounds = 1000
  private static let roundsOfAStore = 50
  private static let devices = ["mac", "pad", "phone"]

  /// The possible values of each pair of keys: the last acknowledged one, and a later one.
  private struct Expected {
    var known: [Int: String] = [:]
    var doubtful: (pair: Int, value: String)?
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var random = SplitMix64(state: 3)
    var store = ""
    var expected = Expected()
    var (count, wrong) = (0, 0)
    for round in 0..<rounds {
      if round % roundsOfAStore == 0 {
        if !store.isEmpty { try FileSystem.remove(store) }
        store = try laboratory.store([["kvs", "set", "first=1", "--device", "phone"]])
        expected = Expected()
      }
      count += try work(laboratory, store, round, &expected, &random)
      var faults = [laboratory.unsoundness(store)].compactMap(\.self)
      faults += apart(laboratory, store)
      faults += lost(laboratory, store, &expected)
      wrong += faults.count
      for fault in faults { findings.add("round \(round): \(fault)") }
    }
    return "\(rounds) kills, \(count) acknowledged: \(wrong) wrong"
  }

  /// Runs commands one by one until the process is killed; returns the number of acknowledged ones.
  private static func work(
    _ laboratory: Laboratory, _ store: String, _ round: Int, _ expected: inout Expected,
    _ random: inout SplitMix64
  ) throws -> Int {
    let child = laboratory.child(store, ["--keep-going"])
    try child.open()
    let delay = 2 + Int64(random.next() % 40)
    let process = child.process
    let killer = try Worker {
      Platform.sleep(milliseconds: delay)
      kill(process, SIGKILL)
    }
    var count = 0
    while true {
      let device = devices[Int(random.next() % 3)]
      let pair = Int(random.next() % 8)
      let value = "\(round)-\(count)"
      let isSync = random.next() % 3 == 0
      let command =
        isSync
        ? "kvs sync --device \(device)"
        : "kvs set a\(pair)=\(value) b\(pair)=\(value) -q"
          + " --device \(device) --at \(1_767_225_600_000 + round * 10_000 + count)"
      expected.doubtful = isSync ? nil : (pair, value)
      guard child.perform(command) != nil else { break }
      count += 1
      if !isSync { expected.known[pair] = value }
      expected.doubtful = nil
    }
    killer.join()
    _ = child.finish()
    return count
  }

  private static func values(
    _ laboratory: Laboratory, _ store: String, _ device: String
  ) -> [String: String] {
    let output = laboratory.answer(
      store, ["kvs", "list", "--device", device, "-f", "tsv"]
    ).output
    var values: [String: String] = [:]
    for line in output.split(separator: "\n").dropFirst() {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      values[String(cells[0])] = String(cells[2])
    }
    return values
  }

  /// Keys of a pair whose values differ.
  private static func apart(_ laboratory: Laboratory, _ store: String) -> [String] {
    devices.flatMap { device in
      let values = values(laboratory, store, device)
      return (0..<8).filter { values["a\($0)"] != values["b\($0)"] }
        .map { "a\($0) and b\($0) are apart on \(device)" }
    }
  }

  /// Copies that differ after two rounds, and missing writes.
  private static func lost(
    _ laboratory: Laboratory, _ store: String, _ expected: inout Expected
  ) -> [String] {
    for device in devices + devices {
      _ = laboratory.answer(store, ["kvs", "sync", "--device", device])
    }
    let copies = devices.map { values(laboratory, store, $0) }
    var faults = copies.contains { $0 != copies[0] } ? ["the devices do not agree"] : []
    for pair in 0..<8 {
      let found = copies[0]["a\(pair)"]
      if found == expected.known[pair] { continue }
      if let doubtful = expected.doubtful, doubtful.pair == pair, doubtful.value == found {
        expected.known[pair] = found
        continue
      }
      faults.append("a\(pair) is \(found ?? "not there") instead of \(expected.known[pair] ?? "")")
      expected.known[pair] = found
    }
    expected.doubtful = nil
    return faults
  }
}
