internal import CloudModel
internal import CloudServices
internal import Testing

/// Valid names (R3.1).
@Suite struct RecordNameTests {
  @Test(
    "C052, C053: type names that are refused",
    arguments: ["", "1Note", "_Note", "My Note", "My.Note", "Né", "a-b", "Note\n"])
  func types(_ name: String) {
    expectRefusal(.invalidArguments, "invalid characters") { _ = try RecordType(name) }
  }

  @Test("C054: a field key with a leading underscore gives permissionFailure")
  func systemFields() throws {
    let fixture = try CloudFixture()
    let words = "Unprivileged attempt to insert a system field: _x"
    expectRefusal(.permissionFailure, words) {
      try fixture.mine.save("r", "Note", [("_x", .int64(1))])
    }
  }

  @Test("C055: field keys that are refused", arguments: ["", "a b", "1a", "a.b", "é", "a-b"])
  func fields(_ name: String) {
    expectRefusal(.invalidArguments) { _ = try FieldName(name) }
  }

  @Test("C056, C057: record names that are refused", arguments: ["", "_r", "é", "a\tb", "🧭"])
  func records(_ name: String) {
    expectRefusal(.invalidArguments, "record name") { _ = try RecordName(name) }
  }

  @Test("names for a completion: all up to the limit, else the first ones and the last, none twice")
  func completion() throws {
    let fixture = try CloudFixture()
    for name in ["a1", "a2", "a3", "b"] { try fixture.mine.save(name) }
    for (limit, names) in [(2, "a1 a2 a3"), (3, "a1 a2 a3"), (4, "a1 a2 a3")] {
      let found = try fixture.mine.names(beginningWith: "a", in: .defaultZone, atMost: limit)
      #expect(found.map(\.text).joined(separator: " ") == names, "\(limit)")
    }
  }

  @Test("C057: a record name of 255 ASCII characters works, 256 fails")
  func lengths() throws {
    let fixture = try CloudFixture()
    let longest = String(repeating: "n", count: 255)
    try fixture.mine.save(longest)
    #expect(try fixture.mine.find(longest) != nil)
    expectRefusal(.invalidArguments) { _ = try RecordName(longest + "n") }
  }

  @Test("C058: a record name may hold spaces, commas, quotes and slashes")
  func punctuation() throws {
    let fixture = try CloudFixture()
    for name in ["115, Chen Mei", "it's", "a/b", "\"x\"", " ", "-", "%@"] {
      try fixture.mine.save(name, "Note", [("n", .string(name))])
      #expect(try fixture.mine.find(name)?["n"] == .string(name))
    }
  }

  @Test("C059: a record saved without a name gets a new UUID")
  func madeNames() throws {
    let fixture = try CloudFixture()
    let names = try (0..<20).map { _ in try fixture.mine.save(nil).name.text }
    #expect(Set(names).count == 20)
    for name in names {
      let parts = name.split(separator: "-").map(\.utf8.count)
      #expect(parts == [8, 4, 4, 4, 12], "\(name)")
      #expect(name == name.uppercased() && name.dropFirst(14).first == "4", "\(name)")
    }
  }

  @Test("C060: two types cannot use one record name in one zone")
  func takenName() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note")
    expectRefusal(.serverRecordChanged, "record to insert already exists") {
      try fixture.mine.save("r", "Task")
    }
    #expect(try fixture.environment().madeTypes() == ["Note"])
  }
}
