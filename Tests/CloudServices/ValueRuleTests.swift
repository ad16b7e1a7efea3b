internal import CloudModel
internal import CloudServices
internal import Testing

/// Values and their types (R3.3, R3.4).
@Suite struct ValueRuleTests {
  /// One value of each type but ASSET, whose contents must be there (`AssetTests`).
  static let values: [FieldValue] = {
    var place = Location(latitude: 51.5, longitude: -0.12).map { FieldValue.location($0) }
    return [
      .string("e\u{301} 🧭"), .int64(.max), .double(0.1),
      .timestamp(Timestamp(milliseconds: -1)), .bytes([0, 255]),
      .reference(Reference(RecordName(stored: "r"), action: .deleteSelf)), place ?? .int64(0),
    ]
  }()

  @Test("C065: each type round-trips", arguments: values)
  func singles(_ value: FieldValue) throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("f", value)])
    #expect(try fixture.mine.find("r")?["f"] == value)
    #expect(try fixture.environment().appSchema().first?.fields.first?.type == value.type)
  }

  @Test("C066: each list type round-trips with its order", arguments: values)
  func lists(_ value: FieldValue) throws {
    let fixture = try CloudFixture()
    let list = FieldValue.list([value, value])
    try fixture.mine.save("r", "Note", [("f", list)])
    #expect(try fixture.mine.find("r")?["f"] == list)
    let type = try fixture.environment().appSchema().first?.fields.first?.type
    #expect(type?.isList == true && type?.base == value.type?.base)
  }

  @Test("C067, C068: nested and mixed lists are refused")
  func badLists() throws {
    let fixture = try CloudFixture()
    for members in [
      [FieldValue.list([.int64(1)])], [.string("a"), .int64(1)], [.int64(1), .list([])],
    ] {
      expectRefusal(.invalidArguments) {
        try fixture.mine.save("r", "Note", [("f", .list(members))])
      }
    }
  }

  @Test("R3.4.7: a list of whole and real numbers is LIST<DOUBLE>")
  func numbersInLists() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("f", .list([.int64(1), .double(0.5)]))])
    #expect(try fixture.mine.find("r")?["f"] == .list([.double(1), .double(0.5)]))
  }

  @Test("C070, C071: nil removes the value, the field stays in the schema")
  func removing() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("a", .int64(1)), ("b", .int64(2))])
    try fixture.mine.save("r", "Note", [("a", nil)], .changed)
    #expect(try fixture.mine.find("r")?.fields.entries.map(\.name.text) == ["b"])
    #expect(try fixture.environment().appSchema().first?.fields.count == 2)
  }

  @Test("R3.4.5: nil for an unknown field makes no field in development")
  func removingNothing() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("a", nil)])
    #expect(try fixture.environment().appSchema().first?.fields.isEmpty == true)
  }

  @Test("C072: an empty list for an unknown field gives 12")
  func emptyListForNewField() throws {
    let fixture = try CloudFixture()
    expectRefusal(.invalidArguments, "cannot use an empty list to initialize a new field") {
      try fixture.mine.save("r", "Note", [("f", .list([]))])
    }
  }

  @Test("C073: an empty list for a known list field is a value")
  func emptyList() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("f", .list([.int64(1)]))])
    try fixture.mine.save("s", "Note", [("f", .list([]))])
    #expect(try fixture.mine.find("s")?["f"] == .list([]))
  }

  @Test("C074: a string for an INT64 field gives 12, and nothing is saved")
  func mismatch() throws {
    let fixture = try CloudFixture()
    let first = try fixture.mine.save("r", "Note", [("year", .int64(1))])
    expectRefusal(.invalidArguments, "invalid attempt to set value type STRING for field 'year'") {
      try fixture.mine.save("r", "Note", [("a", .int64(1)), ("year", .string("x"))], .changed)
    }
    #expect(try fixture.mine.find("r") == first)
    #expect(try fixture.environment().appSchema().first?.fields.count == 1)
  }

  @Test("C075, R3.4.7: whole numbers convert between INT64 and DOUBLE, fractions do not")
  func numbers() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("d", .double(0.5)), ("i", .int64(1))])
    try fixture.mine.save("s", "Note", [("d", .int64(2)), ("i", .double(3))])
    let saved = try fixture.mine.find("s")
    #expect(saved?["d"] == .double(2) && saved?["i"] == .int64(3))
    for number in [0.5, 1e300, -0x1p64] {
      expectRefusal(.invalidArguments, "value type DOUBLE") {
        try fixture.mine.save("t", "Note", [("i", .double(number))])
      }
    }
  }

  @Test("C076: a record over 1 MB is refused with 27; as an asset the bytes are accepted")
  func size() throws {
    let fixture = try CloudFixture()
    let large = String(repeating: "x", count: 1 << 20)
    expectRefusal(.limitExceeded) { try fixture.mine.save("r", "Note", [("f", .string(large))]) }
    expectRefusal(.limitExceeded) {
      let half = FieldValue.string(String(large.prefix(1 << 19)))
      try fixture.mine.save("r", "Note", [("f", .list([half, half]))])
    }
    #expect(try fixture.environment().madeTypes().isEmpty)
    let staged = try fixture.environment().stage(fixture.file("large", large))
    let assignment = FieldAssignment(
      try FieldName("f"), .asset(staged.asset), staged: [staged])
    let request = SaveRequest(
      name: nil, type: try RecordType("Note"), assignments: [assignment])
    #expect(try fixture.mine.save(request, in: .defaultZone).outcome == .created)
  }

  @Test("C076: the limit applies to the record that an update results in")
  func sizeOfUpdates() throws {
    let fixture = try CloudFixture()
    let half = FieldValue.string(String(repeating: "x", count: 600_000))
    try fixture.mine.save("r", "Note", [("a", half)])
    expectRefusal(.limitExceeded) { try fixture.mine.save("r", "Note", [("b", half)], .changed) }
    try fixture.mine.save("r", "Note", [("b", half)], .all, replacing: true)
  }

  @Test("C077, C078: desiredKeys [] gives system fields only, unknown names are no error")
  func desiredKeys() throws {
    let fixture = try CloudFixture()
    let saved = try fixture.mine.save("r", "Note", [("a", .int64(1)), ("b", .int64(2))])
    let bare = try fixture.mine.find("r", keys: [])
    #expect(bare?.fields.entries.isEmpty == true)
    #expect(bare?.changeTag == saved.changeTag && bare?.created == saved.created)
    let part = try fixture.mine.find("r", keys: ["b", "nothing"])
    #expect(part?.fields.entries.map(\.name.text) == ["b"])
  }

  @Test("C083, C251: a field stays encrypted or plain, and public has no encrypted fields")
  func encrypted() throws {
    let fixture = try CloudFixture()
    let secret = FieldType(.string, isEncrypted: true)
    func save(_ database: CloudDatabase, _ name: String, _ type: FieldType?) throws {
      let assignment = FieldAssignment(try FieldName("f"), .string("x"), type: type)
      let request = SaveRequest(
        name: try RecordName(name), type: try RecordType("Note"), assignments: [assignment])
      _ = try database.save(request, in: .defaultZone)
    }
    expectRefusal(.invalidArguments) { try save(fixture.database(.public), "r", secret) }
    try save(fixture.mine, "r", secret)
    #expect(try fixture.environment().appSchema().first?.fields.first?.indexes == [])
    expectRefusal(.invalidArguments) { try save(fixture.mine, "s", FieldType(.string)) }
  }
}
