internal import Basics
internal import CloudSync
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// `ckdb pull` (cli.md, §14).
@Suite struct PullCommandTests: RemoteTests {
  let remote = MemoryRemote()

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
        ("city", .string("c\(number)"), "STRING"))
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
    _ = try expect(fixture, "push -d private --dry-run", code: 3)
    #expect(!remote.calls.contains { $0.action == "records/modify" })
  }

  @Test("the same change on both sides is not a conflict")
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

  @Test("records of default zones come with the first pull, whose feeds bring their types")
  func firstPullOfDefaultZone() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    remote.put("b", in: "_defaultZone", ("title", .string("1"), "STRING"))
    #expect(try expect(fixture, "pull -d private").errors.contains("private: 2 created"))
  }

  @Test("a zone that the remote does not have, and a type of a zone with a feed, are refused")
  func limits() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    #expect(try expect(fixture, "pull -d private -z Nope", code: 1).errors.contains("no zone Nope"))
    #expect(try expect(fixture, "pull lab Note -z Notes", code: 64).errors.contains("pulled whole"))
    _ = try expect(fixture, "pull lab Users", code: 65)
  }

  @Test("a type that was dropped does not lend its number to the deletions of another")
  func droppedType() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "schema drop Note --yes")
    _ = try expect(fixture, "record save Other --name o -z Notes")
    let plan = try expect(fixture, "push lab Other --dry-run -d private -f tsv").output
    #expect(plan.contains("o\tOther\tcreate") && !plan.contains("delete"))
  }

  @Test("a record that was deleted and created again with another type replaces the other one")
  func replacedRecord() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    _ = try expect(fixture, "pull -d private")
    _ = try expect(fixture, "record delete a -z Notes --yes")
    _ = try expect(fixture, "record save Other --name a n:=1 -z Notes")
    _ = try expect(fixture, "push -d private")
    #expect(remote.records["private Notes a"]?.type == "Other")
    #expect(try expect(fixture, "push -d private").errors.contains("0 created, 0 changed"))
  }

  @Test("a list of numbers of both kinds is sent as one of DOUBLE")
  func mixedNumbers() throws {
    let fixture = try fixture()
    let schema = try fixture.file(
      "s.ckdb", "DEFINE SCHEMA\nRECORD TYPE Note ( n LIST<NUMBER> );\n")
    _ = try expect(fixture, "schema import \(schema)")
    _ = try expect(fixture, "zone create Notes")
    _ = try expect(fixture, "record save Note --name a n:=[1,2.5] -z Notes")
    _ = try expect(fixture, "push -d private")
    let field = remote.records["private Notes a"]?.fields.first?.value
    #expect(field?["type"]?.string == "DOUBLE_LIST")
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

  @Test("a pull of one zone does not warn that no types are known for the others")
  func typesOfOneZone() throws {
    let fixture = try fixture()
    remote.put("a", ("title", .string("1"), "STRING"))
    #expect(try !expect(fixture, "pull -z Notes").errors.contains("no record types"))
  }

  @Test("a type that no database there has, and one to push that is not here, are refused")
  func unknownTypes() throws {
    let fixture = try fixture()
    remote.put("a", in: "_defaultZone", ("title", .string("1"), "STRING"))
    let answer = #"{"serverErrorCode":"NOT_FOUND","reason":"Did not find record type"}"#
    let missing = MemoryRemote.Fault.answer(RemoteResponse(404, body: Array(answer.utf8)))
    remote.faults["records/query"] = [missing, missing]
    #expect(try expect(fixture, "pull Nots", code: 1).errors.contains("no record type Nots"))
    remote.faults["records/query"] = [missing]
    #expect(try expect(fixture, "pull -d private Note", code: 1).errors.contains("no record type"))
    _ = try expect(fixture, "pull Note")
    #expect(try expect(fixture, "push Nots", code: 1).errors.contains("did you mean Note?"))
  }
}
