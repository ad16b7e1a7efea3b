internal import Basics
internal import Glibc

/// Signals during an import (F09): all of it is stored, or nothing.
enum Signals {
  static let experiment = Experiment(name: "signals", run: run)

  private static let rounds = 300

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let empty = try laboratory.store([["record", "save", "Note", "--name", "a", "n:=1"]])
    let records = try laboratory.file(
      "signals.jsonl",
      (0..<60_000).flatMap {
        Array(
          "{\"recordName\":\"i\($0)\",\"fields\":{\"n\":\($0),\"text\":\"number \($0)\"}}\n".utf8)
      })
    var random = SplitMix64(state: 3)
    var (partial, done, latencies) = (0, 0, [Int64]())
    let whole = try measure(laboratory, empty, records)
    for round in 0..<rounds {
      let store = try laboratory.copy(empty, to: "\(laboratory.work)/signalled")
      let child = laboratory.child(store, ["import", "Note", records, "-q"])
      try child.start()
      let signal = [SIGINT, SIGTERM, SIGHUP][round % 3]
      Platform.sleep(milliseconds: Int64(random.next() % UInt64(whole + 20)))
      let start = Platform.monotonicMilliseconds
      child.send(signal)
      let end = child.wait()
      latencies.append(Platform.monotonicMilliseconds - start)
      let count = laboratory.answer(store, ["query", "Note", "--count"]).output
      let isDone = count == "60001\n"
      if isDone {
        done += 1
      } else if count != "1\n" {
        partial += 1
        findings.add("round \(round), signal \(signal): \(count.dropLast()) records")
      }
      if end.code != (isDone ? 0 : 128 + signal), end.code != 0 || !isDone,
        !(isDone && signal == SIGHUP)
      {
        findings.add(
          "round \(round), signal \(signal): exit \(end.code), \(count.dropLast()) records")
      }
      if round % 10 == 0, let text = laboratory.unsoundness(store) { findings.add(text) }
    }
    latencies.sort()
    return "\(rounds) signals, \(done) imports done before, \(partial) partial, "
      + "p95 \(latencies[rounds * 95 / 100]) ms until the end"
  }

  /// The duration of the import.
  private static func measure(
    _ laboratory: Laboratory, _ store: String, _ records: String
  ) throws -> Int64 {
    let copy = try laboratory.copy(store, to: "\(laboratory.work)/signalled")
    let start = Platform.monotonicMilliseconds
    _ = try laboratory.child(copy, ["import", "Note", records, "-q"]).run()
    return Platform.monotonicMilliseconds - start
  }
}
