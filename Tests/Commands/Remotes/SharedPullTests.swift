internal import Basics
internal import RemoteSupport
internal import TestSupport
internal import Testing

/// `ckdb pull -d shared` (cli.md, §14): the zones that other users share with the remote's user.
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
    #expect(zones.count == 3)
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
    // A single word that is not a remote is a type.
    let mistyped = try expect(fixture, "pull lba -d shared", code: 64).errors
    #expect(mistyped.contains("lba, which is not a remote"))
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
    _ = try expect(fixture, "pull -d shared -z _defaultZone", code: 1)
    // An owner may be named by account (M9).
    let other = try self.fixture()
    _ = try expect(other, "record save Note --name x -u ann")
    remote.owners["Lists"] = try user("ann", other)
    let third = try self.fixture()
    _ = try expect(third, "pull -d shared -z Lists:ann")
    #expect(try names(third) == ["a", "b"])
  }

  @Test("a zone whose owner has an account here is refused, and the others are copied")
  func owners() throws {
    let fixture = try shared()
    _ = try expect(fixture, "record save Note --name x -u ann")
    remote.owners["Plans"] = "_bob"
    remote.put("p", in: "Plans", ("title", .string("p"), "STRING"))
    remote.owners["Lists"] = try user("ann", fixture)
    let refused = try expect(fixture, "pull -d shared", code: 3).errors
    #expect(refused.contains("its owner has an account here"))
    #expect(try fixture.run("zone list -d shared -f names").output == "Plans:_bob\n")
  }

  @Test("the copies of a user who gets an account here go: the zones would have one ID")
  func ownersLater() throws {
    let fixture = try shared()
    remote.owners["Plans"] = "_bob"
    remote.put("p", in: "Plans", ("title", .string("1"), "STRING"))
    let other = try self.fixture()
    _ = try expect(other, "record save Note --name x -u ann")
    remote.owners["Lists"] = try user("ann", other)
    remote.put("odd", type: "Note", in: "Lists", ("title", .int(1), "INT64"))
    _ = try expect(fixture, "pull -d shared", code: 3)
    _ = try expect(fixture, "record save Note --name x -u ann")
    #expect(try fixture.run("zone list -u ann -f names").output == "_defaultZone\n")
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
    remote.put("q", in: "Plans", ("title", .string("2"), "STRING"))
    let refused = try expect(fixture, "pull -d shared", code: 3).errors
    #expect(refused.contains("its owner has an account here"))
    #expect(try fixture.run("zone list -d shared -f names").output == "Plans:_bob\n")
    _ = try expect(fixture, "push -u ann -d private")
    #expect(remote.zones.keys.sorted() == ["Lists", "Notes", "Plans"])
  }

  @Test("the same remote under two addresses has the whole zone after each pull")
  func addresses() throws {
    let fixture = try shared()
    _ = try expect(fixture, "remote add new --url https://new.example \(credentials(fixture))")
    for round in 1...3 {
      for name in ["lab", "new"] {
        remote.put("\(name)\(round)", in: "Lists", ("title", .string("tea"), "STRING"))
        if round == 2 { remote.delete("b", in: "Lists") }
        _ = try expect(fixture, "pull \(name) -d shared")
        #expect(try names(fixture) == remoteNames, "\(name) \(round)")
      }
    }
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
  }

  @Test("a copy is for one user of the remote and one account, until that gives it up")
  func readers() throws {
    let fixture = try shared()
    _ = try expect(fixture, "pull -d shared -u rita")
    for line in ["pull -d shared", "pull -d shared -u bob"] {
      let refused = try expect(fixture, line, code: 3).errors
      #expect(refused.contains("remote's user of rita") && refused.contains("gives the copy up"))
    }
    remote.caller = "_zoe"
    _ = try expect(fixture, "pull -d shared -u rita", code: 3)
    remote.deleteZone("Lists")
    _ = try expect(fixture, "pull -d shared -u rita")
    #expect(try fixture.run("zone list -d shared -f names -u rita").output == "Lists:_ann\n")
    remote.put("a", in: "Lists", ("title", .string("new"), "STRING"))
    _ = try expect(fixture, "zone delete Lists:_ann -d shared -u rita --yes")
    _ = try expect(fixture, "pull -d shared")
    #expect(try names(fixture) == ["a"])
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
  }

  @Test("a pull shows a copy again that the account has left, or that went with the account")
  func leaving() throws {
    let fixture = try shared()
    _ = try expect(fixture, "pull -d shared")
    _ = try expect(fixture, "zone delete Lists -d shared --yes")
    #expect(try fixture.run("zone list -d shared -f names").output == "")
    _ = try expect(fixture, "pull -d shared")
    #expect(try names(fixture) == ["a", "b"])
    _ = try expect(fixture, "pull -d shared -u rita", code: 3)
    _ = try expect(fixture, "zone delete Lists -d shared --yes")
    _ = try expect(fixture, "pull -d shared -u rita")
    _ = try expect(fixture, "account purge rita --yes")
    _ = try expect(fixture, "account delete rita --yes")
    remote.delete("b", in: "Lists")
    _ = try expect(fixture, "pull -d shared -u rita")
    #expect(try names(fixture, "rita") == ["a"])
    #expect(try expect(fixture, "doctor --deep").errors.contains("sound"))
  }

  @Test("what is missing in a copy comes with the next pull, and nothing is a conflict")
  func differences() throws {
    let fixture = try shared()
    _ = try expect(fixture, "pull -d shared")
    _ = try expect(fixture, "schema drop Note --yes")
    remote.put("a", in: "Lists", ("title", .string("rice"), "STRING"))
    _ = try expect(fixture, "pull -d shared")
    #expect(try fixture.run("query Note -d shared --fields title -f csv").output.contains("rice"))
    #expect(try names(fixture) == ["a", "b"])
  }

  /// The names of the records in the copy of Lists.
  private func names(_ fixture: CommandFixture, _ account: String = "me") throws -> [String] {
    let listed = try expect(fixture, "record list Note -d shared -z Lists -f names -u \(account)")
    return listed.output.split(separator: "\n").map(String.init).sorted()
  }

  private var remoteNames: [String] {
    remote.records.filter { $0.key.hasPrefix("private Lists ") && !$0.value.isDeleted }
      .filter { $0.value.type == "Note" }.keys.map { String($0.dropFirst(14)) }.sorted()
  }

  private func credentials(_ fixture: CommandFixture) -> String {
    let folder = fixture.directory.path
    return
      "-C iCloud.org.example.app --api-token-file \(folder)/token --web-auth-token-file \(folder)/web"
  }

  private func user(_ account: String, _ fixture: CommandFixture) throws -> String {
    let shown = try expect(fixture, "account show \(account) -f json").output
    return try #require(try JSONParser.parse(shown).array?.first?["userRecordName"]?.string)
  }
}
