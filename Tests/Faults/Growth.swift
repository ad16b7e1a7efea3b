internal import Basics
internal import Glibc

/// Work for many things takes time that grows with their number, not with its square (issue 53).
enum Growth {
  static let experiment = Experiment(name: "growth", run: run)

  /// A row: commands that prepare a store for a number of things, and those that are measured.
  private struct Row: Sendable {
    let name: String
    let count: Int
    var prepare: @Sendable (Int) -> [String] = { _ in [] }
    let measure: @Sendable (Int) -> [String]
  }

  /// Four times the things may take this many times the time.
  private static let most = 6.0

  private static let rows = [
    Row(name: "zone create", count: 1000) { count in
      (0..<count).map { "zone create Z\($0) -q" }
    },
    Row(
      name: "subscription create", count: 500,
      prepare: { _ in ["record save Note --name a n:=1 -q"] }
    ) { count in
      (0..<count).map { "subscription create query Note 'n == \($0)' -q" }
    },
    Row(name: "first saves", count: 500) { count in
      (0..<count).map { "-d private -u u\($0) record save Note --name a n:=1 -q" }
    },
    Row(name: "fixture export of accounts", count: 500, prepare: accounts) { _ in
      ["fixture export -o out.json -q"]
    },
    Row(name: "diff of accounts", count: 500, prepare: accounts) { _ in
      ["snapshot save s -q", "snapshot diff s"]
    },
    Row(name: "diff of documents", count: 1000, prepare: documents) { _ in ["snapshot diff s"] },
    Row(name: "fixture export of documents", count: 1000, prepare: documents) { _ in
      ["fixture export -o out.json -q"]
    },
    Row(name: "fixture load of documents", count: 1000) { count in
      ["fixture load documents-\(count).json -q"]
    },
    Row(name: "share create", count: 500, prepare: records) { count in
      (0..<count).map { "-z Z share create r\($0) --with bob:write -q" }
    },
    Row(name: "share list", count: 500, prepare: shares) { _ in ["share list --jsonl"] },
    Row(name: "account purge", count: 500, prepare: shares) { _ in ["account purge me -q"] },
    Row(
      name: "query with OR", count: 1000,
      prepare: { _ in ["record save Note --name a n:=1 -q"] }
    ) { count in
      let tests = (0..<count).map { "n == \($0)" }.joined(separator: " OR ")
      return ["query Note '\(tests)' --count"]
    },
  ]

  @Sendable private static func accounts(_ count: Int) -> [String] {
    (0..<count).map { "-d private -u u\($0) record save Note --name a n:=1 -q" }
  }

  @Sendable private static func documents(_ count: Int) -> [String] {
    [
      "fixture load documents-\(count).json -q", "snapshot save s -q",
      "fixture load others-\(count).json -q",
    ]
  }

  @Sendable private static func records(_ count: Int) -> [String] {
    ["zone create Z -q"]
      + (0..<count).map { "-z Z record save Note --name r\($0) n:=\($0) -q" }
  }

  @Sendable private static func shares(_ count: Int) -> [String] {
    records(count) + (0..<count).map { "-z Z share create r\($0) --with bob:write -q" }
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var figures: [String] = []
    for row in rows {
      let small = try milliseconds(row, row.count, laboratory)
      let large = try milliseconds(row, 4 * row.count, laboratory)
      let ratio = Double(large) / Double(max(1, small))
      let tenths = Int((ratio * 10).rounded())
      figures.append("\(row.name) \(tenths / 10).\(tenths % 10)")
      // Below some milliseconds a process pauses longer than it works.
      if large > 50, ratio > most {
        findings.add("\(row.name): \(row.count) take \(small) ms, four times as many \(large)")
      }
    }
    return "four times as many take " + figures.joined(separator: ", ")
  }

  private static func milliseconds(
    _ row: Row, _ count: Int, _ laboratory: Laboratory
  ) throws -> Int64 {
    for (name, offset) in [("documents", 0), ("others", 1)] {
      let entries = (0..<count).map { "\"Documents/f\($0).txt\":{\"text\":\"\($0 + offset)\"}" }
      _ = try laboratory.file(
        "\(name)-\(count).json",
        Array(
          """
          {"container":"iCloud.org.example.app","databases":{},
           "documents":{"me@cli":{\(entries.joined(separator: ","))}}}
          """.utf8))
    }
    func batch(_ name: String, _ lines: [String]) throws -> [String] {
      ["run", try laboratory.file(name, Array(lines.map { $0 + "\n" }.joined().utf8))]
    }
    let store = try laboratory.store()
    try laboratory.must(store, batch("prepare", row.prepare(count)))
    let words = try batch("measure", row.measure(count))
    let start = Platform.monotonicMilliseconds
    let answer = laboratory.answer(store, words)
    let time = Platform.monotonicMilliseconds - start
    // A difference is 1.
    guard answer.code <= 1 else { throw Laboratory.Refusal(words: words, answer: answer) }
    return time
  }
}
