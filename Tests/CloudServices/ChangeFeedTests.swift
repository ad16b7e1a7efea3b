internal import Basics
internal import CloudModel
internal import Testing

@testable internal import CloudServices
@testable internal import RecordStore

/// Change tracking (R9).
@Suite struct ChangeFeedTests {
  private let zone = ZoneID(stored: "Notes")

  /// The result of a fetch of a zone's changes.
  private struct Page: Equatable {
    var changed: [Record] = []
    var deleted: [String] = []
    var token: ChangeToken
    var isMoreComing = false

    var names: [String] { changed.map(\.name.text) }
  }

  private func fetch(
    _ database: CloudDatabase, since token: ChangeToken? = nil, limit: Int? = nil,
    keys: [FieldName]? = nil, zone: ZoneID? = nil
  ) throws -> Page {
    var changed: [Record] = []
    let changes = try database.zoneChanges(
      in: zone ?? self.zone, since: token, limit: limit, keys: keys
    ) { changed.append($0) }
    return Page(
      changed: changed, deleted: changes.deleted.map { "\($0.type.text)/\($0.name.text)" },
      token: changes.token, isMoreComing: changes.isMoreComing)
  }

  private func fixture() throws -> CloudFixture {
    let fixture = try CloudFixture()
    _ = try fixture.mine.createZone(zone)
    return fixture
  }

  private func delete(_ fixture: CloudFixture, _ name: String) throws {
    _ = try fixture.mine.delete(RecordName(stored: name), in: zone)
  }

  @Test("C191: without a token the feed has all live records, and the deletions still known")
  func fromTheBeginning() throws {
    let fixture = try fixture()
    for name in ["a", "b", "c"] { try fixture.mine.save(name, zone: "Notes") }
    try delete(fixture, "b")
    let page = try fetch(fixture.mine)
    #expect(page.names == ["a", "c"])
    #expect(page.deleted == ["Note/b"])
    #expect(page.changed == (try fixture.mine.everything()))
    try fixture.mine.save("b", zone: "Notes")
    #expect(try fetch(fixture.mine).deleted == [], "it is there again")
    try delete(fixture, "b")
    try fixture.environment().compact()
    #expect(try fetch(fixture.mine).deleted == [], "it is forgotten")
  }

  @Test("C191, R9.12: a first fetch in pages has each deletion once, earlier and later ones")
  func firstFetchInPages() throws {
    let fixture = try fixture()
    for name in ["a", "b", "c", "d"] { try fixture.mine.save(name, zone: "Notes") }
    _ = try fixture.mine.createZone(ZoneID(stored: "Gone"))
    try delete(fixture, "c")
    try fixture.mine.deleteZone(ZoneID(stored: "Gone"))
    let first = try fetch(fixture.mine, limit: 1)
    #expect(first.names == ["a"] && first.isMoreComing)
    #expect(ChangeToken(text: first.token.text) == first.token)
    try delete(fixture, "a")
    let second = try fetch(fixture.mine, since: first.token, limit: 2)
    #expect(second.names == ["b", "d"] && second.deleted == [] && second.isMoreComing)
    let third = try fetch(fixture.mine, since: second.token, limit: 1)
    #expect(third.deleted == ["Note/c"] && third.isMoreComing)
    let last = try fetch(fixture.mine, since: third.token, limit: 2)
    #expect(last.deleted == ["Note/a"] && !last.isMoreComing)
    #expect(last.token.horizon == last.token.sequence)
    _ = try fixture.mine.createZone(ZoneID(stored: "More"))
    let zones = try fixture.mine.databaseChanges(since: nil, limit: 1)
    let more = try fixture.mine.databaseChanges(since: zones.token, limit: 5)
    #expect(more.deleted.isEmpty && !more.isMoreComing)
  }

  @Test("C192, C193, C194, C195: each record once, newest; deletions with their type; then nothing")
  func sinceToken() throws {
    let fixture = try fixture()
    for name in ["a", "b", "c"] { try fixture.mine.save(name, zone: "Notes") }
    let token = try fetch(fixture.mine).token
    for value in 1...3 {
      try fixture.mine.save("a", "Note", [("n", .int64(Int64(value)))], zone: "Notes", .changed)
    }
    try delete(fixture, "b")
    let page = try fetch(fixture.mine, since: token)
    #expect(page.names == ["a"])
    #expect(page.changed.first?["n"] == .int64(3))
    #expect(page.deleted == ["Note/b"])
    let last = try fetch(fixture.mine, since: page.token)
    #expect(last == Page(token: page.token))
  }

  @Test(
    "R9.4: a record made and deleted is at most a deletion; one made again is a change")
  func madeAndDeleted() throws {
    let fixture = try fixture()
    try fixture.mine.save("a", zone: "Notes")
    let token = try fetch(fixture.mine).token
    try fixture.mine.save("b", zone: "Notes")
    try delete(fixture, "b")
    try delete(fixture, "a")
    try fixture.mine.save("a", "Task", zone: "Notes")
    let page = try fetch(fixture.mine, since: token)
    #expect(page.names == ["a"])
    #expect(page.deleted == ["Note/b"])
  }

  @Test("C127: records that a cascade deletes are in the feed")
  func cascade() throws {
    let fixture = try fixture()
    try fixture.mine.save("list", zone: "Notes")
    let owner = Reference(RecordName(stored: "list"), action: .deleteSelf)
    try fixture.mine.save("item", "Item", [("list", .reference(owner))], zone: "Notes")
    let token = try fetch(fixture.mine).token
    try delete(fixture, "list")
    #expect(try fetch(fixture.mine, since: token).deleted == ["Note/list", "Item/item"])
  }

  @Test("C203: keys limit the fields of changed records")
  func keys() throws {
    let fixture = try fixture()
    try fixture.mine.save("a", "Note", [("x", .int64(1)), ("y", .int64(2))], zone: "Notes")
    let page = try fetch(fixture.mine, keys: [FieldName(stored: "y")])
    #expect(page.changed.first?.fields.entries.map(\.name.text) == ["y"])
  }

  @Test(
    "C196: a client that fetches in pages while records change ends with the zone's state",
    arguments: [1_000, 0])
  func pages(fewChanges: Int) throws {
    for seed in 0..<8 {
      let fixture = try fixture()
      try fixture.environment().store.fewChanges = fewChanges
      var random = SplitMix64(state: UInt64(seed))
      var copy: [String: Record] = [:]
      var token: ChangeToken?
      for _ in 0..<25 {
        for _ in 0..<random.next() % 8 {
          let name = "r\(random.next() % 12)"
          if random.next() % 4 == 0 {
            try delete(fixture, name)
          } else {
            try fixture.mine.save(
              name, "Note", [("n", .int64(Int64(random.next() % 100)))], zone: "Notes", .changed)
          }
        }
        let page = try fetch(fixture.mine, since: token, limit: 1 + Int(random.next() % 5))
        #expect(Set(page.names).count == page.names.count)
        for record in page.changed { copy[record.name.text] = record }
        for name in page.deleted { copy[String(name.dropFirst("Note/".count))] = nil }
        token = page.token
      }
      var isMoreComing = true
      while isMoreComing {
        let page = try fetch(fixture.mine, since: token, limit: 3)
        for record in page.changed { copy[record.name.text] = record }
        for name in page.deleted { copy[String(name.dropFirst("Note/".count))] = nil }
        token = page.token
        isMoreComing = page.isMoreComing
      }
      let state = try fixture.mine.everything()
      #expect(copy.values.sorted { utf8Precedes($0.name.text, $1.name.text) } == state)
      let indexes = try fixture.environment().indexes()
      #expect(indexes.isEmpty == (fewChanges != 0))
    }
  }

  @Test("DS4: the first page makes the indexes that find the changes of a large zone")
  func indexes() throws {
    let fixture = try fixture()
    let store = try fixture.environment().store
    store.fewChanges = 20
    for number in 0..<30 { try fixture.mine.save("r\(number)", zone: "Notes") }
    let before = try fetch(fixture.mine)
    #expect(try fixture.environment().indexes().isEmpty, "a fetch of everything reads everything")
    for number in 0..<25 { try delete(fixture, "r\(number)") }
    for number in 40..<60 { try fixture.mine.save("r\(number)", zone: "Notes") }
    let page = try fetch(fixture.mine, since: before.token)
    #expect(page.names == (40..<60).map { "r\($0)" } && page.deleted.count == 25)
    try store.beginRead()
    defer { store.endRead() }
    #expect(try store.catalog.hasIndex(FeedIndexes.tombstones))
    let table = try #require(try store.table(RecordType("Note")))
    #expect(try store.feedIndex(of: table) != nil)
  }

  @Test("C197: a token of another zone or database, or one from the future, gives 21")
  func foreignTokens() throws {
    let fixture = try fixture()
    let other = ZoneID(stored: "Other")
    _ = try fixture.mine.createZone(other)
    try fixture.mine.save("a", zone: "Notes")
    let token = try fetch(fixture.mine).token
    let future = ChangeToken(.zone, origin: token.origin, sequence: token.sequence + 100)
    expectRefusal(.changeTokenExpired, "client knowledge differs from server knowledge") {
      _ = try fetch(fixture.mine, since: token, zone: other)
    }
    expectRefusal(.changeTokenExpired) { _ = try fetch(fixture.mine, since: future) }
    let you = try fixture.database(.private, "you")
    _ = try you.createZone(zone)
    expectRefusal(.changeTokenExpired) { _ = try fetch(you, since: token) }
  }

  @Test("R9.7: the token of a zone that was deleted and made again gives 21")
  func zoneMadeAnew() throws {
    let fixture = try fixture()
    try fixture.mine.save("a", zone: "Notes")
    let token = try fetch(fixture.mine).token
    try fixture.mine.deleteZone(zone)
    _ = try fixture.mine.createZone(zone)
    expectRefusal(.changeTokenExpired) { _ = try fetch(fixture.mine, since: token) }
    #expect(try fetch(fixture.mine).names == [])
  }

  @Test("C197: compacting expires earlier tokens, and sequence numbers are not reused")
  func compacting() throws {
    let fixture = try fixture()
    try fixture.mine.save("a", zone: "Notes")
    try fixture.mine.save("b", zone: "Notes")
    let (old, all) = (
      try fetch(fixture.mine).token,
      try fixture.mine.databaseChanges(
        since: nil, limit: nil
      ).token
    )
    try delete(fixture, "b")
    let tag = try fixture.mine.save("c", zone: "Notes").changeTag
    try fixture.mine.deleteZone(zone)
    try fixture.environment().compact()
    _ = try fixture.mine.createZone(zone)
    let new = try fixture.mine.save("c", zone: "Notes").changeTag
    #expect(new != tag)
    expectRefusal(.changeTokenExpired) { _ = try fetch(fixture.mine, since: old) }
    expectRefusal(.changeTokenExpired) {
      _ = try fixture.mine.databaseChanges(since: all, limit: nil)
    }
    let token = try fetch(fixture.mine).token
    #expect(try fetch(fixture.mine, since: token) == Page(token: token))
  }

  @Test("R9.12: a first fetch after a compaction continues in pages, and the next one expires it")
  func pagesBehindCompaction() throws {
    let fixture = try fixture()
    for name in ["a", "b", "c", "d", "e"] { try fixture.mine.save(name, zone: "Notes") }
    try delete(fixture, "c")
    try fixture.environment().compact()
    var (names, token): ([String], ChangeToken?) = ([], nil)
    while true {
      let page = try fetch(fixture.mine, since: token, limit: 1)
      names += page.names
      token = page.token
      if !page.isMoreComing { break }
      if names == ["a", "b"] { try delete(fixture, "a") }
    }
    #expect(names == ["a", "b", "d", "e"])
    let first = try fetch(fixture.mine, limit: 1).token
    try delete(fixture, "e")
    try fixture.environment().compact()
    expectRefusal(.changeTokenExpired) { _ = try fetch(fixture.mine, since: first) }
  }

  @Test("C198: the families of tokens are not interchangeable")
  func families() throws {
    let fixture = try fixture()
    let zoneToken = try fetch(fixture.mine).token
    let databaseToken = try fixture.mine.databaseChanges(since: nil, limit: nil).token
    expectRefusal(.invalidArguments) {
      _ = try fixture.mine.databaseChanges(since: zoneToken, limit: nil)
    }
    expectRefusal(.invalidArguments) { _ = try fetch(fixture.mine, since: databaseToken) }
  }

  @Test("R9.1: a token reads back from its text, and other texts are not tokens")
  func tokenText() {
    for sequence in [0, 1, 36, Int64.max] {
      let token = ChangeToken(.zone, origin: UInt64(sequence) &* 77, sequence: sequence)
      #expect(ChangeToken(text: token.text) == token)
    }
    for text in ["", "z1", "z1..", "z1.0.0", "z2.0000000000000000.0", "z1.000000000000000g.0"] {
      #expect(ChangeToken(text: text) == nil)
    }
  }

  @Test("C199, R2.11: a missing zone gives 26, a purged one 28")
  func missingZone() throws {
    let fixture = try fixture()
    expectRefusal(.zoneNotFound) {
      _ = try fetch(fixture.mine, zone: ZoneID(stored: "Nowhere"))
    }
    try fixture.mine.deleteZone(zone, reason: .purged)
    expectRefusal(.userDeletedZone) { _ = try fetch(fixture.mine) }
    expectRefusal(.userDeletedZone) { try fixture.mine.save("a", zone: "Notes") }
    _ = try fixture.mine.createZone(zone)
    try fixture.mine.save("a", zone: "Notes")
  }

  @Test("C048, C200: the database's changes list new, changed and deleted zones with reasons")
  func database() throws {
    let fixture = try fixture()
    for name in ["B", "C", "D"] { _ = try fixture.mine.createZone(ZoneID(stored: name)) }
    let first = try fixture.mine.databaseChanges(since: nil, limit: nil)
    #expect(first.changed.map(\.text) == ["Notes", "B", "C", "D"])
    #expect(first.deleted.isEmpty)
    try fixture.mine.save("a", zone: "B")
    _ = try fixture.mine.createZone(ZoneID(stored: "E"))
    try fixture.mine.deleteZone(ZoneID(stored: "C"), reason: .purged)
    try fixture.mine.deleteZone(ZoneID(stored: "D"))
    let second = try fixture.mine.databaseChanges(since: first.token, limit: nil)
    #expect(second.changed.map(\.text) == ["B", "E"])
    #expect(second.deleted.map(\.zone.text) == ["C", "D"])
    #expect(second.deleted.map(\.reason) == [.purged, .deleted])
    let page = try fixture.mine.databaseChanges(since: first.token, limit: 3)
    #expect(page.isMoreComing)
    #expect(page.changed.count + page.deleted.count == 3)
    let rest = try fixture.mine.databaseChanges(since: page.token, limit: 3)
    #expect(rest.changed.count + rest.deleted.count == 1)
    #expect(rest.token == second.token)
    #expect(try fixture.mine.databaseChanges(since: rest.token, limit: nil).changed.isEmpty)
  }

  @Test("C202: the changes carry the client change token of the last operation")
  func clientToken() throws {
    let fixture = try fixture()
    let request = SaveRequest(
      name: RecordName(stored: "a"), type: RecordType(stored: "Note"), assignments: [])
    #expect(
      try fixture.mine.zoneChanges(in: zone, since: nil, limit: nil) { _ in }.clientToken == nil)
    _ = try fixture.mine.save(request, in: zone, clientToken: "first")
    #expect(
      try fixture.mine.zoneChanges(in: zone, since: nil, limit: nil) { _ in }.clientToken == "first"
    )
    // An operation that saves nothing changes no token.
    var failing = ModifyRequest([.init(.save(request), in: zone)])
    failing.clientToken = "lost"
    #expect(try fixture.mine.modify(failing).failures.count == 1)
    expectRefusal(.serverRecordChanged) {
      _ = try fixture.mine.save(request, in: zone, clientToken: "lost")
    }
    #expect(
      try fixture.mine.zoneChanges(in: zone, since: nil, limit: nil) { _ in }.clientToken == "first"
    )
    var deleting = ModifyRequest([.init(.delete(RecordName(stored: "a"), tag: nil), in: zone)])
    deleting.clientToken = "second"
    _ = try fixture.mine.modify(deleting)
    #expect(
      try fixture.mine.zoneChanges(in: zone, since: nil, limit: nil) { _ in }.clientToken
        == "second")
  }

  @Test("C032, C033, C201: the default zone and the public database have no feeds")
  func noFeeds() throws {
    let fixture = try fixture()
    try fixture.mine.save("a")
    #expect(try fixture.mine.databaseChanges(since: nil, limit: nil).changed == [zone])
    expectRefusal(.invalidArguments) { _ = try fetch(fixture.mine, zone: .defaultZone) }
    let shared = try fixture.database(.public)
    expectRefusal(.invalidArguments) { _ = try shared.databaseChanges(since: nil, limit: nil) }
    expectRefusal(.invalidArguments) { _ = try fetch(shared, zone: .defaultZone) }
    let nobody = try fixture.database(.private, nil)
    expectRefusal(.notAuthenticated) { _ = try nobody.databaseChanges(since: nil, limit: nil) }
  }
}
