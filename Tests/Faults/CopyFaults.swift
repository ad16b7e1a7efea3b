internal import Basics
internal import Glibc

/// Each call of a restore, a snapshot and a backup fails in each way, also those that only list a
/// folder or examine a file. The store must then have its previous state or the restored one, and
/// each snapshot and backup must be whole. A command that only reads must never pass off a part of
/// the data as all of it (F01, F02).
enum CopyFaults {
  static let experiment = Experiment(name: "copies", run: run)

  private struct Way {
    let mode: String
    let number: Int32
    /// Whether calls that only read are counted, too.
    var countsReads = false
    var kills: Bool { mode.hasPrefix("kill") }
  }

  private static let ways = [
    Way(mode: "once", number: ENOSPC), Way(mode: "once", number: EIO, countsReads: true),
    Way(mode: "sticky", number: EIO, countsReads: true), Way(mode: "short", number: ENOSPC),
    Way(mode: "kill", number: 0), Way(mode: "kill-after", number: 0),
  ]

  /// A command and its effects.
  private struct Deed {
    let words: [String]
    /// The snapshot that the command writes.
    var snapshot: String?
    var isRestore = false
  }

  private static func deeds(_ bench: Bench) -> [Deed] {
    [
      Deed(words: ["snapshot", "restore", "saved"], snapshot: "previous", isRestore: true),
      Deed(words: ["snapshot", "save", "other"], snapshot: "other"),
      Deed(words: ["snapshot", "save", "saved", "--replace"], snapshot: "saved"),
      Deed(words: ["store", "backup", bench.backup]),
    ]
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let bench = try Bench(laboratory)
    var (points, runs) = (0, 0)
    for deed in deeds(bench) {
      for way in ways {
        let calls = try bench.count(deed.words, countsReads: way.countsReads)
        points += calls
        for call in 1...max(1, calls) {
          runs += 1
          if let fault = try attempt(deed, call, way, bench) {
            findings.add(
              "\(deed.words[1]): call \(call) of \(calls) \(way.mode) \(way.number): \(fault)")
          }
        }
      }
    }
    runs += try read(bench, findings)
    return "\(points) calls, \(runs) runs, \(findings.count) wrong outcomes"
  }

  private static let reads = [
    ["export"], ["-d", "public", "record", "list"], ["query", "Note", "n = 1"],
    ["record", "fetch", "new"], ["changes", "zone", "-z", "Z"], ["zone", "list"],
    ["container", "list"],
    ["snapshot", "list", "-f", "names"], ["schema", "show"], ["asset", "list"],
    ["device", "list"], ["kvs", "list"], ["document", "list"], ["document", "get", "Documents/a"],
    ["document", "find", "kMDItemFSName == 'a'"], ["doctor", "--deep"],
  ]

  /// Lets each call of commands that read fail once; returns the number of runs.
  private static func read(_ bench: Bench, _ findings: Findings) throws -> Int {
    var runs = 0
    for words in reads {
      let calls = try bench.count(words, countsReads: true)
      let wanted = try bench.output(words, [:])
      if wanted.code != 0 { findings.add("\(words): exit \(wanted.code) \(wanted.errors)") }
      for call in 1...max(1, calls) {
        runs += 1
        let faults = [
          "FAULT_MODE": "once", "FAULT_AT": "\(call)", "FAULT_ERRNO": "\(EIO)", "FAULT_READS": "1",
        ]
        try bench.reset()
        let found = try bench.output(words, faults)
        guard found.code == 0 ? found.output != wanted.output : found.code >= 128 else { continue }
        findings.add(
          "\(words.joined(separator: " ")): call \(call) of \(calls): exit \(found.code), and "
            + "something else is printed")
      }
    }
    return runs
  }

  /// Runs a command with one fault; returns what is wrong afterwards.
  private static func attempt(
    _ deed: Deed, _ call: Int, _ way: Way, _ bench: Bench
  ) throws -> String? {
    try bench.reset()
    var faults = [
      "FAULT_MODE": way.mode, "FAULT_AT": "\(call)", "FAULT_ERRNO": "\(way.number)",
    ]
    if way.countsReads { faults["FAULT_READS"] = "1" }
    let end = try bench.child(deed.words, faults).run()
    if end.isSignal, !way.kills || end.code != 128 + SIGKILL { return "it ended by \(end.code)" }
    let found = bench.view(bench.store)
    let after = deed.isRestore ? bench.saved : bench.now
    guard found == bench.now || found == after else { return "the store is something else" }
    let isDone = found == after
    if end.code == 0, !isDone { return "it said that it did its work" }
    if end.code != 0, !way.kills, deed.isRestore, isDone, !Self.saysDone(end) {
      return "exit \(end.code) (\(end.errors)), and the store is replaced"
    }
    if let text = bench.settle() { return "exit \(end.code), then \(text)" }
    return try bench.faultInCopies(deed.snapshot, isDone: end.code == 0, deed.isRestore && isDone)
  }

  private static func saysDone(_ end: Child.End) -> Bool {
    end.errors.contains("is restored") || end.errors.contains("the change is made")
  }

  /// A store with a snapshot of another state, and the views of both.
  private struct Bench {
    let laboratory: Laboratory
    private let folder: String
    private let seed: String
    let (saved, now): (String, String)

    var store: String { "\(folder)/store" }
    var backup: String { "\(folder)/backup" }

    init(_ laboratory: Laboratory) throws {
      let first = try laboratory.file("first", Array(repeating: 0x61, count: 9000))
      let second = try laboratory.file("second", Array(repeating: 0x62, count: 12_000))
      seed = try laboratory.store([
        ["record", "save", "Note", "--name", "old", "n:=1", "file@\(first)"],
        ["record", "save", "Note", "-d", "public", "--name", "p", "n:=2"],
        ["zone", "create", "Z"], ["record", "save", "Note", "-z", "Z", "--name", "z", "n:=3"],
        ["device", "add", "phone"], ["kvs", "set", "key=old"],
        ["document", "put", first, "Documents/a"],
        ["document", "put", first, "Documents/old"], ["kvs", "sync"], ["document", "sync"],
        ["snapshot", "save", "saved"],
        ["record", "save", "Note", "--name", "new", "n:=1", "file@\(second)"],
        ["record", "delete", "old"], ["asset", "gc"], ["kvs", "set", "key=new"],
        ["document", "put", second, "Documents/a"], ["document", "remove", "Documents/old"],
        ["document", "sync"],
      ])
      self.laboratory = laboratory
      folder = "\(laboratory.work)/copies"
      now = Self.view(laboratory, seed)
      let restored = try laboratory.copy(seed)
      try laboratory.must(restored, ["snapshot", "restore", "saved"])
      saved = Self.view(laboratory, restored)
    }

    /// Restores the store's first state.
    func reset() throws {
      try FileSystem.remove(folder)
      try FileSystem.makeDirectory(folder)
      _ = try laboratory.copy(seed, to: store)
    }

    func child(_ words: [String], _ faults: [String: String]) -> Child {
      laboratory.child(
        store, words, faults: faults.merging(["FAULT_PATH": folder + "/"]) { $1 })
    }

    /// The number of calls with which a command changes files, or reads them.
    func count(_ words: [String], countsReads: Bool) throws -> Int {
      try reset()
      let count = "\(laboratory.work)/count"
      var faults = ["FAULT_MODE": "once", "FAULT_AT": "0", "FAULT_COUNT": count]
      if countsReads { faults["FAULT_READS"] = "1" }
      _ = try child(words, faults).run()
      let text = try FileSystem.contents(of: count)
      return Int(String(decoding: text.dropLast(), as: UTF8.self)) ?? 0
    }

    /// The output of a command under faults.
    func output(_ words: [String], _ faults: [String: String]) throws -> Laboratory.Answer {
      let path = "\(laboratory.work)/output"
      try FileSystem.remove(path)
      let file = try FileHandle(create: path)
      let end = try child(words, faults).run(output: file.descriptor)
      let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
      return Laboratory.Answer(code: end.code, output: text, errors: end.errors)
    }

    /// The records, keys and documents of a store, without what a restore renews.
    func view(_ store: String) -> String { Self.view(laboratory, store) }

    private static func view(_ laboratory: Laboratory, _ store: String) -> String {
      [
        ["export"], ["-d", "public", "export"], ["kvs", "export"],
        ["document", "list", "-f", "csv"],
        ["document", "get", "Documents/a"], ["device", "list", "-f", "csv"],
      ].map { words in
        let answer = laboratory.answer(store, words)
        return "\(answer.code) \(answer.output)"
      }.joined()
    }

    /// Lets the doctor finish an interrupted command; returns what is wrong afterwards.
    func settle() -> String? {
      let before = view(store)
      let answer = laboratory.answer(store, ["doctor", "--repair"])
      if answer.code != 0 { return "a repair ended with \(answer.code): \(answer.errors)" }
      if view(store) != before { return "a repair changed the records" }
      return laboratory.unsoundness(store)
    }

    /// The faults in the copies of the store: its snapshots and the backup.
    ///
    /// - Parameters:
    ///   - written: the snapshot that the command wrote; nil if it wrote the backup.
    ///   - isDone: whether the command reported success.
    ///   - isReplaced: whether the store has its restored state.
    func faultInCopies(
      _ written: String?, isDone: Bool, _ isReplaced: Bool
    ) throws -> String? {
      var names = laboratory.answer(store, ["snapshot", "list", "-f", "names"]).output
        .split(separator: "\n").map(String.init)
      if FileSystem.isDirectory(backup) {
        if let text = laboratory.unsoundness(backup) { return "the backup: \(text)" }
        if view(backup) != now { return "the backup is something else" }
      } else if isDone, written == nil {
        return "there is no backup"
      }
      if isDone, let written, !names.contains(written) { return "there is no '\(written)'" }
      guard names.contains("saved") else { return "the snapshot is gone" }
      if isReplaced, !names.contains("previous") { return "the replaced state is gone" }
      names.sort()
      for name in names {
        let copy = try laboratory.copy(store)
        defer { try? FileSystem.remove(copy) }
        let answer = laboratory.answer(copy, ["snapshot", "restore", name])
        if answer.code != 0 { return "'\(name)' cannot be restored: \(answer.errors)" }
        let found = view(copy)
        let states = name == "saved" && written == "saved" ? [saved, now] : [wanted(name)]
        guard states.contains(found) else { return "'\(name)' is something else" }
        if isDone, name == written, found != wanted(name, isDone: true) {
          return "'\(name)' has its state of before"
        }
        if let text = laboratory.unsoundness(copy) { return "'\(name)' restored: \(text)" }
      }
      return nil
    }

    private func wanted(_ name: String, isDone: Bool = false) -> String {
      name == "saved" && !isDone ? saved : now
    }
  }
}
