internal import CloudModel
internal import CloudServices
internal import Testing

/// Clock and seed (M1.13, DS6).
@Suite struct RepeatabilityTests {
  /// Runs commands and returns all records, system fields included.
  private func run(_ fixture: CloudFixture) throws -> [Record] {
    _ = try fixture.mine.createZone(ZoneID("Notes"))
    for index in 0..<10 {
      let zone = index % 3 == 0 ? "Notes" : "_defaultZone"
      try fixture.mine.save(nil, "Note", [("n", .int64(Int64(index)))], zone: zone)
      try fixture.database(.public, index % 2 == 0 ? "me" : "ben").save(nil, "Note")
    }
    _ = try ImportTests.run(
      fixture.mine, (0..<10).map { ImportTests.draft(nil, [("n", .int64($0))]) })
    let first = try #require(try fixture.mine.everything().first)
    _ = try fixture.mine.delete(first.name, in: first.zone)
    return try fixture.mine.everything() + fixture.database(.public).everything()
  }

  @Test("M1.13: the same commands with the same clock and seed make the same store")
  func sameStore() throws {
    let first = try run(CloudFixture())
    let second = try run(CloudFixture())
    #expect(first == second)
  }

  @Test("M1.13: different seeds give different names")
  func otherSeeds() throws {
    let first = try run(CloudFixture(seed: 1))
    let second = try run(CloudFixture(seed: 2))
    #expect(Set(first.map(\.name)).isDisjoint(with: second.map(\.name)))
  }

  @Test("M1.13: databases, environments and containers with one seed never share a UUID")
  func noSharedNames() throws {
    let fixture = try CloudFixture()
    var names = try run(fixture).map(\.name.text)
    for user in ["me", "anna", "ben"] {
      for _ in 0..<5 { names.append(try fixture.database(.private, user).save(nil).name.text) }
    }
    names += try run(CloudFixture(container: "iCloud.org.example.other")).map(\.name.text)
    #expect(Set(names).count == names.count)
  }

  @Test("M1.13: two processes never make the same UUID, even if they alternate")
  func twoProcesses() throws {
    let fixture = try CloudFixture()
    let other = CloudStore(path: fixture.store.path)
    let me = try Account("me")
    var names: [String] = []
    for _ in 0..<10 {
      names.append(try fixture.mine.save(nil).name.text)
      let environment = try other.environment(
        fixture.container, .development, for: fixture.request)
      names.append(try environment.database(.private, as: me).save(nil).name.text)
    }
    #expect(Set(names).count == 20)
  }

  @Test("M1.13: tags come from the store's sequence, never from the clock")
  func tags() throws {
    let fixture = try CloudFixture()
    var sequences: [Int64] = []
    for index in 0..<10 {
      fixture.advance(milliseconds: index % 2 == 0 ? -5000 : 1000)
      let tag = try fixture.mine.save("r\(index)").changeTag
      sequences.append(Int64(tag?.text ?? "", radix: 36) ?? -1)
    }
    #expect(sequences == sequences.sorted() && Set(sequences).count == 10)
  }
}
