internal import CloudModel
internal import CloudServices
internal import Testing

/// Zones (R2).
@Suite struct ZoneTests {
  @Test("C036, C047: the default zone is there from the beginning, and always listed")
  func defaultZone() throws {
    let fixture = try CloudFixture()
    for scope in [DatabaseScope.private, .public] {
      let database = try fixture.database(scope)
      #expect(try database.zones().map(\.id.text) == ["_defaultZone"])
      #expect(try database.zone(.defaultZone).recordCount == 0)
    }
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    #expect(Set(try fixture.mine.zones().map(\.id.text)) == ["Notes", "_defaultZone"])
  }

  @Test(
    "ZoneService: zones are listed in name order, before the default zone is written and after")
  func order() throws {
    let fixture = try CloudFixture()
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    let before = try fixture.mine.zones().map(\.id)
    try fixture.mine.save("r")
    #expect(try fixture.mine.zones().map(\.id) == before)
  }

  @Test("C037: a record saved without a zone lands in the default zone")
  func landing() throws {
    let fixture = try CloudFixture()
    #expect(try fixture.mine.save("r").zone == .defaultZone)
    #expect(try fixture.mine.zone(.defaultZone).recordCount == 1)
  }

  @Test(
    "C038, C039, C041: zone names that are refused",
    arguments: ["", "_Notes", "__defaultOwner__", "Né", "日本", "a\u{7f}", "a\nb", "_defaultzone"])
  func refusedNames(_ name: String) {
    expectRefusal(.invalidArguments, "zone name") { _ = try ZoneID(name) }
  }

  @Test("C040: a zone name of 255 characters works, 256 fails")
  func lengthOfNames() throws {
    let fixture = try CloudFixture()
    let longest = String(repeating: "z", count: 255)
    #expect(try fixture.mine.createZone(ZoneID(longest)))
    try fixture.mine.save("r", zone: longest)
    expectRefusal(.invalidArguments) { _ = try ZoneID(longest + "z") }
  }

  @Test("C029, C030: custom zones are made in the private database only (24)")
  func otherDatabases() throws {
    let fixture = try CloudFixture()
    for scope in [DatabaseScope.public, .shared] {
      expectRefusal(.badDatabase) {
        _ = try fixture.database(scope).createZone(ZoneID("Notes"))
      }
    }
  }

  @Test("C042: saving into a zone that does not exist gives 26")
  func missingZone() throws {
    let fixture = try CloudFixture()
    let error = expectRefusal(.zoneNotFound) { try fixture.mine.save("r", zone: "Notes") }
    #expect(error?.zone?.text == "Notes")
    #expect(try fixture.environment().madeTypes().isEmpty)
    for scope in [DatabaseScope.public, .shared] {
      expectRefusal(.zoneNotFound) { try fixture.database(scope).save("r", zone: "Notes") }
    }
    expectRefusal(.invalidArguments) { try fixture.database(.shared).save("r") }
  }

  @Test("R2.8: fetch, list and query of a missing zone give 26")
  func readingAMissingZone() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r")
    expectRefusal(.zoneNotFound) { _ = try fixture.mine.find("r", zone: "Notes") }
    expectRefusal(.zoneNotFound) { try fixture.mine.list(nil, in: ZoneID("Notes")) { _ in true } }
    var request = QueryRequest(type: try RecordType("Note"), predicate: .constant(true, 0..<0))
    request.zone = try ZoneID("Notes")
    expectRefusal(.zoneNotFound) { _ = try fixture.mine.count(request) }
  }

  @Test("C043: a custom zone can do all four, the default zone nothing")
  func capabilities() throws {
    let fixture = try CloudFixture()
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    #expect(try fixture.mine.zone(ZoneID("Notes")).capabilities.count == 4)
    #expect(try fixture.mine.zone(.defaultZone).capabilities.isEmpty)
  }

  @Test("C044: deleting a zone deletes its records and nothing else")
  func deleting() throws {
    let fixture = try CloudFixture()
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    try fixture.mine.save("r", "Note", [("a", .int64(1))], zone: "Notes")
    try fixture.mine.save("r", "Note", [("a", .int64(2))])
    try fixture.mine.deleteZone(ZoneID("Notes"))
    #expect(try fixture.mine.everything().map { $0["a"] } == [.int64(2)])
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    #expect(try fixture.mine.zone(ZoneID("Notes")).recordCount == 0)
  }

  @Test("C045: deleting a missing zone gives 26; the default zone stays (15)")
  func deletingWhatIsNotThere() throws {
    let fixture = try CloudFixture()
    expectRefusal(.zoneNotFound) { try fixture.mine.deleteZone(ZoneID("Notes")) }
    expectRefusal(.serverRejectedRequest) { try fixture.mine.deleteZone(.defaultZone) }
  }

  @Test("C046: saving an existing zone again succeeds and keeps its records")
  func savingAgain() throws {
    let fixture = try CloudFixture()
    #expect(try fixture.mine.createZone(ZoneID("Notes")))
    try fixture.mine.save("r", zone: "Notes")
    let zone = try fixture.mine.zone(ZoneID("Notes"))
    #expect(try !fixture.mine.createZone(ZoneID("Notes")))
    #expect(try fixture.mine.zone(ZoneID("Notes")) == zone)
  }

  @Test("C050: two zones may hold the same record name, of different types")
  func sameNames() throws {
    let fixture = try CloudFixture()
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    try fixture.mine.save("r", "Note", zone: "Notes")
    try fixture.mine.save("r", "Task")
    #expect(try fixture.mine.find("r")?.type.text == "Task")
    #expect(try fixture.mine.find("r", zone: "Notes")?.type.text == "Note")
  }
}
