internal import Basics
internal import CloudModel
internal import CloudServices
internal import Testing

/// Several operations as one transaction (M15: begin, commit, rollback).
@Suite struct GroupTransactionTests {
  /// A random operation, which may fail. The same number makes the same operation.
  private func operate(_ number: Int, _ database: CloudDatabase) {
    var chance = SplitMix64(state: UInt64(number) * 7919)
    let name = "r\(chance.next() % 6)"
    let zone = chance.next() % 2 == 0 ? "_defaultZone" : "Notes"
    switch chance.next() % 8 {
    case 0: _ = try? database.delete(RecordName(stored: name), in: ZoneID(stored: zone))
    case 1: _ = try? database.save(name, "Note", [("n", .string("no number"))], zone: zone)
    case 2:
      _ = try? database.save(name, "Other\(number)", [("new\(number)", .int64(1))], zone: zone)
    case 3: _ = try? database.createZone(ZoneID(stored: "Zone\(number)"))
    default:
      _ = try? database.save(
        name, "Note", [("n", .int64(Int64(number)))], zone: zone,
        chance.next() % 3 == 0 ? .unchanged : .changed)
    }
  }

  private struct State: Equatable {
    var records: [Record]
    var zones: [Zone]
    var types: [RecordTypeSchema]
  }

  private func state(_ database: CloudDatabase) throws -> State {
    State(
      records: try database.everything(), zones: try database.zones(),
      types: try database.environment.schema())
  }

  private func begun() throws -> CloudFixture {
    let fixture = try CloudFixture()
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    for number in 0..<8 { operate(number, try fixture.mine) }
    return fixture
  }

  @Test("a committed transaction has the effect of its operations one by one", arguments: 0..<12)
  func committed(_ seed: Int) throws {
    let (grouped, single) = (try begun(), try begun())
    let environment = try grouped.environment()
    try environment.beginTransaction()
    for number in 0..<30 {
      operate(seed * 100 + number, try environment.database(.private, as: Account("me")))
      operate(seed * 100 + number, try single.mine)
    }
    let within = try state(environment.database(.private, as: Account("me")))
    try environment.commitTransaction()
    #expect(!environment.isInTransaction)
    let outcome = try state(grouped.mine)
    #expect(within == outcome)
    #expect(outcome == (try state(single.mine)))
  }

  @Test("a transaction that is rolled back leaves nothing", arguments: 0..<12)
  func rolledBack(_ seed: Int) throws {
    let fixture = try begun()
    let before = try state(fixture.mine)
    let environment = try fixture.environment()
    try environment.beginTransaction()
    for number in 0..<20 {
      operate(seed * 100 + number, try environment.database(.private, as: Account("me")))
    }
    environment.rollBackTransaction()
    #expect(try state(fixture.mine) == before)
    // Later changes get their numbers as if it had never been.
    let other = try begun()
    operate(5000 + seed, try fixture.mine)
    operate(5000 + seed, try other.mine)
    #expect(try state(fixture.mine) == state(other.mine))
  }

  @Test("during a transaction others read the state before it, and cannot write")
  func isolation() throws {
    let fixture = try begun()
    let before = try state(fixture.mine)
    let environment = try fixture.environment()
    try environment.beginTransaction()
    let mine = try environment.database(.private, as: Account("me"))
    try mine.save("held", "Note", [("n", .int64(1))])
    let other = CloudStore(path: fixture.store.path)
    var request = fixture.request.again()
    request.patience.milliseconds = 20
    let elsewhere = try other.environment(fixture.container, .development, for: request)
      .database(.private, as: Account("me"))
    #expect(try state(elsewhere) == before)
    let error = #expect(throws: CloudError.self) { try elsewhere.save("waiting") }
    #expect(error?.code == .zoneBusy)
    #expect(throws: CloudError.self) { try environment.compact() }
    try environment.commitTransaction()
    #expect(try elsewhere.find("held") != nil)
    try elsewhere.save("waiting")
  }

  @Test("a transaction that is dropped with its environment is rolled back")
  func dropped() throws {
    let fixture = try begun()
    let before = try state(fixture.mine)
    do {
      let environment = try fixture.environment()
      try environment.beginTransaction()
      try environment.database(.private, as: Account("me")).save("held")
    }
    #expect(try state(fixture.mine) == before)
    try fixture.mine.save("held")
  }
}
