internal import Basics
internal import Glibc

/// Bits that flip in each kind of file: no fetch, list, export, feed, query or count gives wrong
/// data with exit code 0 (F07).
enum FlippedReads {
  static let experiments = [
    Experiment(name: "reads-database") { try run($0, $1, "\(folder)/records.sqlite") },
    Experiment(name: "reads-log") { try run($0, $1, "\(folder)/records.sqlite-wal") },
    Experiment(name: "reads-snapshot") {
      try run($0, $1, "snapshots/saved/\(folder)/records.sqlite", ["snapshot", "restore", "saved"])
    },
  ]

  private static let count = 1000
  private static let folder = "containers/iCloud.org.example.app/development"
  private static let zone = ["-d", "private", "-z", "Notes"]

  private static let reads = [
    ["-d", "private", "export"], zone + ["record", "list", "--json"],
    zone + ["changes", "zone", "--fields", "text,n,tags,up"],
    zone + ["changes", "zone", "--limit", "20"],
    zone + ["record", "fetch", "n1", "n40", "n79", "--json"],
    zone + ["query", "Note", "n > 70 AND tags CONTAINS 'b'", "--all", "-f", "names"],
    zone + ["query", "Task", "text BEGINSWITH 'to do 1'", "--sort", "n", "--all", "-f", "names"],
    zone + ["query", "Note", "--count"],
  ]

  /// A store with two types of records; with `hasLog`, the last ones are only in the log.
  private static func seed(_ laboratory: Laboratory, hasLog: Bool) throws -> String {
    var commands = [["zone", "create", "Notes"]]
    for index in 0..<160 {
      commands.append([
        "record", "save", index % 4 == 0 ? "Task" : "Note", "-z", "Notes", "--name", "n\(index)",
        "text=to do \(index)", "tags:=[\"a\(index)\",\"b\"]", "n:=\(index)",
        "up:reference=n\(index / 2)",
      ])
    }
    commands += [["record", "delete", "n70", "-z", "Notes"], ["store", "compact"]]
    commands += [["snapshot", "save", "saved"]]
    for index in 0..<(hasLog ? 12 : 0) {
      commands.append([
        "record", "save", "Note", "-z", "Notes", "--name", "late\(index)", "n:=\(index)",
      ])
    }
    return try laboratory.store(commands)
  }

  /// The output of a command, without what a restore renews.
  private static func answer(
    _ laboratory: Laboratory, _ store: String, _ words: [String]
  ) -> Laboratory.Answer {
    var answer = laboratory.answer(store, words)
    if words.contains("changes") {
      let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
      answer.output = lines.map { line in
        line.split(separator: ",").filter { !$0.hasPrefix("\"token\":") }.joined(separator: ",")
      }.joined(separator: "\n")
    }
    return answer
  }

  private static func run(
    _ laboratory: Laboratory, _ findings: Findings, _ file: String, _ first: [String]? = nil
  ) throws -> String {
    let seed = try seed(laboratory, hasLog: file.hasSuffix("-wal"))
    let whole = try laboratory.copy(seed)
    if let first { try laboratory.must(whole, first) }
    let wanted = reads.map { answer(laboratory, whole, $0) }
    let bytes = try FileSystem.contents(of: "\(seed)/\(file)")
    var random = SplitMix64(state: 11)
    var (told, same) = (0, 0)
    for _ in 0..<count {
      let store = try laboratory.copy(seed, to: "\(laboratory.work)/flipped")
      try FileSystem.remove("\(store)/\(folder)/records.sqlite-shm")
      var flipped = bytes
      let place = Int(random.next() % UInt64(bytes.count * 8))
      flipped[place / 8] ^= 1 << (place % 8)
      try FileSystem.replace("\(store)/\(file)", with: flipped)
      if let first, laboratory.answer(store, first).code != 0 {
        told += 1
        continue
      }
      var isTold = false
      for (words, wanted) in zip(reads, wanted) {
        let found = answer(laboratory, store, words)
        if found.code != 0 { isTold = true }
        guard found.code == 0 ? found.output == wanted.output : [1, 3, 78].contains(found.code)
        else {
          findings.add("bit \(place): \(words.joined(separator: " ")) ended with \(found.code)")
          continue
        }
      }
      if isTold { told += 1 } else { same += 1 }
    }
    return "\(count) flips: \(told) told, \(same) without effect on \(reads.count) reads, "
      + "\(findings.count) wrong"
  }
}
