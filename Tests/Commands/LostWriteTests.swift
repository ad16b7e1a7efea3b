internal import Basics
internal import TestSupport
internal import Testing

/// A write that the disk lost leaves an older version of a page, whose checksum is valid. The sums
/// of zones, types and devices reveal it (issue 53).
@Suite struct LostWriteTests {
  private let fixture: CommandFixture
  private let folder: String

  init() throws {
    fixture = try CommandFixture.withContainer()
    folder = "\(fixture.directory.path)/.ckdb/containers/iCloud.org.example.app"
  }

  private func run(_ lines: [String]) throws {
    let batch = try fixture.file("batch", lines.map { $0 + "\n" }.joined())
    let outcome = try fixture.run("run \(batch)")
    #expect(outcome.code == 0, "\(outcome.errors)")
  }

  /// Changes `path` between two states. With one page of the former state in the latter, each of
  /// `reads` must answer as before or end with 78, and the doctor must find what a read did not.
  private func check(
    _ path: String, from before: [String], to after: [String], reads: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try run(before + ["store checkpoint"])
    let old = try FileSystem.contents(of: "\(folder)/\(path)")
    try run(after + ["store checkpoint"])
    let new = try FileSystem.contents(of: "\(folder)/\(path)")
    let answers = try reads.map { try fixture.run($0) }
    var changed = 0
    for start in stride(from: 0, to: min(old.count, new.count), by: 4096) {
      let former = old[start..<start + 4096]
      if former == new[start..<start + 4096] { continue }
      changed += 1
      for suffix in ["-wal", "-shm"] { try FileSystem.remove("\(folder)/\(path)\(suffix)") }
      var bytes = new
      bytes.replaceSubrange(start..<start + 4096, with: former)
      try FileSystem.replace("\(folder)/\(path)", with: bytes)
      for (read, answer) in zip(reads, answers) {
        let now = try fixture.run(read)
        if now.code == 78 { continue }
        #expect(
          now.output == answer.output, "page \(start / 4096 + 1): \(read)",
          sourceLocation: sourceLocation)
      }
      #expect(
        try fixture.run("doctor --deep").code != 0, "page \(start / 4096 + 1)",
        sourceLocation: sourceLocation)
    }
    #expect(changed >= 5, "too few pages changed", sourceLocation: sourceLocation)
  }

  @Test("reads of all records of a zone or type notice a lost write")
  func records() throws {
    func save(_ numbers: Range<Int>, _ text: String) -> [String] {
      numbers.flatMap { number in
        ["Note", "Task"].map {
          "record save \($0) --name \($0)\(number) text='\(text) \(number)' n:=\(number) "
            + "--policy changed -q"
        }
      }
    }
    try check(
      "development/records.sqlite", from: save(0..<60, "a") + save(20..<40, "longer"),
      to: save(60..<90, "b") + save(10..<30, "other"),
      reads: [
        "export", "record list", "record list Note", "changes zone _defaultZone", "query Note",
        "query Task", "query Note --count", "query Task --sort n --count", "query Note --sort n",
        "zone show _defaultZone",
      ])
  }

  @Test("reads of all keys and documents of a device notice a lost write")
  func keysAndDocuments() throws {
    let file = try fixture.file("contents", "a document")
    func put(_ numbers: Range<Int>, _ text: String) -> [String] {
      numbers.flatMap { number in
        [
          "kvs set key\(number)='\(text) \(number)' --device phone -q",
          "document put \(file) Documents/\(text)\(number) --device pad -q",
        ]
      }
    }
    try check(
      "ubiquity/ubiquity.sqlite",
      from: ["device add phone", "device add pad"] + put(0..<50, "a"),
      to: put(20..<80, "b") + ["kvs remove key1 key2 --device phone -q"],
      reads: [
        "kvs list --device phone", "document list --device pad", "kvs usage --device phone",
        "document list --device phone", "kvs export --device phone", "document find x --device pad",
      ])
  }
}
