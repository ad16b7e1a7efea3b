internal import Basics
internal import Glibc

/// A disk that loses a write: one page is an older version of itself, with a valid checksum. Each
/// read of a whole answers as before or ends with 78, and the doctor notices (issue 53).
enum LostWrites {
  static let experiment = Experiment(name: "lost-writes", run: run)

  private static let container = "containers/iCloud.org.example.app"

  /// A database, the commands of each round that change it, and the reads of a whole.
  private struct Subject {
    let path: String
    let round: (Int) -> [[String]]
    let reads: [[String]]
  }

  private static func subjects(_ file: String) -> [Subject] {
    [
      Subject(
        path: "development/records.sqlite",
        round: { round in
          (0..<40).flatMap { number -> [[String]] in
            let name = "n\((number * 7 + round * 23) % 120)"
            return ["Note", "Task"].map {
              [
                "record", "save", $0, "--name", $0 + name, "text=\(name) in round \(round)",
                "n:=\(round * 100 + number)", "--policy", "changed",
              ]
            }
          }
        },
        reads: [
          ["export"], ["record", "list"], ["record", "list", "Task"], ["query", "Note"],
          ["query", "Task", "--count"], ["query", "Note", "--sort", "n"],
          ["changes", "zone", "-z", "_defaultZone"], ["zone", "show", "_defaultZone"],
        ]),
      Subject(
        path: "ubiquity/ubiquity.sqlite",
        round: { round in
          (0..<40).flatMap { number -> [[String]] in
            let key = "k\((number * 7 + round * 23) % 120)"
            return [
              ["kvs", "set", "\(key)=value \(round)", "--device", "phone"],
              ["document", "put", file, "Documents/\(key)-\(round)", "--device", "pad"],
            ]
          } + [["kvs", "sync", "--all"], ["document", "sync", "--all"]]
        },
        reads: ["phone", "pad"].flatMap { device in
          [["kvs", "list"], ["kvs", "usage"], ["kvs", "export"], ["document", "list"]].map {
            $0 + ["--device", device]
          }
        }),
    ]
  }

  private static let rounds = 5

  /// All rows of a database: an older page can have the same ones.
  private static func rows(of path: String) throws -> [UInt8] {
    let dump = path + ".dump"
    let words = ["/usr/bin/sqlite3", "-readonly", path, ".once \(dump)", ".dump"]
    guard try Child(words, [:]).run().code == 0 else { throw SystemError("ask", path) }
    defer { try? FileSystem.remove(dump) }
    return try FileSystem.contents(of: dump)
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let file = try laboratory.file("document", Array("a document".utf8))
    var (pages, noticed) = (0, 0)
    for subject in subjects(file) {
      let store = try laboratory.store([["device", "add", "phone"], ["device", "add", "pad"]])
      let path = "\(store)/\(container)/\(subject.path)"
      var states: [[UInt8]] = []
      for round in 0..<rounds {
        for words in subject.round(round) { try laboratory.must(store, words) }
        try laboratory.must(store, ["store", "checkpoint"])
        states.append(try FileSystem.contents(of: path))
      }
      let answers = subject.reads.map { laboratory.answer(store, $0).output }
      let last = states.removeLast()
      let whole = try rows(of: path)
      for (round, state) in states.enumerated() {
        for start in stride(from: 0, to: min(state.count, last.count), by: 4096) {
          let former = state[start..<start + 4096]
          if former == last[start..<start + 4096] { continue }
          pages += 1
          for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
          var bytes = last
          bytes.replaceSubrange(start..<start + 4096, with: former)
          try FileSystem.replace(path, with: bytes)
          let place = "\(FileSystem.name(of: path)) page \(start / 4096 + 1) of round \(round)"
          for (read, answer) in zip(subject.reads, answers) {
            let now = laboratory.answer(store, read)
            if now.code == 78 {
              noticed += 1
            } else if now.output != answer {
              findings.add("\(place): \(read.joined(separator: " ")): another answer")
            }
          }
          if laboratory.answer(store, ["doctor", "--deep"]).code == 0, try rows(of: path) != whole {
            findings.add("\(place): the doctor did not notice")
          }
        }
      }
    }
    return "\(pages) older pages, \(noticed) reads ended with 78, \(findings.count) wrong answers"
  }
}
