internal import Basics
internal import Glibc

/// Each call that changes a file fails in each way (F01, F02, F11): a command that reports success
/// has done its work, one that reports failure has done nothing, and the store is sound.
enum CallFaults {
  static let experiment = Experiment(name: "calls", run: run)

  private struct Way {
    let mode: String
    let number: Int32
    var kills: Bool { mode.hasPrefix("kill") }
  }

  private static let ways = [
    Way(mode: "once", number: ENOSPC), Way(mode: "once", number: EIO),
    Way(mode: "sticky", number: ENOSPC), Way(mode: "sticky", number: EIO),
    Way(mode: "short", number: ENOSPC), Way(mode: "kill", number: 0),
    Way(mode: "kill-after", number: 0),
  ]

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var (points, runs) = (0, 0)
    for scenario in try Scenario.all(laboratory) {
      let course = try scenario.course(laboratory)
      for (step, words) in scenario.steps.enumerated() {
        let calls = try count(words, course.stores[step], laboratory)
        points += calls
        for call in 1...max(1, calls) {
          for way in ways {
            runs += 1
            let fault = try attempt(scenario, step, call, way, course, laboratory)
            if let fault {
              findings.add(
                "\(scenario.name) \(words.prefix(3).joined(separator: " ")): call \(call) of "
                  + "\(calls) \(way.mode) \(way.number): \(fault)")
            }
          }
        }
      }
    }
    return "\(points) calls × \(ways.count) ways, \(runs) runs, \(findings.count) wrong outcomes"
  }

  /// The number of calls with which a command changes files of the store.
  private static func count(
    _ words: [String], _ store: String, _ laboratory: Laboratory
  ) throws -> Int {
    let copy = try laboratory.copy(store, to: "\(laboratory.work)/faulty")
    let count = "\(laboratory.work)/count"
    try FileSystem.remove(count)
    _ = try laboratory.child(
      copy, words,
      faults: ["FAULT_MODE": "once", "FAULT_AT": "0", "FAULT_COUNT": count]
    ).run()
    let text = (try? FileSystem.contents(of: count)) ?? []
    return Int(String(decoding: text.dropLast(), as: UTF8.self)) ?? 0
  }

  /// Runs a step with one fault; returns what is wrong afterwards.
  private static func attempt(
    _ scenario: Scenario, _ step: Int, _ call: Int, _ way: Way, _ course: Scenario.Course,
    _ laboratory: Laboratory
  ) throws -> String? {
    let store = try laboratory.copy(course.stores[step], to: "\(laboratory.work)/faulty")
    let end = try laboratory.child(
      store, scenario.steps[step],
      faults: [
        "FAULT_MODE": way.mode, "FAULT_AT": "\(call)", "FAULT_ERRNO": "\(way.number)",
      ]
    ).run()
    if end.isSignal, !way.kills || end.code != 128 + SIGKILL { return "it ended by \(end.code)" }
    if scenario.needsRepair {
      if end.code == 0 { return laboratory.unsoundness(store) }
      let again = laboratory.answer(store, ["doctor", "--repair"])
      if again.code != 0 { return "the next repair ended with \(again.code): \(again.errors)" }
    }
    if let text = laboratory.unsoundness(store) { return "exit \(end.code), then \(text)" }
    let view = scenario.view(laboratory, store)
    let (before, after) = (course.views[step], course.views[step + 1])
    if scenario.needsRepair { return view == after ? nil : "not all came back" }
    if way.kills { return view == before || view == after ? nil : "half of it was done" }
    if end.code == 0 { return view == after ? nil : "it said that it did its work" }
    // If a disk fails for good, the command may be unable to undo its changes.
    let isUnknown = end.errors.contains("whether the change was made")
    if isUnknown, view == after, way.mode == "sticky" { return nil }
    return view == before ? nil : "exit \(end.code) (\(end.errors)), and something was done"
  }
}
