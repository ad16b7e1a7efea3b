internal import Basics
internal import Glibc

/// Pages of zeros, and pages that were written over others: a repair loses the records with a part
/// on the page, lists them, and loses nothing else (F08).
enum ZeroedPages {
  static let experiments = [
    Experiment(name: "zeroed-pages") { try run($0, $1, isLogged: false, zeros) },
    Experiment(name: "zeroed-pages-log") { try run($0, $1, isLogged: true, zeros) },
    Experiment(name: "misdirected-pages") { try run($0, $1, isLogged: false, misdirections) },
  ]

  /// A page, and the one that was written over it; nil for zeros.
  private typealias Damage = (page: Int, source: Int?)

  private static func zeros(_ pages: Int) -> [Damage] { (1...pages).map { ($0, nil) } }

  private static func misdirections(_ pages: Int) -> [Damage] {
    var random = SplitMix64(state: 53)
    func page() -> Int { 1 + Int(random.next() % UInt64(pages)) }
    return (0..<500).map { _ in (page(), page()) }.filter { $0.0 != $0.1 }
  }

  private static let folder = "containers/iCloud.org.example.app/development"
  private static let exports = [["-d", "private", "export"], ["-d", "public", "export"]]

  /// A store with trees of two levels, values on many pages, more types than a page of the list of
  /// tables holds, and free pages with former records.
  private static func seed(_ laboratory: Laboratory, isLogged: Bool) throws -> String {
    func lines(_ name: String, _ count: Int, _ line: (Int) -> String) throws -> String {
      let text = (0..<count).map { line($0) + "\n" }.joined()
      return try laboratory.file(name, Array(text.utf8))
    }
    let notes = try lines("notes.jsonl", 700) {
      #"{"recordName":"n\#($0)","text":"to do number \#($0)","n":\#($0),"tags":["a\#($0)"]}"#
    }
    let docs = try lines("docs.jsonl", 60) {
      let body = String(repeating: "doc \($0) ", count: 40 * $0)
      return #"{"recordName":"d\#($0)","body":"\#(body)"}"#
    }
    func load(_ type: String, _ path: String, _ place: [String]) -> [String] {
      ["import", type, path, "--name-field", "recordName", "-q"] + place
    }
    var commands = [
      ["zone", "create", "Notes", "Big"], load("Note", notes, ["-z", "Notes"]),
      load("Doc", docs, ["-z", "Big"]), load("Place", notes, ["-d", "public"]),
      load("Gone", docs, []),
    ]
    for index in 0..<30 {
      commands.append(["record", "save", "T\(index)", "--name", "t\(index)", "f\(index):=1"])
    }
    commands.append(["record", "delete", "--where", "Gone", "recordName > 'd2'"])
    let store = try laboratory.store(commands)
    if !isLogged { try sql(store, ["PRAGMA wal_checkpoint(TRUNCATE)"]) }
    return store
  }

  private static func sql(_ store: String, _ commands: [String]) throws {
    let words = ["/usr/bin/sqlite3", "\(store)/\(folder)/records.sqlite"] + commands
    guard try Child(words, [:]).run().code == 0 else { throw SystemError("ask", store) }
  }

  /// The number of records with a part on each page.
  private static func recordsOnPages(_ store: String) throws -> [Int: Int] {
    let answer = store + ".pages"
    try sql(
      store,
      [
        ".once \(answer)",
        """
        SELECT pageno, CASE pagetype WHEN 'leaf' THEN ncell WHEN 'overflow' THEN 1 ELSE 0 END
        FROM dbstat WHERE name IN (SELECT location FROM _type)
        """,
      ])
    var counts: [Int: Int] = [:]
    for row in try String(decoding: FileSystem.contents(of: answer), as: UTF8.self).split(
      separator: "\n")
    {
      let numbers = row.split(separator: "|").compactMap { Int($0) }
      if numbers.count == 2 { counts[numbers[0]] = numbers[1] }
    }
    return counts
  }

  private static func records(_ laboratory: Laboratory, _ store: String) -> Set<String> {
    exports.reduce(into: []) { records, words in
      let output = laboratory.answer(store, words).output
      for line in output.split(separator: "\n") { records.insert("\(words[1]) \(line)") }
    }
  }

  private static func run(
    _ laboratory: Laboratory, _ findings: Findings, isLogged: Bool,
    _ damages: (Int) -> [Damage]
  ) throws -> String {
    let seed = try seed(laboratory, isLogged: isLogged)
    let wanted = records(laboratory, try laboratory.copy(seed))
    let counts = try recordsOnPages(laboratory.copy(seed))
    let bytes = try FileSystem.contents(of: "\(seed)/\(folder)/records.sqlite")
    let damages = damages(bytes.count / 4096)
    var lost = 0
    for (page, source) in damages {
      let store = try laboratory.copy(seed, to: "\(laboratory.work)/zeroed")
      var damaged = bytes
      let other = source.map { Array(bytes[($0 - 1) * 4096..<$0 * 4096]) }
      damaged.replaceSubrange(
        (page - 1) * 4096..<page * 4096, with: other ?? Array(repeating: 0, count: 4096))
      try FileSystem.replace("\(store)/\(folder)/records.sqlite", with: damaged)
      let repair = laboratory.answer(store, ["doctor", "--repair"])
      if let text = laboratory.unsoundness(store) {
        findings.add("page \(page) (\(source ?? 0)) after a repair (\(repair.code)): \(text)")
      }
      let rest = records(laboratory, store)
      let missing = wanted.subtracting(rest).count
      lost += missing
      if missing > counts[page] ?? 0 { findings.add("page \(page): \(missing) records lost") }
      if missing > 0, repair.code == 0 { findings.add("page \(page): lost in silence") }
      if !rest.isSubset(of: wanted) { findings.add("page \(page): others are there") }
    }
    return "\(damages.count) pages of \(wanted.count) records: \(lost) lost, all on their pages"
  }
}
