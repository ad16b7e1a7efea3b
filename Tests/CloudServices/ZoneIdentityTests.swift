internal import CloudModel
internal import CloudServices
internal import Testing

/// A name and an owner identify a zone (R2.2, DS11).
@Suite struct ZoneIdentityTests {
  private let fixture: CloudFixture
  /// The names that `me` may use for their zone `Notes`.
  private let own: [ZoneID]
  /// The zone `Notes` of `bob`, as `me` names it.
  private let his: ZoneID

  init() throws {
    fixture = try CloudFixture()
    let environment = try fixture.environment()
    let me = try environment.userRecordName(Account("me")).text
    let bob = try environment.userRecordName(Account("bob")).text
    own = try [ZoneID("Notes"), ZoneID("Notes:__defaultOwner__"), ZoneID(name: "Notes", owner: me)]
    his = try ZoneID(name: "Notes", owner: bob)
    for user in ["me", "bob"] {
      _ = try fixture.database(.private, user).createZone(ZoneID("Notes"))
    }
  }

  private func save(_ name: String, _ value: FieldValue, in zone: ZoneID) throws -> Record {
    let up = FieldAssignment(FieldName(stored: "up"), value)
    let request = SaveRequest(
      name: try RecordName(name), type: RecordType(stored: "Note"), assignments: [up])
    return try fixture.mine.save(request, in: zone).record
  }

  @Test("a zone is the same by name, as the current user's, and by its user's name (R2.2)")
  func ownZone() throws {
    for (index, zone) in own.enumerated() {
      let record = try save("r\(index)", .int64(1), in: zone)
      #expect(record.zone.text == "Notes")
    }
    for zone in own {
      #expect(try fixture.mine.zone(zone).recordCount == 3)
      #expect(try fixture.mine.fetch([RecordName("r0")], in: zone).count == 1)
      let changes = try fixture.mine.viewChanges(in: zone, since: nil, limit: nil) { _ in }
      let found = try fixture.mine.changeToken(of: fixture.mine.zone(own[0]))
      #expect(changes.token == found, "a token does not depend on how the zone was named")
    }
    #expect(try !fixture.mine.createZone(own[2]))
    try fixture.mine.deleteZone(own[2])
    expectRefusal(.zoneNotFound) { _ = try fixture.mine.zone(own[0]) }
    #expect(try fixture.database(.private, "bob").zone(ZoneID("Notes")).recordCount == 0)
  }

  @Test("operations and faults accept each identity of an own zone (R2.2, R4.2)")
  func operations() throws {
    let items = try own.map { ModifyRequest.Item(.delete(try RecordName("r"), tag: nil), in: $0) }
    expectRefusal(.invalidArguments) { _ = try fixture.mine.modify(ModifyRequest(items)) }
    var fault = FaultRule(.zoneBusy, of: .fetch)
    fault.zone = own[0]
    _ = try fixture.store.add(fault, for: fixture.request)
    for zone in own {
      expectRefusal(.zoneBusy) { _ = try fixture.mine.fetch([RecordName("r")], in: zone) }
    }
  }

  @Test("another user's zone is not in one's own databases, not even the default zone (R2.8)")
  func foreignZone() throws {
    let theirs = [his, ZoneID(.defaultZone, owner: his.owner)]
    for zone in theirs {
      for scope in [DatabaseScope.private, .public, .shared] {
        let database = try fixture.database(scope)
        let code = scope == .private ? CloudError.Code.invalidArguments : .zoneNotFound
        let error = expectRefusal(code) { _ = try database.zone(zone) }
        #expect(error?.zone == zone)
        expectRefusal(code) { _ = try database.fetch([RecordName("r")], in: zone) }
      }
      expectRefusal(.invalidArguments, Self.notPrivate) { _ = try save("r", .int64(1), in: zone) }
      expectRefusal(.invalidArguments) { _ = try fixture.mine.createZone(zone) }
    }
    expectRefusal(.invalidArguments, Self.notPrivate) { try fixture.mine.deleteZone(his) }
    let bob = try fixture.database(.private, "bob")
    #expect(try bob.zones().map(\.id.text) == ["Notes", "_defaultZone"])
  }

  private static let notPrivate = "PrivateDB can't be used to access another user's zone"

  @Test("one's own zone is not in the shared database, whatever its name (R2.2)")
  func ownZoneInShared() throws {
    let shared = try fixture.database(.shared)
    let item = ModifyRequest.Item(.delete(try RecordName("r"), tag: nil), in: own[0])
    for zone in try own + [.defaultZone, ZoneID("Notes:me")] {
      for use in [
        { _ = try shared.zone(zone) },
        { _ = try shared.fetch([RecordName("r")], in: zone) },
        { _ = try shared.viewChanges(in: zone, since: nil, limit: nil) { _ in } },
        { _ = try shared.modify(ModifyRequest([.init(item.change, in: zone)])) },
        { if !zone.isDefault { try shared.deleteZone(zone) } else { _ = try shared.zone(zone) } },
      ] {
        // Only its own words say that the default zone has no feed.
        expectRefusal(.invalidArguments, zone.isDefault ? "" : "Only shared zones") { try use() }
      }
    }
    expectRefusal(.invalidArguments, "Only shared zones can be accessed in the shared DB") {
      _ = try shared.zone(own[2])
    }
    expectRefusal(.zoneNotFound) { _ = try shared.zone(ZoneID("Slip")) }
  }

  @Test("a reference may name its record's zone, and is stored without it (R5.11)")
  func ownTargets() throws {
    let target = try RecordName("r0")
    for (index, zone) in own.enumerated() {
      let reference = FieldValue.reference(Reference(target, in: zone))
      let value = index == 2 ? FieldValue.list([reference]) : reference
      let field = FieldName(stored: index == 2 ? "ups" : "up")
      var draft = RecordDraft()
      (draft.name, draft.type, draft.zone) = ("i\(index)", "Note", "Notes")
      draft.fields = [.init(field, value, at: draft.position)]
      let summary = try fixture.mine.importing(ImportOptions()) { try $0.add(draft) }
      #expect(summary.created == 1 && summary.faults.isEmpty)
      let record = try fixture.mine.find("i\(index)", zone: "Notes")
      #expect(record?.fields[field] == value.withoutZones)
    }
    let saved = try save("s", .reference(Reference(target, in: own[2])), in: own[0])
    #expect(saved["up"] == .reference(Reference(target)))
  }

  @Test("saves, batches and imports refuse a reference into another zone (R5.11)")
  func foreignTargets() throws {
    for zone in [ZoneID(ZoneName(stored: "Other"), owner: his.owner), .defaultZone] {
      let value = FieldValue.reference(Reference(try RecordName("r0"), in: zone))
      let error = expectRefusal(.invalidArguments) { _ = try save("r", value, in: own[0]) }
      #expect(error?.message.contains("'up' refers to zone '\(zone.text)'") == true)
      var draft = RecordDraft()
      (draft.name, draft.type, draft.zone) = ("r", "Note", "Notes")
      draft.parent = "r0"
      draft.parentZone = zone
      let item = DraftRequests(in: .private, type: nil, zone: .defaultZone).item(draft)
      let failures = try fixture.mine.modify(ModifyRequest([item])).failures
      #expect(failures.map(\.code) == [.invalidArguments])
      draft.parent = nil
      draft.parentZone = nil
      draft.fields = [.init(FieldName(stored: "up"), .list([value]), at: draft.position)]
      let batch = try fixture.mine.modify(
        ModifyRequest([DraftRequests(in: .private, type: nil, zone: .defaultZone).item(draft)]))
      #expect(batch.failures.map(\.code) == [.invalidArguments])
      var options = ImportOptions()
      options.isAtomic = false
      let summary = try fixture.mine.importing(options) { try $0.add(draft) }
      #expect(summary.faults.map(\.error.code) == [.invalidArguments])
    }
    #expect(try fixture.mine.zone(own[0]).recordCount == 0)
  }

  /// Records from iCloud or another store name its users as owners.
  @Test("outside the shared database the owner in a record's text is ignored (R2.2)")
  func ownersOfTexts() throws {
    for owner in ["_e3b0c44298fc1c149afbf4c8996fb924", "_defaultOwner"] {
      let zone = try ZoneID(name: "Notes", owner: owner)
      var draft = RecordDraft()
      (draft.type, draft.zone, draft.zoneOwner) = ("Note", "Notes", owner)
      let target = try RecordName("p\(owner.dropFirst())")
      let value = FieldValue.reference(Reference(target, in: zone))
      draft.fields = [.init(FieldName(stored: "up"), value, at: draft.position)]
      draft.name = target.text
      let summary = try fixture.mine.importing(ImportOptions()) { try $0.add(draft) }
      #expect(summary.created == 1 && summary.createdZones == 0, "\(summary.faults)")
      (draft.name, draft.parent, draft.parentZone) = ("c", draft.name, zone)
      let item = DraftRequests(in: .private, type: nil, zone: .defaultZone).item(draft)
      #expect(try fixture.mine.modify(ModifyRequest([item])).failures.isEmpty)
      let saved = try #require(try fixture.mine.find("c", zone: "Notes"))
      #expect(saved.zone == own[0] && saved["up"] == value.withoutZones)
      _ = try fixture.mine.delete(RecordName("c"), in: own[0])
    }
  }
}
