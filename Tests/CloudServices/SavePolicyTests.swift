internal import CloudModel
internal import CloudServices
internal import Testing

/// Save policies and conflicts (R4.1, R4.3).
@Suite struct SavePolicyTests {
  /// Both versions of a record that was saved twice.
  private func twice(_ fixture: CloudFixture) throws -> (old: Record, new: Record) {
    let old = try fixture.mine.save("r", "Note", [("a", .int64(1)), ("b", .int64(1))])
    let new = try fixture.mine.save("r", "Note", [("b", .int64(2))], tag: old.changeTag)
    return (old, new)
  }

  @Test("C085: the default policy with the current tag succeeds, other keys stay")
  func currentTag() throws {
    let fixture = try CloudFixture()
    let (_, new) = try twice(fixture)
    #expect(new["a"] == .int64(1) && new["b"] == .int64(2))
  }

  @Test("C086, C095: an old tag gives 14 with server and client record, and changes nothing")
  func oldTag() throws {
    let fixture = try CloudFixture()
    let (old, new) = try twice(fixture)
    let error = expectRefusal(.serverRecordChanged, "client oplock error updating record") {
      try fixture.mine.save("r", "Note", [("a", .int64(9))], tag: old.changeTag)
    }
    #expect(error?.conflict?.server == new)
    #expect(error?.conflict?.client["a"] == .int64(9))
    #expect(error?.conflict?.client.changeTag == old.changeTag)
    #expect(try fixture.mine.find("r") == new)
  }

  @Test("C087: no tag on an existing name gives 14 'record to insert already exists'")
  func noTag() throws {
    let fixture = try CloudFixture()
    let (_, new) = try twice(fixture)
    let error = expectRefusal(.serverRecordChanged, "record to insert already exists") {
      try fixture.mine.save("r", "Note", [("a", .int64(9))])
    }
    #expect(error?.conflict?.server == new)
  }

  @Test("C088: a tag on a missing name gives 11; the other policies create")
  func missing() throws {
    let fixture = try CloudFixture()
    let tag = ChangeTag(given: "1")
    expectRefusal(.unknownItem) { try fixture.mine.save("r", tag: tag) }
    #expect(try fixture.environment().madeTypes().isEmpty)
    try fixture.mine.save("c", "Note", [], .changed)
    try fixture.mine.save("d", "Note", [], .all)
    #expect(try fixture.mine.everything().count == 2)
  }

  @Test(
    "C089, C090, C091: changed and all merge the given keys into the record, whatever the tag",
    arguments: [SavePolicy.changed, .all])
  func merging(_ policy: SavePolicy) throws {
    let fixture = try CloudFixture()
    let (old, _) = try twice(fixture)
    let merged = try fixture.mine.save(
      "r", "Note", [("a", .int64(9)), ("c", .int64(9))], tag: old.changeTag, policy)
    #expect(merged["a"] == .int64(9) && merged["b"] == .int64(2) && merged["c"] == .int64(9))
    #expect(try fixture.mine.find("r") == merged)
  }

  @Test("C092: replace clears the keys that are not given")
  func replacing() throws {
    let fixture = try CloudFixture()
    let (_, new) = try twice(fixture)
    for (policy, tag) in [(SavePolicy.changed, nil), (.all, nil)] as [(SavePolicy, ChangeTag?)] {
      let saved = try fixture.mine.save(
        "r", "Note", [("c", .int64(9))], tag: tag, policy, replacing: true)
      #expect(saved.fields.entries.map(\.name.text) == ["c"])
    }
    expectRefusal(.serverRecordChanged) {
      try fixture.mine.save("r", "Note", [("a", .int64(1))], tag: new.changeTag, replacing: true)
    }
  }

  @Test("C097: saving the merged server record succeeds")
  func mergedServerRecord() throws {
    let fixture = try CloudFixture()
    let (old, _) = try twice(fixture)
    let error = expectRefusal(.serverRecordChanged) {
      try fixture.mine.save("r", "Note", [("a", .int64(9))], tag: old.changeTag)
    }
    var server = try #require(error?.conflict?.server)
    server.fields[FieldName(stored: "a")] = .int64(9)
    let saved = try fixture.mine.save(
      "r", "Note", server.fields.entries.map { ($0.name.text, $0.value) },
      tag: server.changeTag)
    #expect(saved["a"] == .int64(9) && saved["b"] == .int64(2))
  }

  @Test("C098: saving the merged client record conflicts again")
  func mergedClientRecord() throws {
    let fixture = try CloudFixture()
    let (old, _) = try twice(fixture)
    let error = expectRefusal(.serverRecordChanged) {
      try fixture.mine.save("r", "Note", [("a", .int64(9))], tag: old.changeTag)
    }
    let client = try #require(error?.conflict?.client)
    expectRefusal(.serverRecordChanged) {
      try fixture.mine.save("r", "Note", [("b", .int64(2))], tag: client.changeTag)
    }
  }

  @Test("C099: every save gives a new tag, even one that changes nothing")
  func newTags() throws {
    let fixture = try CloudFixture()
    var tags = [try fixture.mine.save("r", "Note", [("a", .int64(1))]).changeTag]
    for _ in 0..<5 {
      tags.append(
        try fixture.mine.save("r", "Note", [("a", .int64(1))], tag: tags.last ?? nil).changeTag)
    }
    #expect(Set(tags).count == 6)
  }
}
