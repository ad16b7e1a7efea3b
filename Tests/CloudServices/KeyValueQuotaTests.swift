internal import CloudModel
internal import CloudServices
internal import Testing

/// The quota of iCloud's keys during a sync (K17).
@Suite struct KeyValueQuotaTests {
  private func keys(_ fixture: CloudFixture, _ device: String) throws -> KeyValueStore {
    var request = fixture.request
    (request.account, request.device) = (Account(stored: "me"), Device(stored: device))
    return try fixture.store.keyValueStore(fixture.container, for: request)
  }

  @Test("K17: the earlier of two pending writes gets the room, whatever their names and order")
  func earlierFirst() throws {
    let fixture = try CloudFixture()
    let phone = try keys(fixture, "phone")
    _ = try phone.set((0..<1023).map { ("key\($0)", .integer(1)) })
    #expect(try phone.synchronize().sent == 1023)
    let pad = try keys(fixture, "pad")
    _ = try pad.set([("a", .integer(1))])
    let hourAgo = Timestamp(milliseconds: fixture.request.now.milliseconds - 3_600_000)
    _ = try pad.set([("z", .integer(1))], at: hourAgo)
    let result = try pad.synchronize()
    #expect(result.sent == 1 && result.rejected == 1)
    #expect(try pad.value("z") == .integer(1))
    #expect(try pad.value("a") == nil)
  }
}
