internal import Basics
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// `ckdb pull -d shared`: the zones that other users share with the remote's user.
@Suite struct SharedPullTests: RemoteTests {
  let remote = MemoryRemote()

  /// A fixture and a remote that shares the zone Lists of `_ann`.
  private func shared() throws -> CommandFixture {
    let fixture = try fixture()
    remote.owners = ["Lists": "_ann"]
    remote.put("a", in: "Lists", ("title", .string("milk"), "STRING"))
    remote.put("b", in: "Lists", parent: "a", ("title", .string("eggs"), "STRING"))
    remote.put("Share-1", type: "cloudkit.share", in: "Lists")
    remote.put("own", in: "Notes", ("title", .string("mine"), "STRING"))
    return fixture
  }

  @Test("records are in the shared database, in the zone of their owner, and only there")
  func pull() throws {
    let fixture = try shared()
    let outcome = try expect(fixture, "pull -d shared")
    #expect(
      outcome.errors.contains(
        "shared: 2 created, 0 changed, 0 deleted, 0 unchanged, zones created: 1"))
    #expect(try fixture.run("zone list -d shared -f names").output == "Lists:_ann\n")
    let records = try expect(fixture, "query Note -d shared -f csv --fields title").output
    #expect(records.contains("a,milk") && records.contains("b,eggs") && !records.contains("mine"))
    #expect(try fixture.run("zone list -f names").output == "_defaultZone\n")
    #expect(try fixture.run("share list -d shared -f json").output.contains("_ann"))
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
  }

  @Test("changes and deletions follow, by the feed of the zone of its owner")
  func changes() throws {
    let fixture = try shared()
    _ = try expect(fixture, "pull -d shared")
    remote.put("a", in: "Lists", ("title", .string("bread"), "STRING"))
    remote.delete("b", in: "Lists")
    #expect(try expect(fixture, "pull -d shared --dry-run").errors.contains("1 changed, 1 deleted"))
    #expect(try expect(fixture, "pull -d shared").errors.contains("1 changed, 1 deleted"))
    #expect(try fixture.run("record list Note -d shared -z Lists:_ann -f names").output == "a\n")
    let calls = remote.calls.count
    #expect(try expect(fixture, "pull -d shared").errors.contains("0 changed, 0 deleted"))
    #expect(remote.calls.count == calls + 2)
    let zones = remote.calls.compactMap { $0.body["zones"]?.array?.first?["zoneID"] }
    #expect(zones.allSatisfy { $0["ownerRecordName"]?.string == "_ann" })
  }

  @Test("a zone that is not shared any more goes, with what was in it")
  func end() throws {
    let fixture = try shared()
    _ = try expect(fixture, "pull -d shared")
    remote.deleteZone("Lists")
    #expect(
      try expect(fixture, "pull -d shared").errors.contains(
        "2 deleted, 0 unchanged, zones deleted: 1"))
    #expect(try fixture.run("zone list -d shared -f names").output == "")
    remote.put("c", in: "Lists", ("title", .string("tea"), "STRING"))
    _ = try expect(fixture, "pull -d shared")
    #expect(try fixture.run("record list Note -d shared -z Lists -f names").output == "c\n")
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
  }

  @Test("the copy can only be read, and neither pushed nor compared")
  func reading() throws {
    let fixture = try shared()
    _ = try expect(fixture, "pull -d shared")
    _ = try expect(
      fixture, "record save Note --name a title=x -d shared -z Lists --policy changed", code: 77)
    _ = try expect(fixture, "record delete a -d shared -z Lists", code: 77)
    for line in ["push -d shared", "remote diff -d shared", "pull lab Note -d shared"] {
      #expect(try expect(fixture, line, code: 64).output == "")
    }
    remote.calls = []
    _ = try expect(fixture, "push")
    #expect(!remote.calls.contains { $0.action == "records/modify" })
  }

  @Test("-z names a zone, or the zone of one owner")
  func zones() throws {
    let fixture = try shared()
    remote.owners["Plans"] = "_bob"
    remote.put("p", in: "Plans", ("title", .string("p"), "STRING"))
    _ = try expect(fixture, "pull -d shared -z Plans:_bob")
    #expect(try fixture.run("zone list -d shared -f names").output == "Plans:_bob\n")
    _ = try expect(fixture, "pull -d shared -z Lists")
    #expect(try fixture.run("zone list -d shared -f names").output == "Lists:_ann\nPlans:_bob\n")
    _ = try expect(fixture, "pull -d shared -z Lists:_bob", code: 1)
  }

  @Test("a zone whose owner has an account here is refused: it would be the owner's own zone")
  func owners() throws {
    let fixture = try shared()
    _ = try expect(fixture, "record save Note --name x -u ann")
    let name = try expect(fixture, "account show ann -f json").output
    let user = try #require(try JSONParser.parse(name).array?.first?["userRecordName"]?.string)
    remote.owners["Lists"] = user
    #expect(
      try expect(fixture, "pull -d shared", code: 65).errors.contains(
        "has an account here"))
    #expect(try fixture.run("zone list -d shared -f names").output == "")
  }

  @Test("a copy is for one account; a pull shows it again after that has left it")
  func accounts() throws {
    let fixture = try shared()
    _ = try expect(fixture, "pull -d shared")
    _ = try expect(fixture, "zone delete Lists -d shared --yes")
    #expect(try fixture.run("zone list -d shared -f names").output == "")
    remote.put("c", in: "Lists", ("title", .string("tea"), "STRING"))
    _ = try expect(fixture, "pull -d shared")
    #expect(try fixture.run("zone list -d shared -f names").output == "Lists:_ann\n")
    let other = try expect(fixture, "pull -d shared -u bob", code: 65)
    #expect(other.errors.contains("was copied for another account"))
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
  }
}
