internal import Basics
internal import CloudSync
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// Tests of `ckdb remote`, `pull` and `push` (cli.md, §14) against a server in memory.
protocol RemoteTests {
  /// The server.
  var remote: MemoryRemote { get }
}

extension RemoteTests {
  /// A store with a remote.
  func fixture() throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    fixture.transport = remote
    fixture.variables["CKDB_CLOCK"] = nil
    for (name, text) in [("token", "api-SECRET-1"), ("web", "web-SECRET-2")] {
      _ = try fixture.file(name, text + "\n")
    }
    let outcome = try fixture.run(
      "remote add lab --url https://lab.example -C iCloud.org.example.app --api-token-file "
        + "\(fixture.directory.path)/token --web-auth-token-file \(fixture.directory.path)/web")
    #expect(outcome.code == 0, "\(outcome.errors)")
    return fixture
  }

  /// Runs a command line, which must end with a code.
  func expect(
    _ fixture: CommandFixture, _ line: String, code: Int32 = 0,
    location: SourceLocation = #_sourceLocation
  ) throws -> CommandFixture.Outcome {
    let outcome = try fixture.run(line)
    #expect(outcome.code == code, "\(line): \(outcome.errors)", sourceLocation: location)
    return outcome
  }

  /// The records of a zone, one in a line.
  func records(_ fixture: CommandFixture, _ zone: String = "Notes") throws -> String {
    try fixture.run("export -z \(zone) -f jsonl").output
  }
}

extension String {
  /// How often a text occurs.
  func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
