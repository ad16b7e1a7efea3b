internal import CloudModel
internal import Testing

/// A zone is a name and an owner (R2.2, R2.3).
@Suite struct ZoneIDTests {
  private let bob = "_0123456789abcdef0123456789abcdef"

  @Test("zones of one name differ only by their owners (R2.2)")
  func owners() throws {
    let mine = try ZoneID("Notes")
    let his = try ZoneID(name: "Notes", owner: bob)
    #expect(mine.name == his.name && mine != his)
    #expect(try ZoneID(name: "Notes", owner: nil) == mine)
    #expect(try ZoneID(name: "Notes", owner: "__defaultOwner__") == mine)
    #expect(Set([mine, his, mine]).count == 2)
  }

  @Test(
    "a colon is part of a zone's name, unless __defaultOwner__ follows it (M9)",
    arguments: [
      ("Notes", "Notes"), ("Notes:__defaultOwner__", "Notes"), ("a:b", "a:b"),
      ("a:b:__defaultOwner__", "a:b"), ("Notes:__defaultOwner__x", "Notes:__defaultOwner__x"),
      ("_defaultZone:__defaultOwner__", "_defaultZone"),
    ])
  func texts(_ text: String, _ name: String) throws {
    let zone = try ZoneID(text)
    #expect(zone.name.text == name && zone.owner == .current)
    #expect(zone.text == name, "an own zone shows as its bare name")
    #expect(zone.isDefault == (name == "_defaultZone"))
  }

  @Test("the zone of another user shows as NAME:OWNER (M9)")
  func foreignText() throws {
    #expect(try ZoneID(name: "a:b", owner: bob).text == "a:b:\(bob)")
    #expect(ZoneOwner.current.text == "__defaultOwner__")
  }

  @Test(
    "an owner's name is 1 to 255 ASCII characters (R2.3)",
    arguments: ["", "Ren\u{E9}", "a\u{7F}", "a\n", String(repeating: "a", count: 256)])
  func refusedOwners(_ owner: String) {
    #expect(throws: CloudError.self) { try ZoneID(name: "Notes", owner: owner) }
  }
}
