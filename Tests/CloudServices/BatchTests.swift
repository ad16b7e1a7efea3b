internal import CloudModel
internal import CloudServices
internal import Testing

/// Operations on several records (R4.4).
@Suite struct BatchTests {
  private let custom = ZoneID(stored: "Notes")

  private func save(
    _ name: String?, zone: ZoneID = .defaultZone, tag: ChangeTag? = nil,
    parent: String? = nil, _ value: FieldValue = .int64(1)
  ) -> ModifyRequest.Item {
    ModifyRequest.Item(
      .save(
        SaveRequest(
          name: name.map { RecordName(stored: $0) }, type: RecordType(stored: "Note"),
          assignments: [FieldAssignment(FieldName(stored: "n"), value)], tag: tag,
          parent: parent.map { RecordName(stored: $0) })), in: zone)
  }

  private func delete(_ name: String, zone: ZoneID = .defaultZone) -> ModifyRequest.Item {
    ModifyRequest.Item(.delete(RecordName(stored: name), tag: nil), in: zone)
  }

  /// A fixture whose field `n` is INT64, so that a string is an error.
  private func fixture() throws -> CloudFixture {
    let fixture = try CloudFixture()
    _ = try fixture.mine.createZone(custom)
    try fixture.mine.save("first", "Note", [("n", .int64(0))])
    return fixture
  }

  private func names(_ fixture: CloudFixture) throws -> [String] {
    try fixture.mine.everything().map { "\($0.zone.text)/\($0.name.text)" }
  }

  private func codes(_ result: ModifyResult) -> [CloudError.Code?] {
    result.outcomes.map { if case .failed(let error) = $0 { error.code } else { nil } }
  }

  @Test("C101, C102: in a custom zone one failing item undoes the batch; the others get 22")
  func atomic() throws {
    let fixture = try fixture()
    let result = try fixture.mine.modify(
      ModifyRequest([
        save("a", zone: custom), save("b", zone: custom, .string("x")), save("c", zone: custom),
      ]))
    #expect(codes(result) == [.batchRequestFailed, .invalidArguments, .batchRequestFailed])
    #expect(result.failures.map(\.recordName) == ["a", "b", "c"])
    #expect(result.error?.code == .partialFailure)
    #expect(result.error?.message == "Failed to modify some records")
    #expect(result.error?.serverCode == 1011)
    #expect(try names(fixture) == ["_defaultZone/first"])
  }

  @Test("C103: a failure in zone A does not stop zone B of the same operation")
  func severalZones() throws {
    let fixture = try fixture()
    let result = try fixture.mine.modify(
      ModifyRequest([
        save("a", zone: custom), save("b", zone: custom, .string("x")), save("c"),
        save("d", zone: ZoneID(stored: "Nowhere")),
      ]))
    #expect(codes(result) == [.batchRequestFailed, .invalidArguments, nil, .zoneNotFound])
    #expect(try names(fixture) == ["_defaultZone/c", "_defaultZone/first"])
  }

  @Test(
    "C104, C106: in the default zone, and without atomic, each item succeeds or fails by itself",
    arguments: [false, true])
  func notAtomic(inCustomZone: Bool) throws {
    let fixture = try fixture()
    let zone = inCustomZone ? custom : .defaultZone
    let result = try fixture.mine.modify(
      ModifyRequest(
        [save("a", zone: zone), save("b", zone: zone, .string("x")), save("c", zone: zone)],
        isAtomic: inCustomZone ? false : nil))
    #expect(codes(result) == [nil, .invalidArguments, nil])
    #expect(try names(fixture).filter { $0 != "_defaultZone/first" }.count == 2)
  }

  @Test("C104: a local extension makes the default zone atomic, too")
  func atomicDefaultZone() throws {
    let fixture = try fixture()
    let result = try fixture.mine.modify(
      ModifyRequest([save("a"), save("b", .string("x"))], isAtomic: true))
    #expect(codes(result) == [.batchRequestFailed, .invalidArguments])
    #expect(try names(fixture) == ["_defaultZone/first"])
  }

  @Test("C084: a failed batch leaves nothing behind, neither types nor notices")
  func schema() throws {
    let fixture = try fixture()
    var new = save("a", zone: custom)
    if case .save(var request) = new.change {
      request.type = RecordType(stored: "New")
      new.change = .save(request)
    }
    let result = try fixture.mine.modify(
      ModifyRequest([new, save("b", zone: custom, .string("x"))]))
    #expect(result.notices == [])
    #expect(try fixture.mine.environment.madeTypes() == ["Note"])
    let type = RecordType(stored: "New")
    #expect(try fixture.mine.modify(ModifyRequest([new])).notices == [.newType(type, near: nil)])
  }

  @Test("C107: 401 items give 27, and nothing is done")
  func tooManyItems() throws {
    let fixture = try fixture()
    let words =
      "Your request contains 401 items which is more than the maximum number of items in a single "
      + "request (400)"
    expectRefusal(.limitExceeded, words) {
      _ = try fixture.mine.modify(ModifyRequest((0...400).map { save("r\($0)") }))
    }
    #expect(try names(fixture) == ["_defaultZone/first"])
    let result = try fixture.mine.modify(ModifyRequest((0..<400).map { save("r\($0)") }))
    #expect(result.error == nil)
  }

  @Test("R3.5.5: an operation of more than 2 MB gives 27")
  func tooLarge() throws {
    let fixture = try fixture()
    let text = FieldValue.string(String(repeating: "x", count: 900_000))
    let items = (0..<3).map { number in
      ModifyRequest.Item(
        .save(
          SaveRequest(
            name: RecordName(stored: "r\(number)"), type: RecordType(stored: "Note"),
            assignments: [FieldAssignment(FieldName(stored: "t"), text)])), in: .defaultZone)
    }
    expectRefusal(.limitExceeded) { _ = try fixture.mine.modify(ModifyRequest(items)) }
    #expect(try fixture.mine.modify(ModifyRequest(Array(items[..<2]))).error == nil)
  }

  @Test("C108: the same record twice in one operation is refused as a whole")
  func twice() throws {
    let fixture = try fixture()
    for (first, second, words) in [
      (save("a"), save("a", .int64(2)), "You can't save the same record twice"),
      (save("a"), delete("a"), "You can't save and delete the same record (a) in a single"),
      (delete("a"), save("a"), "You can't save and delete the same record (a) in a single"),
      (delete("a"), delete("a"), "You can't delete the same record twice"),
    ] {
      expectRefusal(.invalidArguments, words) {
        _ = try fixture.mine.modify(ModifyRequest([first, second]))
      }
    }
    let other = ModifyRequest([save("a"), save("a", zone: custom)])
    #expect(try fixture.mine.modify(other).error == nil, "the zone is part of the id")
  }

  @Test("C100: saving a child renews the parent's tag, unless the parent is in the batch")
  func parentTag() throws {
    let fixture = try fixture()
    let parent = try fixture.mine.save("p", "Note", [("n", .int64(0))])
    _ = try fixture.mine.modify(ModifyRequest([save("c", parent: "p")]))
    let renewed = try #require(try fixture.mine.find("p"))
    #expect(renewed.changeTag != parent.changeTag)
    #expect(renewed.fields == parent.fields)
    #expect(renewed.modified == parent.modified)
    let result = try fixture.mine.modify(
      ModifyRequest([save("p", tag: renewed.changeTag, .int64(5)), save("d", parent: "p")]))
    #expect(result.error == nil)
    #expect(try fixture.mine.find("p")?.changeTag == result.saved.first?.record.changeTag)
  }

  @Test("R5.8: a record whose parent failed in the same operation gets 1, and 22 in an atomic one")
  func orphans() throws {
    let fixture = try fixture()
    func codes(isAtomic: Bool) throws -> [CloudError.Code?] {
      let items = [
        save("g", zone: custom, parent: "c"), save("c", zone: custom, parent: "p"),
        save("p", zone: custom, .string("x")), save("o", zone: custom, parent: "nowhere"),
        save("q", zone: custom, parent: "o"), save("fine", zone: custom),
      ]
      return try self.codes(fixture.mine.modify(ModifyRequest(items, isAtomic: isAtomic)))
    }
    #expect(
      try codes(isAtomic: true) == [
        .batchRequestFailed, .batchRequestFailed, .invalidArguments, .referenceViolation,
        .batchRequestFailed, .batchRequestFailed,
      ])
    #expect(
      try codes(isAtomic: false) == [
        .internalError, .internalError, .invalidArguments, .referenceViolation, .internalError, nil,
      ])
    #expect(try names(fixture) == ["Notes/fine", "_defaultZone/first"])
  }

  @Test("R5.8: a record whose parent exceeded the quota in the same operation gets 25")
  func orphansOfQuota() throws {
    let fixture = try fixture()
    try fixture.store.set(quota: 1000, of: Account("me"))
    let large = SaveRequest(
      name: RecordName(stored: "p"), type: RecordType(stored: "Note"),
      assignments: [
        FieldAssignment(
          FieldName(stored: "text"), .string(String(repeating: "x", count: 2000)))
      ])
    let result = try fixture.mine.modify(
      ModifyRequest(
        [
          save("g", zone: custom, parent: "c"), save("c", zone: custom, parent: "p"),
          ModifyRequest.Item(.save(large), in: custom),
        ], isAtomic: false))
    #expect(codes(result) == [.quotaExceeded, .quotaExceeded, .quotaExceeded])
    #expect(result.failures.map(\.recordName) == ["g", "c", "p"])
  }
}
