internal import CloudModel
internal import CloudServices
internal import Testing

/// Containers and environments (R1.1, R1.2).
@Suite struct EnvironmentTests {
  @Test("C004: a container that was never created gives badContainer")
  func unknownContainer() throws {
    let fixture = try CloudFixture()
    expectRefusal(.badContainer) {
      _ = try fixture.store.environment(
        ContainerID("iCloud.org.example.App"), .development, for: fixture.request)
    }
  }

  @Test("C005, C006: two containers share neither records nor user record names")
  func twoContainers() throws {
    let fixture = try CloudFixture()
    let other = try ContainerID("iCloud.org.example.other")
    _ = try fixture.store.create(other, for: fixture.request)
    try fixture.mine.save("r")
    let environment = try fixture.store.environment(other, .development, for: fixture.request)
    let me = try Account("me")
    #expect(try environment.database(.private, as: me).everything() == [])
    #expect(try environment.madeTypes().isEmpty)
    #expect(try environment.userRecordName(me) != fixture.environment().userRecordName(me))
  }

  @Test("C008: development and production hold separate records and schemas")
  func separateRecords() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("title", .string("x"))])
    #expect(try fixture.database(in: .production).everything() == [])
    #expect(try fixture.environment(.production).madeTypes().isEmpty)
  }

  @Test("M1.11: a user's record name is the same in both environments")
  func userRecordName() throws {
    let fixture = try CloudFixture()
    let name = try fixture.environment().userRecordName(Account("me"))
    #expect(try fixture.environment(.production).userRecordName(Account("me")) == name)
    #expect(name.text.hasPrefix("_") && name.text.utf8.count == 33)
  }

  @Test("C009, C010: in development a save makes unknown types and fields, by the value")
  func justInTime() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("title", .string("x"))])
    try fixture.mine.save("s", "Note", [("year", .int64(1)), ("width", .double(1.5))])
    let schema = try #require(try fixture.environment().schema(of: RecordType("Note")))
    #expect(schema.fields.map(\.name.text) == ["title", "width", "year"])
    #expect(schema.fields.map(\.type.schemaName) == ["STRING", "DOUBLE", "INT64"])
  }

  @Test("C011: saving an unknown type in production gives 12")
  func typeInProduction() throws {
    let fixture = try CloudFixture()
    expectRefusal(.invalidArguments, "Cannot create new type Note in production schema") {
      try fixture.database(in: .production).save("r", "Note")
    }
  }

  @Test("C012: an unknown field in production gives 12, also one without a value (R3.4.5)")
  func fieldInProduction() throws {
    let fixture = try CloudFixture()
    let words = "Cannot create new type"
    for value in [FieldValue.string("x"), nil] {
      expectRefusal(.invalidArguments, words) {
        try fixture.database(in: .production).save("r", "Note", [("title", value)])
      }
    }
    #expect(try fixture.environment(.production).madeTypes().isEmpty)
  }

  @Test("C082, R3.6.4: the first number makes the field INT64 or DOUBLE")
  func numbers() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a", "Note", [("i", .int64(1)), ("d", .double(1))])
    let schema = try #require(try fixture.environment().schema(of: RecordType("Note")))
    #expect(schema.field("i")?.type == FieldType(.int64))
    #expect(schema.field("d")?.type == FieldType(.double))
    expectRefusal(.invalidArguments) { try fixture.mine.save("b", "Note", [("i", .double(0.5))]) }
    try fixture.mine.save("b", "Note", [("d", .int64(2))])
    #expect(try fixture.mine.find("b")?["d"] == .double(2))
  }

  @Test("C007: a new container has the type Users, in both environments, and nothing else")
  func usersType() throws {
    let fixture = try CloudFixture()
    for environment in [Environment.development, .production] {
      let schema = try fixture.environment(environment).schema()
      #expect(schema.map(\.name) == [.users])
      #expect(schema.first?.fields.isEmpty == true)
    }
  }

  @Test("C034: all three databases use one schema")
  func oneSchema() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("year", .int64(1))])
    let public_ = try fixture.database(.public)
    expectRefusal(.invalidArguments, "defined to be: INT64") {
      try public_.save("p", "Note", [("year", .string("x"))])
    }
    try public_.save("p", "Note", [("year", .int64(2))])
    #expect(try fixture.environment().madeTypes().count == 1)
  }

  @Test("C079: a new STRING field is queryable, sortable and searchable")
  func indexesOfNewFields() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save(
      "r", "Note", [("data", .bytes([1])), ("title", .string("x")), ("year", .int64(1))])
    let schema = try #require(try fixture.environment().schema(of: RecordType("Note")))
    #expect(schema.field("title")?.indexes == [.queryable, .searchable, .sortable])
    #expect(schema.field("year")?.indexes == [.queryable, .sortable])
    #expect(schema.field("data")?.indexes == [])
  }

  @Test("C084: a failed save leaves no type, no field, no account and no zone behind")
  func failedSave() throws {
    let fixture = try CloudFixture()
    let faults: [[(String, FieldValue?)]] = [
      [("a", .string("x")), ("b", .list([]))],
      [("a", .string("x")), ("b", .list([.string("x"), .int64(1)]))],
    ]
    for fields in faults {
      expectRefusal(.invalidArguments) { try fixture.mine.save("r", "Note", fields) }
    }
    #expect(try fixture.environment().madeTypes().isEmpty)
    #expect(try fixture.environment().size().zones == 0)
    try fixture.mine.save("r", "Note", [("a", .int64(1))])
    expectRefusal(.serverRecordChanged) {
      try fixture.mine.save("r", "Note", [("new", .string("x"))])
    }
    let schema = try fixture.environment().schema(of: RecordType("Note"))
    #expect(schema?.fields.map(\.name.text) == ["a"])
  }
}
