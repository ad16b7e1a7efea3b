internal import CloudModel
internal import CloudServices
internal import Testing

/// System fields (R3.2).
@Suite struct LifecycleTests {
  @Test("C061: the record type cannot change on update, whatever the policy")
  func typeChange() throws {
    let fixture = try CloudFixture()
    let saved = try fixture.mine.save("r", "Note")
    try fixture.mine.save("t", "Task")
    expectRefusal(.invalidArguments, "'Note' and cannot be changed to 'Task'") {
      try fixture.mine.save("r", "Task", tag: saved.changeTag)
    }
    for policy in [SavePolicy.changed, .all] {
      expectRefusal(.invalidArguments) { try fixture.mine.save("r", "Task", [], policy) }
    }
    #expect(try fixture.mine.find("r") == saved)
  }

  @Test("C062: system fields are set by the first save")
  func firstSave() throws {
    let fixture = try CloudFixture()
    let draft = Record(
      name: RecordName(stored: "r"), type: RecordType(stored: "Note"), zone: .defaultZone)
    #expect(draft.created == nil && draft.modified == nil && draft.changeTag == nil)
    let saved = try fixture.mine.save("r")
    let me = try fixture.environment().userRecordName(Account("me"))
    #expect(saved.created == Record.Stamp(at: CloudFixture.noon, by: me))
    #expect(saved.modified == saved.created)
    #expect(saved.changeTag != nil)
    #expect(try fixture.mine.find("r") == saved, "what a save returns is what is stored")
  }

  @Test("C063: an update changes modification and tag, and keeps creation")
  func update() throws {
    let fixture = try CloudFixture()
    let anna = try fixture.database(.public, "anna")
    let first = try anna.save("r", "Note", [("a", .int64(1))])
    fixture.advance(milliseconds: 60_000)
    let later = try fixture.database(.public, "anna")
    let second = try later.save("r", "Note", [("a", .int64(2))], tag: first.changeTag)
    #expect(second.created == first.created)
    #expect(second.modified?.at.milliseconds == CloudFixture.noon.milliseconds + 60_000)
    #expect(try second.modified?.by == fixture.environment().userRecordName(Account("anna")))
    #expect(second.changeTag != first.changeTag)
    #expect(try anna.find("r") == second)
  }

  @Test("C112: a record is readable by id right after its save, by another session, too")
  func readableAtOnce() throws {
    let fixture = try CloudFixture()
    let other = CloudStore(path: fixture.store.path)
    let me = try Account("me")
    let reader = try other.environment(fixture.container, .development, for: fixture.request)
      .database(.private, as: me)
    #expect(try reader.find("r") == nil)
    let saved = try fixture.mine.save("r", "Note", [("a", .int64(1))])
    #expect(try reader.find("r") == saved)
  }

  @Test("C110: deleting a missing name succeeds; the others are deleted")
  func deletingMissing() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a")
    let names = try ["nope", "a", "b"].map { try RecordName($0) }
    #expect(
      try names.map { try fixture.mine.delete($0, in: .defaultZone).isDeleted } == [
        false, true, false,
      ])
    #expect(try fixture.mine.everything() == [])
    try fixture.mine.save("a")
    #expect(try fixture.mine.everything().count == 1, "a deleted name is free again")
  }

  @Test("C111: deleting in a missing zone gives 26")
  func deletingElsewhere() throws {
    let fixture = try CloudFixture()
    expectRefusal(.zoneNotFound) {
      _ = try fixture.mine.delete(RecordName("r"), in: ZoneID("Notes"))
    }
  }

  @Test("R4.2.6: another tag is a conflict, and nothing is deleted")
  func deletingWithTag() throws {
    let fixture = try CloudFixture()
    let first = try fixture.mine.save("a")
    try fixture.mine.save("b")
    expectRefusal(.serverRecordChanged) {
      _ = try fixture.mine.delete(RecordName("b"), in: .defaultZone, tag: first.changeTag)
    }
    #expect(try fixture.mine.everything().count == 2)
    #expect(try fixture.mine.delete(first.name, in: .defaultZone, tag: first.changeTag).isDeleted)
  }

  @Test("C118: a plain reference to a missing record is accepted")
  func dangling() throws {
    let fixture = try CloudFixture()
    let value = FieldValue.reference(Reference(RecordName(stored: "nobody")))
    try fixture.mine.save("r", "Note", [("to", value)])
    #expect(try fixture.mine.find("r")?["to"] == value)
  }
}
