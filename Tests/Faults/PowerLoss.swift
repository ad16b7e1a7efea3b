internal import Basics
internal import Glibc

/// The power fails at any moment (F10): whichever unsynchronized changes are lost, torn or
/// reordered, the store is sound, acknowledged changes are there, and each command is done or not
/// done.
enum PowerLoss {
  static let experiments = [
    Experiment(name: "power-loss", run: run), Experiment(name: "power-loss-kept", run: runKept),
  ]

  private static let randomStates = 20

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var random = SplitMix64(state: 1)
    var (states, calls) = (0, 0)
    for scenario in try Scenario.all(laboratory) {
      let course = try scenario.course(laboratory)
      let store = try laboratory.copy(course.stores[0])
      for (step, words) in scenario.steps.enumerated() {
        let disk = try DiskModel(store)
        let log = try record(words, store, laboratory)
        for (index, call) in log.enumerated() {
          disk.apply(call)
          if call.path.hasSuffix("-shm") { continue }
          calls += 1
          let isLast = index == log.count - 1
          for state in 0..<3 + randomStates {
            states += 1
            if let fault = try look(
              disk, state, scenario, step, isLast, course, laboratory, &random)
            {
              findings.add(
                "\(scenario.name) \(words.prefix(3).joined(separator: " ")): call \(index + 1) "
                  + "of \(log.count) (\(call.kind) \(FileSystem.name(of: call.path))), "
                  + "state \(state): \(fault)")
            }
          }
        }
      }
    }
    return "\(calls) calls, \(states) states, \(findings.count) violations"
  }

  /// Runs a command and returns the calls that it made.
  private static func record(
    _ words: [String], _ store: String, _ laboratory: Laboratory,
    _ variables: [String: String] = [:]
  ) throws -> [FileCall] {
    let log = "\(laboratory.work)/log"
    try FileSystem.remove(log)
    let end = try laboratory.child(
      store, words,
      faults: variables.merging(["FAULT_MODE": "record", "FAULT_LOG": log]) { $1 }
    ).run()
    guard end.code == 0 else {
      throw Laboratory.Refusal(
        words: words, answer: .init(code: end.code, output: "", errors: end.errors))
    }
    return FileCall.all(in: try FileSystem.contents(of: log))
  }

  /// Checks one state; returns what is wrong with it. After its last call a command counts as
  /// acknowledged.
  private static func look(
    _ disk: DiskModel, _ state: Int, _ scenario: Scenario, _ step: Int, _ isLast: Bool,
    _ course: Scenario.Course, _ laboratory: Laboratory, _ random: inout SplitMix64
  ) throws -> String? {
    let store = "\(laboratory.work)/state"
    let names = disk.pendingNames
    switch state {
    case 0: try disk.write(to: store, names: names) { $0 }
    case 1: try disk.write(to: store, names: 0) { _ in [] }
    case 2: try disk.write(to: store, names: names) { _ in [] }
    default:
      let count = Int(random.next() % UInt64(names + 1))
      try disk.write(to: store, names: count) { torn($0, &random) }
    }
    if scenario.needsRepair {
      let again = laboratory.answer(store, ["doctor", "--repair"])
      if again.code != 0 { return "the next repair ended with \(again.code): \(again.errors)" }
    }
    if let text = laboratory.unsoundness(store) { return text }
    let view = scenario.view(laboratory, store)
    let (before, after) = (course.views[step], course.views[step + 1])
    if isLast || scenario.needsRepair {
      return view == after ? nil : "what was acknowledged is lost"
    }
    return view == before || view == after ? nil : "half of it was done"
  }

  /// A private store is not synchronized, until it is kept: then it survives.
  private static func runKept(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var random = SplitMix64(state: 2)
    let parent = "\(laboratory.work)/private"
    let fixture = try laboratory.file(
      "kept.json",
      Array(#"{"databases":{"private":{"zones":{"Z":{"records":[]}}}}}"#.utf8))
    var (calls, states) = (0, 0)
    for options in [["--fixture", fixture], []] {
      try FileSystem.remove(parent)
      try FileSystem.makeDirectory(parent)
      let disk = try DiskModel(parent)
      let save = ["ckdb", "record", "save", "Note", "--name", "kept", "n:=1", "-q"]
      let log = try record(
        ["exec", "--keep", "always"] + options + ["--"] + save, parent, laboratory,
        ["TMPDIR": parent, "PATH": "/usr/bin:/bin"])
      log.forEach(disk.apply)
      calls += log.count
      for state in 0..<50 {
        states += 1
        let target = "\(laboratory.work)/state"
        let names = state == 0 ? 0 : Int(random.next() % UInt64(disk.pendingNames + 1))
        try disk.write(to: target, names: names) { state == 0 ? [] : torn($0, &random) }
        let stores = try FileSystem.list(target).filter { $0.hasPrefix("ckdb-") }
        guard let store = stores.first.map({ "\(target)/\($0)/store" }) else {
          findings.add("\(options) state \(state): the store is gone")
          continue
        }
        if let text = laboratory.unsoundness(store) { findings.add("state \(state): \(text)") }
        let answer = laboratory.answer(store, ["record", "fetch", "kept"])
        if answer.code != 0 { findings.add("state \(state): \(answer.errors)") }
      }
    }
    return "\(calls) calls, \(states) states after --keep, \(findings.count) violations"
  }

  /// Some of the changes; for some writes, only the first blocks.
  private static func torn(
    _ changes: [DiskModel.Change], _ random: inout SplitMix64
  ) -> [DiskModel.Change] {
    var kept: [DiskModel.Change] = []
    for change in changes where random.next() & 1 == 0 {
      guard case .write(let offset, let data) = change, data.count > 512, random.next() % 3 == 0
      else {
        kept.append(change)
        continue
      }
      let blocks = 1 + Int(random.next() % UInt64(data.count / 512))
      kept.append(.write(offset, data.prefix(512 * blocks)))
    }
    return kept
  }
}
