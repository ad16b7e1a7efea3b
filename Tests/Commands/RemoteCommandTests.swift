internal import Basics
internal import CloudSync
internal import Glibc
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// `ckdb remote`, `pull` and `push` (cli.md, §14) against a server in memory.
@Suite struct RemoteCommandTests {
  private let remote = MemoryRemote()

  /// A store with a remote.
  private func fixture() throws -> CommandFixture {
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

  private func expect(
    _ fixture: CommandFixture, _ line: String, code: Int32 = 0,
    location: SourceLocation = #_sourceLocation
  ) throws -> CommandFixture.Outcome {
    let outcome = try fixture.run(line)
    #expect(outcome.code == code, "\(line): \(outcome.errors)", sourceLocation: location)
    return outcome
  }

  private func records(_ fixture: CommandFixture, _ zone: String = "Notes") throws -> String {
    try fixture.run("export -z \(zone) -f jsonl").output
  }

  private func text(_ text: String) -> JSONValue { .string(text) }

  // MARK: Pull

  @Test("a pull brings zones, records of every type of value, dates, creators and assets")
  func pulls() throws {
    let fixture = try fixture()
    remote.files["AQx"] = Array("hello".utf8)
    let file = JSONValue.object([.init("fileChecksum", .string("AQx")), .init("size", .int(5))])
    remote.put("a", parent: "b", ("title", .string("A"), "STRING"), ("image", file, "ASSETID"))
    remote.put(
      "b", ("n", .int(7), "INT64"), ("ratio", .int(2), "DOUBLE"),
      ("at", .int(1_700_000_000_123), "TIMESTAMP"), ("data", .string("aGk="), "BYTES"),
      ("tags", .array([.string("x")]), "STRING_LIST"),
      (
        "to", .object([.init("recordName", .string("a")), .init("action", .string("NONE"))]),
        "REFERENCE"
      ))
    let outcome = try expect(fixture, "pull")
    #expect(outcome.errors.contains("private: 2 created, 0 changed, 0 deleted, 0 unchanged"))
    #expect(outcome.errors.contains("new record type Note, inferred from records"))
    let all = try fixture.run("export -z Notes -f jsonl --system").output
    #expect(all.contains(#""ratio":2.0"#) && all.contains(#""parent":"b""#))
    #expect(all.contains(#""at":"2023-11-14T22:13:20.00"#) && all.contains(#""by":"_someone""#))
    let path = fixture.directory.path + "/image"
    _ = try expect(fixture, "asset get a image -z Notes -o \(path)")
    #expect(try FileSystem.contents(of: path) == Array("hello".utf8))
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
  }

  @Test("a second pull fetches only what has changed, and no asset again")
  func pullsAgain() throws {
    let fixture = try fixture()
    remote.files["AQx"] = Array("hello".utf8)
    let file = JSONValue.object([.init("fileChecksum", .string("AQx")), .init("size", .int(5))])
    for number in 1...5 { remote.put("r\(number)", ("image", file, "ASSETID")) }
    remote.pageSize = 2
    _ = try expect(fixture, "pull -d private")
    #expect(remote.downloads == ["AQx": 1], "one file of five records")
    remote.calls.removeAll()
    #expect(try expect(fixture, "pull -d private").errors.contains("private: 0 created, 0 changed"))
    #expect(!remote.calls.contains { $0.action == "changes/zone" })
    remote.put("r1", ("image", file, "ASSETID"), ("title", .string("new"), "STRING"))
    remote.delete("r2")
    let third = try expect(fixture, "pull -d private").errors
    #expect(third.contains("private: 0 created, 1 changed, 1 deleted, 0 unchanged"))
    #expect(remote.downloads == ["AQx": 1])
    remote.deleteZone("Notes")
    #expect(try expect(fixture, "pull -d private").errors.contains("zones deleted: 1"))
    #expect(try records(fixture) == "")
  }

  @Test("public types are asked for by query, and a record that is gone there is deleted here")
  func pullsPublic() throws {
    let fixture = try fixture()
    for number in 1...5 {
      remote.put(
        "p\(number)", type: "Place", in: "_defaultZone", database: "public",
        ("city", text("c\(number)"), "STRING"))
    }
    remote.pageSize = 2
    #expect(try expect(fixture, "pull").errors.contains("no record types are known"))
    #expect(try expect(fixture, "pull Place -d public").errors.contains("public: 5 created"))
    remote.delete("p3", in: "_defaultZone", database: "public")
    // The type is known now.
    let again = try expect(fixture, "pull -d public").errors
    #expect(again.contains("public: 0 created, 0 changed, 1 deleted, 4 unchanged"))
  }

  @Test("a record that was changed here is a conflict, never overwritten (exit code 3)")
  func pullConflicts() throws {
    let fixture = try fixture()
    for name in ["a", "b", "c"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name a title=here --policy changed -z Notes")
    _ = try expect(fixture, "record delete b -z Notes --yes")
    _ = try expect(fixture, "record save Note --name new title=here -z Notes")
    remote.put("a", ("title", .string("there"), "STRING"))
    remote.put("b", ("title", .string("there"), "STRING"))
    remote.put("new", ("title", .string("there"), "STRING"))
    remote.put("c", ("title", .string("there"), "STRING"))
    let errors = try expect(fixture, "pull -d private", code: 3).errors
    #expect(errors.contains("Notes/a: changed here, changed there"))
    #expect(errors.contains("Notes/b: deleted here, changed there"))
    #expect(errors.contains("Notes/new: created here, created there"))
    let records = try records(fixture)
    #expect(records.components(of: #""title":"here""#) == 2)
    #expect(records.components(of: #""title":"there""#) == 1, "c was not changed here")
    // They are still in conflict at the next pull, and at the push.
    #expect(try expect(fixture, "pull -d private", code: 3).errors.contains("Notes/a: changed"))
    _ = try expect(fixture, "push -d private", code: 3)
    #expect(!remote.calls.contains { $0.action == "records/modify" })
  }

  @Test("the same change on both sides is no conflict")
  func sameChange() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name a title=2 --policy changed -z Notes")
    remote.put("a", ("title", .string("2"), "STRING"))
    #expect(try expect(fixture, "pull -d private").errors.contains("1 unchanged"))
    #expect(try expect(fixture, "push -d private").errors.contains("0 created, 0 changed"))
  }

  @Test("a value that does not fit the schema leaves its record out, and is tried again")
  func schemaFaults() throws {
    let fixture = try fixture()
    _ = try expect(fixture, "schema add Note title:INT64")
    remote.put("a", ("title", .string("text"), "STRING"))
    remote.put("b", ("more", .string("text"), "STRING"))
    let outcome = try expect(fixture, "pull -d private", code: 3).errors
    #expect(outcome.contains("a: ") && outcome.contains("new field more of Note: STRING"))
    #expect(!(try records(fixture)).contains("\"a\""))
    _ = try expect(fixture, "schema drop Note.title --yes")
    _ = try expect(fixture, "pull -d private")
    #expect(try records(fixture).contains(#""recordName":"a""#))
  }

  @Test("an expired token starts the feed anew; what it then does not have is deleted")
  func expiredToken() throws {
    let fixture = try fixture()
    for name in ["a", "b"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    // The deletion is forgotten with the feed.
    remote.records["private Notes a"] = nil
    remote.put("c", ("title", .string("1"), "STRING"))
    let refused = #"{"zones":[{"serverErrorCode":"BAD_REQUEST","reason":"expired"}]}"#
    remote.faults["changes/zone"] = [.answer(RemoteResponse(200, body: Array(refused.utf8)))]
    let again = try expect(fixture, "pull -d private").errors
    #expect(again.contains("private: 1 created, 0 changed, 1 deleted, 1 unchanged"))
  }

  @Test("what a query misses is looked up before it counts as deleted")
  func missedByQuery() throws {
    let fixture = try fixture()
    for number in 1...3 {
      remote.put(
        "p\(number)", type: "Place", in: "_defaultZone", database: "public",
        ("n", .int(Int64(number)), "INT64"))
    }
    _ = try expect(fixture, "pull Place -d public")
    // An index that lags behind.
    let none = RemoteResponse(200, body: Array(#"{"records":[]}"#.utf8))
    remote.faults["records/query"] = [.answer(none)]
    let again = try expect(fixture, "pull Place -d public").errors
    #expect(again.contains("public: 0 created, 0 changed, 0 deleted, 3 unchanged"))
  }

  @Test("a lookup that fails for a record deletes nothing")
  func failedLookup() throws {
    let fixture = try fixture()
    for name in ["a", "b"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name a title=2 --policy changed -z Notes")
    remote.put("a", ("title", .string("3"), "STRING"))
    _ = try expect(fixture, "pull -d private", code: 3)
    let refused =
      #"{"records":[{"recordName":"a","serverErrorCode":"ACCESS_DENIED","reason":"no"}]}"#
    remote.faults["records/lookup"] = [.answer(RemoteResponse(200, body: Array(refused.utf8)))]
    _ = try expect(fixture, "pull -d private", code: 3)
    #expect(try records(fixture).contains(#""title":"2""#))
  }

  @Test("an asset that the server does not give leaves its record out, and is tried again")
  func missingAsset() throws {
    let fixture = try fixture()
    let file = JSONValue.object([
      .init("fileChecksum", .string("AQx")), .init("size", .int(5)),
    ])
    remote.put("a", ("image", file, "ASSETID"))
    remote.put("b", ("title", .string("1"), "STRING"))
    #expect(try expect(fixture, "pull -d private", code: 3).errors.contains("a: "))
    #expect(try records(fixture).contains(#""recordName":"b""#))
    remote.files["AQx"] = Array("hello".utf8)
    #expect(try expect(fixture, "pull -d private").errors.contains("private: 1 created"))
  }

  @Test("a record that cannot be read is listed, and tried again")
  func unreadable() throws {
    let fixture = try fixture()
    remote.put("a", ("x", .int(1), "COLOUR"))
    #expect(try expect(fixture, "pull -d private", code: 3).errors.contains("unknown type"))
    remote.records["private Notes a"]?.fields = []
    #expect(try expect(fixture, "pull -d private").errors.contains("private: 1 created"))
  }

  @Test("a zone that was deleted there and changed here is a conflict; mine makes it again")
  func deletedZone() throws {
    let fixture = try fixture()
    for name in ["a", "b"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name a title=2 --policy changed -z Notes")
    remote.deleteZone("Notes")
    let outcome = try expect(fixture, "pull -d private", code: 3).errors
    #expect(outcome.contains("Notes/a: changed here, deleted there"))
    #expect(!(try records(fixture)).contains(#""recordName":"b""#), "b was not changed here")
    _ = try expect(fixture, "push -d private --conflicts mine")
    #expect(remote.records["private Notes a"]?.fields.count == 1)
    #expect(remote.zones.keys.sorted() == ["Notes"])
  }

  @Test("--dry-run keeps nothing")
  func pullRehearsal() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    #expect(try expect(fixture, "pull --dry-run -d private").errors.contains("1 created"))
    #expect(try records(fixture) == "")
    #expect(try expect(fixture, "pull -d private").errors.contains("private: 1 created"))
  }

  // MARK: Push

  @Test("a push creates, changes and deletes, and then has nothing to do")
  func pushes() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)", ("n", .int(Int64(number)), "INT64")) }
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name r1 n:=null title=x --policy changed -z Notes")
    _ = try expect(fixture, "record save Note --name child --parent r1 -z Notes")
    _ = try expect(fixture, "record delete r2 -z Notes --yes")
    _ = try expect(fixture, "zone create Other")
    _ = try expect(fixture, "record save Note --name o -z Other")
    let plan = try expect(fixture, "push --dry-run -d private -f tsv").output
    for row in [
      "\t\tcreate zone\tprivate\tOther", "r1\tNote\tchange\t", "child\tNote\tcreate",
      "r2\tNote\tdelete",
    ] { #expect(plan.contains(row), "\(row): \(plan)") }
    let outcome = try expect(fixture, "push -d private").errors
    #expect(outcome.contains("private: 2 created, 1 changed, 1 deleted, zones created: 1"))
    let r1 = try #require(remote.records["private Notes r1"])
    #expect(r1.fields.map(\.name) == ["title"], "null removes the value")
    #expect(remote.records["private Notes child"]?.parent == "r1")
    #expect(remote.records["private Notes r2"]?.isDeleted == true)
    remote.calls.removeAll()
    _ = try expect(fixture, "push -d private")
    #expect(remote.calls.map(\.action) == ["users/caller"])
    // The echo of what was pushed changes nothing.
    #expect(try expect(fixture, "pull -d private").errors.contains("0 created, 0 changed"))
  }

  @Test("targets are sent before the records that refer to them")
  func order() throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    for (name, parent) in [("c", nil), ("b", "c"), ("a", "b")] as [(String, String?)] {
      let parent = parent.map { " --parent \($0)" } ?? ""
      _ = try expect(fixture, "record save Note --name \(name)\(parent) -z Notes")
    }
    // Saved again, the target has the newest version.
    _ = try expect(fixture, "record save Note --name c title=x --policy changed -z Notes")
    _ = try expect(fixture, "push -d private")
    let operations = remote.calls.first { $0.action == "records/modify" }?.body["operations"]
    #expect(
      operations?.array?.compactMap { $0["record"]?["recordName"]?.string } == ["c", "b", "a"])
  }

  @Test("assets are uploaded first, and only those that the server has not")
  func pushesAssets() throws {
    let fixture = try fixture()
    _ = try fixture.file("f", "hello")
    _ = try expect(fixture, "zone create Notes")
    let path = fixture.directory.path
    _ = try expect(fixture, "record save Pic --name p image@\(path)/f title=1 -z Notes")
    _ = try expect(fixture, "push -d private")
    #expect(Array(remote.files.values) == [Array("hello".utf8)])
    remote.calls.removeAll()
    _ = try expect(fixture, "record save Pic --name p title=2 --policy changed -z Notes")
    _ = try expect(fixture, "push -d private")
    #expect(!remote.calls.contains { $0.action == "assets/upload" })
    #expect(remote.records["private Notes p"]?.fields.count == 2)
    _ = try expect(fixture, "pull -d private")
    #expect(remote.downloads.isEmpty, "the store has the contents")
  }

  @Test(
    "--conflicts: keep leaves both, theirs takes the remote's, mine replaces it",
    arguments: [("keep", Int32(3)), ("theirs", 0), ("mine", 0)])
  func conflicts(_ choice: String, _ code: Int32) throws {
    let fixture = try fixture()
    for name in ["a", "b", "c"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    for name in ["a", "b"] {
      _ = try expect(
        fixture, "record save Note --name \(name) title=here --policy changed -z Notes")
    }
    _ = try expect(fixture, "record delete c -z Notes --yes")
    remote.put("a", ("title", .string("there"), "STRING"))
    remote.delete("b")
    remote.put("c", ("title", .string("there"), "STRING"))
    let outcome = try expect(
      fixture, "push -d private --delete --conflicts \(choice)", code: code
    ).errors
    if choice == "keep" { #expect(outcome.contains("Notes/b: changed here, deleted there")) }
    let there = ["a", "b", "c"].map { name -> String? in
      let record = remote.records["private Notes \(name)"]
      return record?.isDeleted == true
        ? nil : record?.fields.first { $0.name == "title" }?.value["value"]?.string
    }
    let here = try ["a", "b", "c"].map { name -> String? in
      let found = try fixture.run("record fetch \(name) -z Notes -f raw --fields title")
      return found.code == 0 ? String(found.output.dropLast()) : nil
    }
    switch choice {
    case "keep": #expect(there == ["there", nil, "there"] && here == ["here", "here", nil])
    case "theirs": #expect(there == here && here == ["there", nil, "there"])
    default: #expect(there == here && here == ["here", "here", nil])
    }
  }

  @Test("more than a tenth of a type, or a zone, is deleted only with --delete (exit code 65)")
  func massDeletions() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)") }
    _ = try expect(fixture, "pull -d private")
    for number in 1...3 { _ = try expect(fixture, "record delete r\(number) -z Notes --yes") }
    let outcome = try expect(fixture, "push -d private", code: 65).errors
    #expect(outcome.contains("private/Notes: 3 of 20 Note"))
    _ = try expect(fixture, "zone delete Notes --yes")
    #expect(try expect(fixture, "push -d private", code: 65).errors.contains("with 20 records"))
    #expect(!remote.calls.contains { $0.action.hasSuffix("modify") })
    _ = try expect(fixture, "push -d private --delete")
    #expect(remote.zones.isEmpty)
  }

  @Test("after a restored snapshot, and after a reset, a push refuses until the next pull")
  func restored() throws {
    let fixture = try fixture()
    for name in ["a", "b"] { remote.put(name, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "snapshot save empty")
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "snapshot save full")
    _ = try expect(fixture, "record delete a -z Notes --yes")
    _ = try expect(fixture, "snapshot restore full --yes")
    #expect(try expect(fixture, "push -d private --delete", code: 76).errors.contains("ckdb pull"))
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "push -d private --delete")
    _ = try expect(fixture, "schema reset --yes")
    _ = try expect(fixture, "push -d private --delete", code: 76)
    #expect(try expect(fixture, "pull -d private").errors.contains("private: 2 created"))
    _ = try expect(fixture, "push -d private --delete")
    #expect(remote.records.values.allSatisfy { !$0.isDeleted })
  }

  @Test("a zone that was never pulled is not deleted here, whatever a push is limited to")
  func partialPulls() throws {
    let fixture = try fixture()
    for zone in ["A", "B"] { remote.put("r", in: zone, ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private -z A")
    _ = try expect(fixture, "push -d private --delete")
    #expect(remote.zones.count == 2)
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "zone delete B --yes")
    _ = try expect(fixture, "push lab Note -d private --delete")
    #expect(remote.zones.count == 2, "a type is no zone")
    remote.put("r", in: "B", ("title", .string("2"), "STRING"))
    let outcome = try expect(fixture, "push -d private --delete", code: 3).errors
    #expect(outcome.contains("the zone B was deleted here, and changed on the remote"))
    #expect(remote.zones.count == 2)
  }

  @Test("a reset after a push that was cut off makes the next push refuse, too")
  func resetAfterCut() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)", ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record save Note --name r1 title=2 --policy changed -z Notes")
    remote.faults["records/modify"] = [.before(RemoteFailure(.permanent, "cut"))]
    _ = try expect(fixture, "push -d private", code: 69)
    _ = try expect(fixture, "schema reset --yes")
    for _ in 1...2 { _ = try expect(fixture, "push -d private --delete", code: 76) }
    #expect(remote.records.values.allSatisfy { !$0.isDeleted })
  }

  @Test("--conflicts mine deletes many records only with --delete")
  func massConflicts() throws {
    let fixture = try fixture()
    for number in 1...20 { remote.put("r\(number)", ("title", .string("1"), "STRING")) }
    _ = try expect(fixture, "pull -d private")
    for number in 1...3 { _ = try expect(fixture, "record delete r\(number) -z Notes --yes") }
    for number in 1...3 { remote.put("r\(number)", ("title", .string("2"), "STRING")) }
    _ = try expect(fixture, "pull -d private", code: 3)
    _ = try expect(fixture, "push -d private --conflicts mine", code: 65)
    #expect(remote.records.values.allSatisfy { !$0.isDeleted })
    _ = try expect(fixture, "push -d private --conflicts mine --delete")
    #expect(remote.records.values.count { $0.isDeleted } == 3)
  }

  @Test("encrypted values are not pushed, and stay here when the record is pulled again")
  func encrypted() throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    _ = try expect(
      fixture, "record save Note --name a title=1 secret:encrypted<string>=hidden -z Notes")
    let outcome = try expect(fixture, "push -d private").errors
    #expect(outcome.contains("encrypted values cannot be pushed: Note.secret of 1 record"))
    #expect(remote.records["private Notes a"]?.fields.map(\.name) == ["title"])
    remote.put("a", ("title", .string("2"), "STRING"))
    _ = try expect(fixture, "pull -d private")
    let records = try records(fixture)
    #expect(records.contains("hidden") && records.contains(#""title":"2""#))
    #expect(try expect(fixture, "push -d private").errors.contains("0 created, 0 changed"))
  }

  @Test("one record that the server refuses does not keep the others from being sent")
  func refusedRecord() throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    for number in 1...9 {
      _ = try expect(fixture, "record save Note --name r\(number) n:=1 -z Notes")
    }
    remote.refusedWhole = ["r4"]
    let outcome = try expect(fixture, "push -d private", code: 3).errors
    #expect(outcome.contains("r4: BAD_REQUEST: Invalid value"))
    #expect(remote.records.count == 8)
  }

  @Test("production needs --yes")
  func production() throws {
    let fixture = try fixture()
    let path = fixture.directory.path
    _ = try expect(
      fixture,
      "remote add prod --url https://p.example -C iCloud.org.example.app -e production "
        + "--api-token-file \(path)/token --web-auth-token-file \(path)/web")
    #expect(try expect(fixture, "push prod", code: 64).errors.contains("add --yes"))
    _ = try expect(fixture, "push prod --dry-run")
    _ = try expect(fixture, "push prod --yes")
    #expect(remote.calls.allSatisfy { $0.request.url.contains("/production/") })
  }

  // MARK: Failures

  @Test(
    "an answer that is lost is found out before anything is sent again",
    arguments: ["after", "twice", "internal", "html"])
  func lostAnswers(_ kind: String) throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    for number in 1...3 {
      _ = try expect(fixture, "record save Note --name r\(number) n:=1 -z Notes")
    }
    let fault: MemoryRemote.Fault =
      switch kind {
      case "after": .after(RemoteFailure(.unknown, "cut"))
      case "twice": .twice
      case "internal":
        .answer(RemoteResponse(500, body: Array(#"{"serverErrorCode":"INTERNAL_ERROR"}"#.utf8)))
      default: .answer(RemoteResponse(502, body: Array("<html>".utf8)))
      }
    remote.faults["records/modify"] = [fault]
    let outcome = try expect(fixture, "push -d private").errors
    if kind == "after" {
      #expect(outcome.contains("private: 3 created"))
      #expect(remote.calls.count { $0.action == "records/modify" } == 1)
    }
    #expect(remote.records.count == 3)
    remote.calls.removeAll()
    _ = try expect(fixture, "push -d private")
    #expect(!remote.calls.contains { $0.action == "records/modify" })
  }

  @Test(
    "items that the server puts off are sent again; what it refuses is listed with its code",
    arguments: ["THROTTLED", "TRY_AGAIN_LATER", "CAS_OP_LOCK", "ZONE_BUSY", "NEW_CODE"])
  func itemErrors(_ code: String) throws {
    let fixture = try fixture()
    _ = try expect(fixture, "zone create Notes")
    _ = try expect(fixture, "record save Note --name r n:=1 -z Notes")
    remote.faults["records/modify"] = [.items(code)]
    let outcome = try expect(fixture, "push -d private", code: code == "NEW_CODE" ? 3 : 0).errors
    if code == "NEW_CODE" { #expect(outcome.contains("r: NEW_CODE: refused")) }
    #expect(remote.records.isEmpty == (code == "NEW_CODE"))
  }

  @Test(
    "requests that fail are repeated if that helps; others end the command with the server's words",
    arguments: [
      (429, "THROTTLED", Int32(0)), (503, "TRY_AGAIN_LATER", 0), (500, "INTERNAL_ERROR", 0),
      (401, "AUTHENTICATION_FAILED", 77), (403, "ACCESS_DENIED", 77), (418, "TEAPOT", 65),
    ])
  func requestErrors(_ status: Int, _ code: String, _ exit: Int32) throws {
    let fixture = try fixture()
    remote.put("a")
    let body = #"{"serverErrorCode":"\#(code)","reason":"because","retryAfter":0.01}"#
    remote.faults["changes/database"] = [.answer(RemoteResponse(status, body: Array(body.utf8)))]
    let outcome = try expect(fixture, "pull -d private", code: exit)
    if exit != 0 { #expect(outcome.errors.contains("lab: \(code): because")) }
  }

  @Test("redirects are refused, and a server that cannot be reached is 69")
  func unreachable() throws {
    let fixture = try fixture()
    let headers = ["location": "https://evil.example/?ckAPIToken=api-SECRET-1"]
    remote.faults["users/caller"] = [.answer(RemoteResponse(302, headers: headers))]
    let outcome = try expect(fixture, "pull", code: 65).errors
    #expect(outcome.contains("redirects are refused: https://evil.example/"))
    #expect(!outcome.contains("SECRET"))
    remote.faults["users/caller"] = [.before(RemoteFailure(.permanent, "no certificate"))]
    _ = try expect(fixture, "pull", code: 69)
  }

  // MARK: Remotes

  @Test("secrets are in one file of mode 0600, and nowhere else")
  func secrets() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    var texts: [String] = []
    for line in [
      "remote list", "remote show lab", "remote list -f json", "pull -v", "push -v",
      "remote check lab", "export --system", "remote diff", "context",
    ] {
      let outcome = try fixture.run(line)
      texts.append(outcome.output + outcome.errors)
    }
    #expect(!texts.joined().contains("SECRET"))
    let folder = fixture.directory.path
    let givers = ["/.config/ckdb/remotes/lab.json", "/token", "/web"].map { folder + $0 }
    for path in try FileSystem.tree(of: folder) where !givers.contains(path) {
      let bytes = try FileSystem.contents(of: path)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("SECRET"), "\(path)")
    }
    let file = folder + "/.config/ckdb/remotes/lab.json"
    #expect(try FileSystem.knownStatus(of: file).st_mode & 0o777 == 0o600)
    _ = try ChildProcess.run(
      ["/bin/chmod", "640", file], fixture.variables, output: 1, errors: 2)
    let refused = try expect(fixture, "pull", code: 77).errors
    #expect(refused.contains("contains secrets") && refused.contains("chmod 600"))
    #expect(!refused.contains("SECRET"))
  }

  @Test("requests are signed with tokens, and the newest token of the server is kept")
  func tokens() throws {
    let fixture = try fixture()
    remote.faults["users/caller"] = [
      .answer(
        RemoteResponse(
          200, headers: ["x-apple-cloudkit-web-auth-token": "new+/="],
          body: Array(#"{"userRecordName":"_me"}"#.utf8)))
    ]
    _ = try expect(fixture, "pull -d private")
    let urls = remote.calls.map(\.request.url)
    #expect(urls[0].hasSuffix("users/caller?ckAPIToken=api-SECRET-1&ckWebAuthToken=web-SECRET-2"))
    #expect(urls[1].hasSuffix("ckWebAuthToken=new%2B%2F%3D"))
    _ = try expect(fixture, "pull -d private")
    #expect(remote.calls.last { $0.action == "users/caller" }?.request.url.hasSuffix("%3D") == true)
  }

  @Test("a key signs the date, the hash of the body and the path")
  func keys() throws {
    let fixture = try fixture()
    let pem = "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----"
    let path = try fixture.file("key.pem", pem)
    _ = try expect(
      fixture,
      "remote add key --url https://k.example -C iCloud.org.example.app --key-id my-key "
        + "--key \(path)"
    )
    _ = try expect(fixture, "pull key Place")
    let call = try #require(remote.calls.last)
    #expect(call.action == "records/query")
    let headers = Dictionary(uniqueKeysWithValues: call.request.headers.map { ($0.name, $0.value) })
    let date = try #require(headers["X-Apple-CloudKit-Request-ISO8601Date"])
    #expect(date.count == 20 && date.hasSuffix("Z") && !date.contains("."))
    let hash = Base64.encode(SHA256.hash(call.request.body))
    let target = call.request.url.dropFirst("https://k.example".count)
    let signed = SHA256.hash(Array("\(date):\(hash):\(target)".utf8) + Array(pem.utf8))
    #expect(headers["X-Apple-CloudKit-Request-SignatureV1"] == Base64.encode(signed))
    #expect(headers["X-Apple-CloudKit-Request-KeyID"] == "my-key")
    #expect(try expect(fixture, "pull key -d private", code: 77).errors.contains("only the public"))
  }

  @Test(
    "a remote that cannot be added is refused",
    arguments: [
      ("add lab --api-token-file token", Int32(73), "already exists"),
      ("add x --url http://far.example --api-token-file token", 64, "plain text"),
      ("add x --url ftp://far.example --api-token-file token", 64, "--url must be"),
      ("add x", 64, "needs --key-id and --key, or --api-token-file"),
      ("add x --key-id K --key token", 65, "is not a private key in PEM"),
      ("add x --key-id K --key k --api-token-file token", 64, "needs --key-id"),
      ("add ../x --api-token-file token", 65, "not a name of a remote"),
      ("add x --api-token-file missing", 66, "missing"),
      ("show nope", 1, "there is no remote 'nope'"),
    ])
  func refusals(_ line: String, _ code: Int32, _ words: String) throws {
    let fixture = try fixture()
    let folder = fixture.directory.path
    let line = line.split(separator: " ").map {
      ["token", "missing", "k"].contains($0) ? "\(folder)/\($0)" : String($0)
    }
    let outcome = try fixture.run(["remote"] + line)
    #expect(outcome.code == code)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test("check names the index that a pull needs; diff compares with the whole remote")
  func checkAndDiff() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    _ = try expect(fixture, "pull -d private")
    #expect(try expect(fixture, "remote diff -d private").errors.contains("no differences"))
    _ = try expect(fixture, "record save Note --name a title=2 --policy changed -z Notes")
    let diff = try expect(fixture, "remote diff -d private", code: 1).output
    #expect(diff.contains(#"-title: "1""#) && diff.contains(#"+title: "2""#), "\(diff)")
    let refused =
      #"{"serverErrorCode":"BAD_REQUEST","reason":"Field '___createTime' is not marked queryable"}"#
    remote.faults["records/query"] = [.answer(RemoteResponse(400, body: Array(refused.utf8)))]
    let check = try expect(fixture, "remote check -f json", code: 1).output
    #expect(check.contains(#"\"___createTime\" TIMESTAMP QUERYABLE SORTABLE"#), "\(check)")
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}

extension FileSystem {
  /// The regular files below a folder.
  fileprivate static func tree(of folder: String) throws -> [String] {
    try list(folder).flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      return isFolder(path) ? try tree(of: path) : isRegular(path) ? [path] : []
    }
  }
}
