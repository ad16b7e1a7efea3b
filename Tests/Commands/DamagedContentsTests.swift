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
  private func damage(_ owner: String, _ fixture: CommandFixture) throws {
    var count = 0
    try FolderTree(fixture.directory.path + "/.ckdb").walk { entry in
      guard entry.isRegular, FileSystem.name(of: entry.path).utf8.count == 64 else { return true }
      if entry.path.contains("/development/") != (owner == "records") { return true }
      let path = "\(fixture.directory.path)/.ckdb/\(entry.path)"
      var bytes = try FileSystem.contents(of: path)
      bytes[bytes.count / 2] ^= 1
      try FileSystem.replace(path, with: bytes)
      count += 1
      return true
    } failed: {
      throw CorruptionError(path: $0, error: $1)
    }
    #expect(count == 1)
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
}
