internal import Basics
internal import CommandKit
internal import TestSupport
internal import Testing

@testable internal import Commands

/// The examples of the help and the manual pages run as printed (DS8). They share a store and
/// files, which Tests/Examples/world.sh makes, and each runs in its own copy.
@Suite struct ManualExamplesTests {
  private static let examples = CommandTable(
    program: "ckdb", summary: "", globals: GlobalOptions.all, rootOptions: GlobalOptions.root,
    rows: Table.rows
  ).allVerbs().filter { !$0.row.isHidden }.flatMap { $0.command.examples.map(\.line) }

  /// The exit codes of examples whose answer is "no" or a refusal.
  private static let otherCodes: [String: Int32] = [
    // Production has no types yet.
    "ckdb schema diff": 1,
    "ckdb schema check --queries queries.txt": 1,
    // Another example deletes this container.
    "ckdb container create iCloud.com.example.app": 73,
    // CloudKit has no OR, and no LIKE.
    "ckdb predicate check \"a == 1 OR b BEGINSWITH 'x'\"": 1,
    "ckdb predicate check Artwork \"title LIKE 'S*'\"": 1,
    // A change token of another store has expired.
    "ckdb changes zone -z Notes --since z1.54bf794fe21f9787.3": 76,
    // The other examples use this snapshot.
    "ckdb snapshot save seeded": 73,
    // The server is another program, with tests of its own.
    "ckdb serve": 69,
    "ckdb serve --temporary --fixture library.json --port 0 -f json": 69,
    "ckdb serve --tls --port 8443": 69,
    "ckdb dashboard": 69,
    "ckdb dashboard -f json": 69,
    // So is the client of other servers.
    "ckdb remote check lab": 69, "ckdb remote diff lab -d public": 69,
    "ckdb pull": 69, "ckdb pull lab Place -d public": 69,
    "ckdb push --dry-run": 69, "ckdb push lab": 69,
    "ckdb remote add lab --url http://127.0.0.1:8321 -C iCloud.com.example.app "
      + "--api-token-file token.txt": 73,
    "ckdb key add ck.pem --name ci": 69,
    "ckdb key create ci -o ci.pem": 69,
    "ckdb key delete ci": 1,
  ]

  @Test("each example runs")
  func examplesRun() throws {
    var program = try RealProgram()
    program.variables["EDITOR"] = "true"
    try FileSystem.copy(
      "\(ProjectFiles.root)/Tests/Examples/world.sh", to: program.directory.path + "/world.sh")
    let enter = "export HOME=$PWD CKDB_STORE=$PWD/store PATH=$PWD/bin:$PATH"
    let made = try program.shell("mkdir world && cd world && \(enter) && sh ../world.sh")
    try #require(made.code == 0, "\(made.errors)")
    for line in Self.examples {
      try program.file("example.sh", line)
      let outcome = try program.shell(
        "rm -rf copy && cp -R world copy && cd copy && \(enter) && export URL=$(cat url) && bash ../example.sh"
      )
      #expect(outcome.code == Self.otherCodes[line] ?? 0, "\(line): \(outcome.errors)")
    }
  }

  @Test("every example with another exit code exists")
  func otherCodesAreUsed() {
    #expect(Set(Self.otherCodes.keys).isSubset(of: Self.examples))
  }
}
