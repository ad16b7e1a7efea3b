internal import TestSupport
internal import Testing

/// A device that is offline cannot reach iCloud (CKError 3, exit 69); commands on the store itself,
/// and on data of the device, still work (K33, K34, D30).
@Suite struct OfflineTests {
  private static let cktoolPlace = [
    "--team-id", "T", "--container-id", "iCloud.org.example.app", "--environment", "development",
    "--database-type", "private", "--zone-name", "Z",
  ]

  /// A store with records, a share and an offline phone; `phone` has written before.
  private func fixture() throws -> (CommandFixture, url: String) {
    let fixture = try CommandFixture(entering: true)
    _ = try fixture.file("t.txt", "text")
    _ = try fixture.file("s.ckdb", "DEFINE SCHEMA RECORD TYPE Note ( text STRING QUERYABLE );")
    _ = try fixture.file("n.jsonl", #"{"recordName":"n2","fields":{"text":"x"}}"# + "\n")
    _ = try fixture.file(
      "f.json",
      #"{"databases":{"private":{"zones":{"Z":{"records":[{"recordName":"n","recordType":"Note","#
        + #""fields":{"text":"x"}}]}}}}}"#)
    _ = try fixture.file("b.txt", "record fetch n -z Z\n")
    var url = ""
    for line in [
      "container create iCloud.org.example.app", "device add phone", "zone create Z",
      "record save Note --name n text=x -z Z --device phone", "asset put n file t.txt -z Z",
      "share create n -z Z --with bob", "subscription create zone --id s -z Z --device phone",
      "kvs set a=1 --device phone", "document put t.txt Documents/t.txt --device phone",
      "device offline phone",
    ] {
      let outcome = try fixture.run(line.split(separator: " ").map(String.init))
      #expect(outcome.code == 0, "\(line): \(outcome.errors)")
      if line.hasPrefix("share") { url = String(outcome.output.split(separator: "\n")[0]) }
    }
    return (fixture, url)
  }

  @Test(
    "a command that acts on records, zones, assets, shares, subscriptions or users fails",
    arguments: [
      "record save Note text=y", "record save Note --from n.jsonl", "record fetch n -z Z",
      "record list -z Z", "record delete n -z Z --yes", "record tree n -z Z", "query Note",
      "query Note --count -d public", "explain Note", "import Note n.jsonl",
      "import Note n.jsonl --dry-run", "export", "export Note -d public", "changes",
      "changes zone -z Z", "zone list", "zone create New", "zone show Z", "zone delete Z --yes",
      "asset put n file t.txt -z Z", "asset get n file -z Z", "asset list",
      "share create n -z Z", "share show n -z Z", "share list", "share edit n -z Z --add eve",
      "share stop n -z Z --yes", "share metadata URL", "share accept URL -u bob",
      "share url n -z Z", "share requests n -z Z", "share leave n -z Z", "subscription list",
      "subscription show s",
      "subscription create database --id d", "subscription delete s", "user discover --all",
      "user permission", "user permission grant", "user role list me",
      "cktool query-records --record-type Note",
      "cktool delete-record --record-name n --yes", "run b.txt",
    ])
  func fails(_ line: String) throws {
    let (fixture, url) = try fixture()
    let before = try fixture.run(["fixture", "export"]).output
    var words = line.split(separator: " ").map { $0 == "URL" ? url : String($0) }
    if words[0] == "cktool" { words += Self.cktoolPlace }
    let outcome = try fixture.run(words + ["--device", "phone"])
    #expect(outcome.code == 69, "\(outcome.errors)")
    #expect(outcome.errors.contains("device 'phone' is offline"), "\(outcome.errors)")
    #expect(try fixture.run(["fixture", "export"]).output == before)
    // Another device of the account reaches everything.
    #expect(try fixture.run(words).code != 69)
  }

  @Test(
    "a command that acts on the store, or on data of the device, works",
    arguments: [
      "schema show", "schema add Note more:STRING", "schema export", "schema import s.ckdb --yes",
      "schema drop Note --yes", "fixture load f.json", "fixture check f.json", "fixture export",
      "snapshot save x", "assert f.json --subset", "assert query Note --count 1 -z Z",
      "snapshot list", "store info", "store doctor", "device list", "device online phone",
      "fault list", "fault add --operation save --code zoneBusy", "container list", "use -z Z",
      "account list", "account show", "schema deploy", "notification list",
      "kvs set b=2", "kvs get a", "document put t.txt Documents/u.txt",
      "document get Documents/t.txt", "document list", "predicate check Note text=='x'",
    ])
  func goesOn(_ line: String) throws {
    let (fixture, _) = try fixture()
    let outcome = try fixture.run(
      line.split(separator: " ").map(String.init) + ["--device", "phone"])
    #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test(
    "commands that need iCloud's keys or files say so", arguments: ["kvs sync", "document sync"])
  func synchronization(_ line: String) throws {
    let (fixture, _) = try fixture()
    let outcome = try fixture.run(
      line.split(separator: " ").map(String.init) + ["--device", "phone"])
    #expect(outcome.code == 1, "\(outcome.errors)")
    #expect(outcome.output.contains(#""synchronized":false"#))
  }
}
