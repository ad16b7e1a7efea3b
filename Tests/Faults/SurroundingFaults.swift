internal import Basics
internal import Glibc

/// The surroundings fail, and the store is sound: no descriptors, no memory, no permission, no room
/// (issue 53). No command may then call the store damaged, or change it by half.
enum SurroundingFaults {
  static let experiment = Experiment(name: "surroundings", run: run)

  private static let numbers: [(Int32, String)] = [
    (EMFILE, "EMFILE"), (ENOMEM, "ENOMEM"), (EACCES, "EACCES"), (EROFS, "EROFS"),
    (ENOSPC, "ENOSPC"),
  ]

  /// The exit codes for damage and for faults of ckdb itself, which these are not.
  private static let wrongCodes: Set<Int32> = [70, 78]

  private static func commands(_ file: String) -> [[String]] {
    [
      ["record", "fetch", "a"], ["query", "Note"], ["query", "Note", "--count"], ["export"],
      ["record", "list"], ["zone", "list"], ["zone", "show", "Z"], ["changes", "database"],
      ["changes", "zone", "-z", "Z"], ["schema", "show"], ["asset", "get", "a", "blob", "-o", "-"],
      ["fixture", "export"], ["diff", "seeded"], ["container", "list"], ["context"],
      ["record", "save", "Note", "--name", "new", "n:=2"], ["record", "delete", "a"],
      ["asset", "put", file], ["import", "Note", file + ".jsonl", "--name-field", "name"],
      ["zone", "create", "Y"], ["snapshot", "list"], ["snapshot", "save", "other"],
      ["snapshot", "restore", "seeded"], ["store", "backup", file + ".backup"],
      ["store", "checkpoint"], ["asset", "gc"], ["kvs", "list"], ["kvs", "set", "k=v"],
      ["kvs", "sync"], ["document", "list"], ["document", "get", "Documents/d", "-o", "-"],
      ["document", "put", file, "Documents/e"], ["document", "sync"], ["doctor"],
      ["doctor", "--deep"], ["doctor", "--repair"], ["share", "list"], ["subscription", "list"],
    ]
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let file = try laboratory.file("contents", Array("contents".utf8))
    _ = try laboratory.file("contents.jsonl", Array("{\"name\":\"i\",\"n\":3}\n".utf8))
    let seed = try laboratory.store([
      ["zone", "create", "Z"], ["record", "save", "Note", "--name", "a", "n:=1", "blob@\(file)"],
      ["record", "save", "Note", "--name", "z", "-z", "Z", "n:=1"], ["kvs", "set", "key=value"],
      ["document", "put", file, "Documents/d"], ["snapshot", "save", "seeded"],
      ["record", "save", "Note", "--name", "later", "n:=1"],
    ])
    var (cells, runs) = (0, 0)
    for words in commands(file) {
      let calls = try count(words, seed, laboratory)
      for (number, name) in numbers {
        cells += 1
        // Every call that only looks fails in the same way: some of many suffice.
        for call in stride(from: 1, through: max(1, calls), by: 1 + calls / 25) {
          runs += 1
          let faults = [
            "FAULT_MODE": "sticky", "FAULT_AT": "\(call)", "FAULT_ERRNO": "\(number)",
            "FAULT_OPENS": "1", "FAULT_READS": "1",
          ]
          if let text = try attempt(words, seed, faults, laboratory) {
            findings.add(
              "\(words.prefix(2).joined(separator: " ")) × \(name) from call \(call) of \(calls): "
                + text)
          }
        }
      }
    }
    return "\(cells) cells, \(runs) runs, \(findings.count) wrong outcomes"
  }

  private static func attempt(
    _ words: [String], _ seed: String, _ faults: [String: String], _ laboratory: Laboratory
  ) throws -> String? {
    let store = try laboratory.copy(seed, to: "\(laboratory.work)/surrounded")
    try FileSystem.remove("\(laboratory.work)/contents.backup")
    let end = try laboratory.child(store, words, faults: faults).run()
    if end.isSignal || wrongCodes.contains(end.code) {
      return "exit \(end.code): \(end.errors.prefix(200))"
    }
    return laboratory.unsoundness(store).map { "exit \(end.code), then \($0)" }
  }

  /// The number of calls of a command that can fail.
  private static func count(
    _ words: [String], _ seed: String, _ laboratory: Laboratory
  ) throws -> Int {
    let store = try laboratory.copy(seed, to: "\(laboratory.work)/surrounded")
    let count = "\(laboratory.work)/count"
    try FileSystem.remove(count)
    let faults = [
      "FAULT_MODE": "once", "FAULT_AT": "0", "FAULT_COUNT": count, "FAULT_OPENS": "1",
      "FAULT_READS": "1",
    ]
    _ = try laboratory.child(store, words, faults: faults).run()
    let text = (try? FileSystem.contents(of: count)) ?? []
    return Int(String(decoding: text.dropLast(), as: UTF8.self)) ?? 0
  }
}
