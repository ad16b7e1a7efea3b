internal import Basics
internal import CloudModel
internal import CloudServices
internal import Testing

/// References and their actions (R5).
@Suite struct ReferenceTests {
  private func reference(_ name: String, _ action: Reference.Action) -> FieldValue {
    .reference(Reference(RecordName(stored: name), action: action))
  }

  /// Saves a record that refers to others.
  private func save(
    _ fixture: CloudFixture, _ name: String, _ targets: [String] = [],
    _ action: Reference.Action = .deleteSelf, parent: String? = nil
  ) throws {
    var assignments: [FieldAssignment] = []
    for (index, target) in targets.enumerated() {
      assignments.append(
        FieldAssignment(FieldName(stored: "r\(index)"), reference(target, action)))
    }
    let request = SaveRequest(
      name: RecordName(stored: name), type: RecordType(stored: "Item"), assignments: assignments,
      policy: .changed, parent: parent.map { RecordName(stored: $0) })
    _ = try fixture.mine.save(request, in: .defaultZone)
  }

  private func names(_ fixture: CloudFixture) throws -> [String] {
    try fixture.mine.everything().map(\.name.text)
  }

  private func delete(_ fixture: CloudFixture, _ name: String) throws {
    _ = try fixture.mine.delete(RecordName(stored: name), in: .defaultZone)
  }

  @Test("C113: with action none, deleting the target keeps the source and its reference")
  func none() throws {
    let fixture = try CloudFixture()
    try save(fixture, "list")
    try save(fixture, "item", ["list"], .none)
    try delete(fixture, "list")
    #expect(try fixture.mine.find("item")?["r0"] == reference("list", .none))
  }

  @Test("C114, C115: deleteSelf cascades over several levels")
  func cascade() throws {
    let fixture = try CloudFixture()
    for (name, target) in [("a", nil), ("b", "a"), ("c", "b"), ("d", "c"), ("other", nil)] {
      try save(fixture, name, target.map { [$0] } ?? [])
    }
    try delete(fixture, "b")
    #expect(try names(fixture) == ["a", "other"])
  }

  @Test("C116: a record with two deleteSelf references dies with either", arguments: ["a", "b"])
  func twoOwners(victim: String) throws {
    let fixture = try CloudFixture()
    try save(fixture, "a")
    try save(fixture, "b")
    try save(fixture, "c", ["a", "b"])
    try delete(fixture, victim)
    #expect(try names(fixture) == ["a", "b"].filter { $0 != victim })
  }

  @Test("C117: a cycle of deleteSelf references is deleted once")
  func cycle() throws {
    let fixture = try CloudFixture()
    for (name, target) in [("a", "c"), ("b", "a"), ("c", "b"), ("self", "self")] {
      try save(fixture, name, [target])
    }
    try delete(fixture, "a")
    #expect(try names(fixture) == ["self"])
    try delete(fixture, "self")
    #expect(try names(fixture) == [])
  }

  @Test("R5.4: a changed or removed reference no longer deletes")
  func changedReference() throws {
    let fixture = try CloudFixture()
    for name in ["a", "b"] { try save(fixture, name) }
    try save(fixture, "c", ["a"])
    try save(fixture, "c", ["b"])
    try delete(fixture, "a")
    #expect(try names(fixture) == ["b", "c"])
  }

  @Test("R5.12: references in lists delete, too")
  func lists() throws {
    let fixture = try CloudFixture()
    try save(fixture, "a")
    try fixture.mine.save(
      "b", "Item", [("l", .list([reference("x", .none), reference("a", .deleteSelf)]))])
    try delete(fixture, "a")
    #expect(try names(fixture) == [])
  }

  @Test("C119: a parent that is not there gives 31, and nothing is saved")
  func missingParent() throws {
    let fixture = try CloudFixture()
    expectRefusal(.referenceViolation, "'nobody' does not exist") {
      try save(fixture, "child", parent: "nobody")
    }
    #expect(try names(fixture) == [])
  }

  @Test("C122: a parent that still has children gives 31, and nothing is deleted")
  func parentWithChildren() throws {
    let fixture = try CloudFixture()
    try save(fixture, "p")
    try save(fixture, "c", parent: "p")
    let error = expectRefusal(.referenceViolation, "still the parent of 'c'") {
      try delete(fixture, "p")
    }
    #expect(error?.recordName == "p")
    #expect(try names(fixture) == ["c", "p"])
  }

  @Test("R5.15: a child that is deleted with its parent does not keep the parent")
  func parentWithOwnedChild() throws {
    let fixture = try CloudFixture()
    try save(fixture, "p")
    try save(fixture, "c", ["p"], parent: "p")
    try delete(fixture, "p")
    #expect(try names(fixture) == [])
  }

  @Test(
    "C120, C123: in one operation the order of parent and child does not matter",
    arguments: [["p", "c", "g"], ["g", "c", "p"], ["c", "g", "p"]],
    [ZoneID.defaultZone, ZoneID(stored: "Notes")])
  func anyOrder(order: [String], zone: ZoneID) throws {
    let fixture = try CloudFixture()
    if !zone.isDefault { _ = try fixture.mine.createZone(zone) }
    let parents = ["c": "p", "g": "c"]
    let saves = order.map { name in
      ModifyRequest.Item(
        .save(
          SaveRequest(
            name: RecordName(stored: name), type: RecordType(stored: "Item"), assignments: [],
            parent: parents[name].map { RecordName(stored: $0) })), in: zone)
    }
    let saved = try fixture.mine.modify(ModifyRequest(saves))
    #expect(saved.failures.map(\.message) == [])
    #expect(saved.saved.map(\.record.name.text) == order)
    let deletes = order.map {
      ModifyRequest.Item(.delete(RecordName(stored: $0), tag: nil), in: zone)
    }
    #expect(try fixture.mine.modify(ModifyRequest(deletes)).deletedCount == 3)
    #expect(try names(fixture) == [])
  }

  @Test(
    "R5.16: records that would be one another's parents are refused",
    arguments: [ZoneID.defaultZone, ZoneID(stored: "Notes")])
  func parentCycle(zone: ZoneID) throws {
    let fixture = try CloudFixture()
    if !zone.isDefault { _ = try fixture.mine.createZone(zone) }
    let saves = [("a", "b"), ("b", "c"), ("c", "a")].map { name, parent in
      ModifyRequest.Item(
        .save(
          SaveRequest(
            name: RecordName(stored: name), type: RecordType(stored: "Item"), assignments: [],
            parent: RecordName(stored: parent))), in: zone)
    }
    let other: CloudError.Code = zone.isDefault ? .internalError : .batchRequestFailed
    #expect(
      try fixture.mine.modify(ModifyRequest(saves)).failures.map(\.code)
        == [other, other, .invalidArguments])
    #expect(try names(fixture) == [])
  }

  @Test("C123: a record deleted by a cascade does not hold another record of the operation")
  func heldByDependents() throws {
    let fixture = try CloudFixture()
    for name in ["a", "d"] { try save(fixture, name) }
    try save(fixture, "b", ["a"])
    try save(fixture, "e", ["d"])
    try save(fixture, "a", parent: "e")
    try save(fixture, "d", parent: "b")
    let error = expectRefusal(.referenceViolation, "'e', which would be deleted, too, is still") {
      try delete(fixture, "d")
    }
    #expect(error?.recordName == "d")
    let request = ModifyRequest(
      ["a", "d"].map { .init(.delete(RecordName(stored: $0), tag: nil), in: .defaultZone) })
    #expect(try fixture.mine.modify(request).failures.map(\.message) == [])
    #expect(try names(fixture) == [])
  }

  @Test("C125, C126: the 751st deleteSelf source of one target gives 27; plain ones do not count")
  func tooManyOwners() throws {
    let fixture = try CloudFixture()
    try save(fixture, "a")
    let items = (0..<750).map { number in
      ModifyRequest.Item(
        .save(
          SaveRequest(
            name: RecordName(stored: "s\(number)"), type: RecordType(stored: "Item"),
            assignments: [
              FieldAssignment(FieldName(stored: "r0"), reference("a", .deleteSelf))
            ])), in: .defaultZone)
    }
    #expect(try fixture.mine.modify(ModifyRequest(Array(items[..<400]))).error == nil)
    #expect(try fixture.mine.modify(ModifyRequest(Array(items[400...]))).error == nil)
    expectRefusal(.limitExceeded, "number of owning references to single record") {
      try save(fixture, "one", ["a"])
    }
    try save(fixture, "s0", ["a"])
    try save(fixture, "plain", ["a"], .none)
    try delete(fixture, "a")
    #expect(try names(fixture) == ["plain"])
  }

  @Test("C128, R5.1: a validating reference needs its target, and prevents its deletion")
  func validate() throws {
    let fixture = try CloudFixture()
    expectRefusal(.referenceViolation) { try save(fixture, "b", ["a"], .validate) }
    try save(fixture, "a")
    try save(fixture, "b", ["a"], .validate)
    expectRefusal(.referenceViolation, "still validated by 'b'") { try delete(fixture, "a") }
    try delete(fixture, "b")
    try delete(fixture, "a")
    #expect(try names(fixture) == [])
  }

  @Test("R2.7: references do not prevent the deletion of a zone")
  func zone() throws {
    let fixture = try CloudFixture()
    let zone = ZoneID(stored: "Notes")
    for _ in 0..<2 {
      _ = try fixture.mine.createZone(zone)
      let items = [("p", nil), ("c", "p")].map { name, parent in
        ModifyRequest.Item(
          .save(
            SaveRequest(
              name: RecordName(stored: name), type: RecordType(stored: "Item"),
              assignments: [], parent: parent.map { RecordName(stored: $0) })), in: zone)
      }
      #expect(try fixture.mine.modify(ModifyRequest(items)).error == nil)
      try fixture.mine.deleteZone(zone)
    }
    #expect(try names(fixture) == [])
  }

  @Test("a preview of a deletion says what the deletion does (R5.4–R5.9), and changes nothing")
  func preview() throws {
    var chance = SplitMix64(state: 58)
    var refusals = 0
    for _ in 0..<40 {
      let fixture = try CloudFixture()
      let all = (0..<12).map { "n\($0)" }
      for (place, name) in all.enumerated() {
        let targets = (0..<place).filter { _ in Int.random(in: 0..<4, using: &chance) == 0 }.map {
          all[$0]
        }
        let action: Reference.Action =
          Int.random(in: 0..<5, using: &chance) == 0 ? .validate : .deleteSelf
        let parent = Int.random(in: 0..<6, using: &chance) == 0 ? targets.first : nil
        try save(fixture, name, targets, action, parent: parent)
      }
      let victim = RecordName(stored: all[Int.random(in: 0..<6, using: &chance)])
      let before = try names(fixture)
      let preview = try fixture.mine.previewDeletion(of: [victim], in: .defaultZone)
      #expect(try names(fixture) == before)
      var refusal: CloudError?
      do { try delete(fixture, victim.text) } catch let error as CloudError { refusal = error }
      #expect(refusal?.code == (preview.errors.isEmpty ? nil : .referenceViolation))
      if refusal != nil {
        refusals += 1
      } else {
        let gone = Set(before).subtracting(try names(fixture))
        #expect(gone == Set(preview.cascade.map(\.text) + [victim.text]))
      }
    }
    #expect((5...35).contains(refusals))
  }

  @Test("R5: the sources of links are the children and those with an action, readable ones only")
  func sources() throws {
    let fixture = try CloudFixture()
    try save(fixture, "list")
    try save(fixture, "child", parent: "list")
    try save(fixture, "self", ["list"])
    try save(fixture, "needs", ["list"], .validate)
    try save(fixture, "plain", ["list"], .none)
    let name = RecordName(stored: "list")
    let found = try fixture.mine.sources(ofLinksTo: name, in: .defaultZone, atMost: 10)
    #expect(found.map(\.name.text) == ["child", "needs", "self"])
    #expect(found.map(\.kind) == [.child, .validate, .deleteSelf])
    #expect(try fixture.mine.sources(ofLinksTo: name, in: .defaultZone, atMost: 1).count == 1)
  }
}
