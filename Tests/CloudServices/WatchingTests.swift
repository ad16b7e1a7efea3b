internal import Basics
internal import CloudModel
internal import TestSupport
internal import Testing

@testable internal import CloudServices
@testable internal import RecordStore

/// What live pages and pages of usage read: the last changes, the keys of devices, and usage.
@Suite struct WatchingTests {
  @Test("the last changes are those after a number, each record once, as a reader may see them")
  func latestChanges() throws {
    let fixture = try CloudFixture()
    let mine = try fixture.mine
    _ = try mine.createZone(ZoneID("Lists"))
    try mine.save("a")
    let before = try mine.latestChanges(after: nil, most: 10)
    #expect(before.changes.map(\.record.text) == ["a"] && before.omitted == 0)
    fixture.advance(milliseconds: 1000)
    let later = try fixture.mine
    try later.save("a", "Note", [("n", .int64(2))], .changed)
    try later.save("b", zone: "Lists")
    try later.save("c")
    _ = try later.delete(RecordName(stored: "c"), in: .defaultZone)
    try fixture.database(.private, "ann").save("hers")
    let changes = try later.latestChanges(after: before.last, most: 10)
    #expect(changes.changes.map(\.record.text) == ["a", "b", "c"])
    #expect(changes.changes.map(\.kind) == [.updated, .created, .deleted])
    #expect(changes.changes.map(\.zone.text) == ["_defaultZone", "Lists", "_defaultZone"])
    #expect(try later.latestChanges(after: changes.last, most: 10).changes.isEmpty)
  }

  @Test("more changes than wanted, or than are looked back at, are counted", arguments: [5, 40])
  func omitted(reach: Int64) throws {
    let fixture = try CloudFixture()
    let mine = try fixture.mine
    // With an index as well as without.
    mine.environment.store.fewChanges = 10
    try mine.save("first")
    let before = try mine.latestChanges(after: nil, most: 10).last
    for number in 0..<30 { try mine.save("r\(number)") }
    let changes = try mine.latestChanges(after: before, most: 3, reach: reach)
    #expect(changes.changes.map(\.record.text) == ["r27", "r28", "r29"])
    #expect(changes.omitted == min(Int(reach), 30) - 3 && changes.hasMore == (reach < 30))
    let rare = try mine.latestChanges(after: before, most: 3, reach: 40) {
      $0.record.text.hasSuffix("5")
    }
    #expect(rare.changes.map(\.record.text) == ["r5", "r15", "r25"] && rare.omitted == 0)
  }

  @Test(
    "R11.4: the last changes of the public database have no records that the reader may not read")
  func publicChanges() throws {
    let fixture = try CloudFixture()
    var grants = Grants()
    grants[.icloud] = .create
    grants[.creator] = [.read, .write]
    let schema = Schema(types: [
      RecordTypeSchema(name: RecordType(stored: "Diary"), fields: [], grants: grants)
    ])
    _ = try fixture.environment().importSchema(schema, besides: fixture.environment(.production))
    let ann = try fixture.database(.public, "ann")
    try ann.save("hers", "Diary")
    try ann.save("old", "Diary")
    _ = try ann.delete(RecordName(stored: "old"), in: .defaultZone)
    let seen = try ["ann", "ben", nil].map { user in
      try fixture.database(.public, user).latestChanges(after: nil, most: 10).changes
        .map(\.record.text)
    }
    #expect(seen == [["hers"], [], []])
  }

  @Test("injected faults neither strike nor count requests that only look")
  func faults() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a")
    var rule = FaultRule(.networkFailure, of: .any)
    rule.times = 1
    _ = try fixture.store.add(rule, for: fixture.request)
    fixture.request.meetsFaults = false
    #expect(try fixture.mine.find("a") != nil)
    #expect(try fixture.store.faults().first?.times == 1)
    fixture.request.meetsFaults = true
    var request = fixture.request.again()
    request.account = Account(stored: "me")
    let environment = try fixture.store.environment(fixture.container, .development, for: request)
    #expect(throws: CloudError.self) { try environment.database(.private).zones() }
    #expect(request.faultNumbers == [1])
    #expect(try fixture.store.faults().isEmpty)
  }

  @Test("the usage of an environment has each record once, by day and by creator, and documents")
  func usage() throws {
    let fixture = try CloudFixture()
    for (user, count) in [("me", 3), ("ann", 2)] {
      for number in 0..<count {
        try fixture.database(.private, user).save("r\(number)")
        fixture.advance(milliseconds: 86_400_000)
      }
    }
    try fixture.database(.public, "ann").save("open")
    let environment = try fixture.environment()
    let usage = try environment.databaseUsage()
    #expect(usage.map(\.account?.name) == [nil, "ann", "me"])
    #expect(usage.map(\.records) == [1, 2, 3])
    let creations = try environment.creationCounts()
    #expect(creations.map(\.day).count == 6)
    #expect(creations.map(\.day) == creations.map(\.day).sorted())
    let ann = environment.userRecordName(Account(stored: "ann"))
    #expect(creations.filter { $0.user == ann }.reduce(0) { $0 + $1.records } == 3)
    // Documents count towards the quota of their account (cli.md §12).
    var request = fixture.request.again()
    request.account = Account(stored: "ann")
    let documents = try fixture.store.documentStore(fixture.container, for: request)
    try documents.put(Array("contents".utf8), at: DocumentPath("Documents/a.txt"))
    _ = try documents.synchronize(onlyMetadata: false)
    let hers = try environment.usage(of: Account(stored: "ann"))
    #expect(hers?.bytes == usage[1].bytes + 8)
  }

  @Test(
    "A5: the keys in conflict, and which value a sync keeps, are what the sync then does",
    arguments: KeyValuePolicy.allCases, [false, true])
  func keys(policy: KeyValuePolicy, isDeviceLater: Bool) throws {
    let fixture = try CloudFixture()
    let me = Account(stored: "me")
    func keys(_ device: String) throws -> KeyValueStore {
      var request = fixture.request.again()
      (request.account, request.device) = (me, Device(stored: device))
      return try fixture.store.keyValueStore(fixture.container, for: request)
    }
    try keys("pad").change { $0.policy = policy }
    try keys("pad").set([("k", .integer(0)), ("same", .integer(0))])
    for device in ["pad", "phone", "pad"] { _ = try keys(device).synchronize() }
    let (first, second) = isDeviceLater ? ("phone", "pad") : ("pad", "phone")
    fixture.advance(milliseconds: 5000)
    try keys(first).set([("k", .integer(first == "pad" ? 1 : 2)), ("same", .integer(7))])
    fixture.advance(milliseconds: 5000)
    try keys(second).set([("k", .integer(second == "pad" ? 1 : 2)), ("same", .integer(7))])
    _ = try keys("phone").synchronize()
    let overview = try fixture.store.keyValueOverview(
      of: me, in: fixture.container, for: fixture.request)
    let pad = try #require(overview.devices.first { $0.device.name == "pad" })
    // Equal values are no conflict.
    #expect(pad.conflicts.map(\.key) == ["k"] && pad.pending == ["k", "same"])
    #expect(overview.inCloud.first { $0.key == "k" }?.value == .integer(2))
    _ = try keys("pad").synchronize()
    let kept = try keys("pad").value("k")
    #expect(kept == .integer(pad.conflicts[0].isWonByDevice ? 1 : 2))
    #expect(pad.conflicts[0].isWonByDevice == (policy == .timestamp && isDeviceLater))
  }
}
