internal import Basics
internal import TestSupport
internal import Testing

/// Contents are verified before they are given: of damaged ones no byte is printed, and no file
/// gets its name (issue 53).
@Suite struct DamagedContentsTests {
  private static let verbs: [(of: String, command: String)] =
    [
      ("records", "asset get r file -o -"), ("records", "asset get r file -o OUT"),
      ("records", "asset get r file -o /dev/stdout"), ("records", "export Note --assets OUT"),
      ("documents", "document get Documents/a"), ("documents", "document get Documents/a -o OUT"),
      ("documents", "document get Documents/a -o /dev/stdout"),
      ("documents", "document get Documents/p.rtfd -o OUT"),
      ("documents", "document take Documents/a OUT"), ("documents", "document mount OUT"),
      ("documents", "document change Documents/a --append x"),
      ("documents", "document edit Documents/a --append x"),
      ("documents", "document backup -o OUT"),
    ]
    + ["records", "documents"].flatMap {
      [($0, "fixture export -o OUT"), ($0, "account export ann -o OUT")]
    }

  private static let sizes = [100, 5_000_000]

  /// A store with the same contents in a record, a document and a package.
  private func fixture(_ size: Int) throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    fixture.variables["CKDB_USER"] = "ann"
    let file = try fixture.file("a", String(repeating: "x", count: size))
    let other = try fixture.file("b", String(repeating: "x", count: size) + "b")
    _ = try fixture.file("p.rtfd/a", String(repeating: "x", count: size))
    for command in [
      "record save Note --name r body=x", "asset put r file \(other)",
      "document put \(file) Documents/a",
      "document put \(fixture.directory.path)/p.rtfd Documents/p.rtfd", "document open Documents/a",
    ] {
      let outcome = try fixture.run(command)
      #expect(outcome.code == 0, "\(command): \(outcome.errors)")
    }
    return fixture
  }

  /// Flips a bit in the middle of the contents of records, or of documents.
  private func damage(
    _ owner: String, _ fixture: CommandFixture, in folder: String = "containers/",
    count expected: Int = 1
  ) throws {
    var count = 0
    try FolderTree(fixture.directory.path + "/.ckdb").walk { entry in
      guard entry.isRegular, FileSystem.name(of: entry.path).utf8.count == 64 else { return true }
      if entry.path.contains("/development/") != (owner == "records") { return true }
      if !entry.path.hasPrefix(folder) { return true }
      let path = "\(fixture.directory.path)/.ckdb/\(entry.path)"
      var bytes = try FileSystem.contents(of: path)
      bytes[bytes.count / 2] ^= 1
      try FileSystem.replace(path, with: bytes)
      count += 1
      return true
    } failed: {
      throw CorruptionError(path: $0, error: $1)
    }
    #expect(count == expected)
  }

  private struct CorruptionError: Error {
    let path: String
    let error: SystemError
  }

  /// The regular files that a command made.
  private func files(_ path: String) throws -> [String] {
    guard FileSystem.isDirectory(path) else { return FileSystem.exists(path) ? [path] : [] }
    return try FileSystem.list(path).flatMap { try files("\(path)/\($0)") }
  }

  @Test("F07: no verb gives damaged contents away", arguments: verbs, sizes)
  func refusal(_ verb: (of: String, command: String), _ size: Int) throws {
    let fixture = try fixture(size)
    let target = "\(fixture.directory.path)/out"
    let command = verb.command.replacing("OUT", with: target)
    try damage(verb.of, fixture)
    let outcome = try fixture.run(command)
    #expect(outcome.code == 78, "\(command): \(outcome.errors)")
    #expect(!outcome.output.contains("xxxx"), "\(command)")
    if command.contains(".rtfd") { #expect(!FileSystem.exists(target), "\(command)") }
    for path in try files(target) {
      #expect(try !FileSystem.contents(of: path).starts(with: Array("xxxx".utf8)), "\(path)")
    }
  }

  @Test("a repair removes damaged contents from documents, and finds nothing the next time")
  func repairOfDocuments() throws {
    let fixture = try CommandFixture.withContainer()
    for name in ["sent", "unsent"] {
      _ = try fixture.run("document put \(fixture.file(name, name)) Documents/\(name) -q")
      if name == "sent" { _ = try fixture.run("document sync") }
    }
    try damage("documents", fixture, count: 2)
    #expect(try fixture.run("doctor --repair").code == 78)
    let after = try fixture.run("doctor --deep")
    #expect(after.code == 0, "\(after.output)")
    #expect(try fixture.run("doctor --repair").code == 0)
    #expect(try fixture.run("document list -f names").output == "Documents/sent\n")
    #expect(try fixture.run("document get Documents/sent").code == 69)
  }

  @Test("a snapshot with damaged contents is not restored; a repair says that it remains damaged")
  func damagedSnapshot() throws {
    let fixture = try fixture(100)
    #expect(try fixture.run("snapshot save s").code == 0)
    _ = try fixture.run("record save Note --name later body=x")
    let snapshot = "\(fixture.directory.path)/.ckdb/snapshots/s"
    try damage("records", fixture, in: "snapshots/s/")
    let restore = try fixture.run("snapshot restore s")
    #expect(restore.code == 78, "\(restore.errors)")
    #expect(restore.errors.contains("--store \(snapshot) doctor --repair"))
    #expect(try fixture.run("record fetch later").code == 0)
    for _ in 0..<2 {
      #expect(try fixture.run("doctor --repair").code == 78)
      #expect(try fixture.run("doctor --deep").code == 78)
    }
    #expect(try fixture.run("--store \(snapshot) doctor --repair").code == 78)
    let after = try fixture.run("doctor --deep")
    #expect(after.code == 0, "\(after.output)")
    #expect(try fixture.run("snapshot restore s").code == 0)
  }
}
