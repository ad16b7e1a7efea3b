internal import CloudModel
internal import CloudServices
internal import Testing

/// Editing the schema, and deploying it to production (R1.2).
@Suite struct SchemaEditingTests {
  private let note = RecordType(stored: "Note")

  private func field(_ name: String, _ base: FieldType.Base) -> (name: FieldName, type: FieldType) {
    (FieldName(stored: name), FieldType(base))
  }

  private func schema(_ fixture: CloudFixture, _ environment: Environment) throws -> [String] {
    try fixture.environment(environment).schema().flatMap { type in
      type.fields.map { "\(type.name.text).\($0.name.text) \($0.type.schemaName)" }
    }
  }

  @Test(
    "C014, C015, R1.2.5: a deployment copies types, fields, indexes, no records; the next adds none"
  )
  func deploying() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a", "Note", [("text", .string("x"))])
    let production = try fixture.environment(.production)
    let development = try fixture.environment()
    let first = try production.deploy(from: development)
    #expect(first.contains(.addType(note)) && first.count == 5, "type, field and three grants")
    #expect(try production.schema() == development.schema())
    #expect(try fixture.database(.private, "me", in: .production).everything() == [])
    #expect(try production.deploy(from: development).isEmpty)
    try fixture.mine.save("a", "Note", [("n", .int64(1))], .changed)
    let second = try production.deploy(from: development)
    let number = FieldSchema(
      name: FieldName(stored: "n"), type: FieldType(.int64), indexes: [.queryable, .sortable])
    #expect(second == [.addField(note, number)])
  }

  @Test("R1.2.7: a system field whose indexes were removed equals one that never had any")
  func systemIndexes() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a", "Note", [("text", .string("x"))])
    let environment = try fixture.environment()
    let before = try environment.schema()
    for indexes: FieldIndexes in [.queryable, []] {
      _ = try environment.setIndexes(
        IndexChange(clears: true, adding: indexes), of: ["___createTime"], in: note)
      #expect(try (environment.schema() == before) == indexes.isEmpty)
    }
  }

  @Test("C011, C012, R1.2.3: production takes records of deployed types and fields only")
  func production() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a", "Note", [("text", .string("x"))])
    _ = try fixture.environment(.production).deploy(from: fixture.environment())
    let database = try fixture.database(.private, "me", in: .production)
    try database.save("a", "Note", [("text", .string("y"))])
    expectRefusal(.invalidArguments, "Cannot create or modify field 'n' in record 'Note'") {
      try database.save("b", "Note", [("n", .int64(1))])
    }
    expectRefusal(.invalidArguments, "Cannot create new type Task in production schema") {
      try database.save("b", "Task")
    }
    expectRefusal(.invalidArguments, "Cannot create new type Task in production schema") {
      _ = try fixture.environment(.production).addToSchema(RecordType(stored: "Task"), [])
    }
  }

  @Test("C016, C017, R1.2.6: what production has cannot be dropped in production or development")
  func permanent() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a", "Note", [("text", .string("x"))])
    let (development, production) = (
      try fixture.environment(), try fixture.environment(.production)
    )
    _ = try production.deploy(from: development)
    try fixture.mine.save("a", "Note", [("n", .int64(1))], .changed)
    for environment in [development, production] {
      expectRefusal(.invalidArguments, "which is active in a production container") {
        try environment.drop(note, nil, unlessIn: production)
      }
      expectRefusal(.invalidArguments, "which is active in a production container") {
        try environment.drop(note, FieldName(stored: "text"), unlessIn: production)
      }
    }
    try development.drop(note, FieldName(stored: "n"), unlessIn: production)
    #expect(try schema(fixture, .development) == ["Note.text STRING"])
    #expect(try fixture.mine.find("a")?.fields.entries.map(\.name.text) == ["text"])
  }

  @Test("R1.2.9, R5.4, R5.9: dropping a type cascades; a child of one of its records prevents it")
  func droppingTargets() throws {
    let fixture = try CloudFixture()
    let (development, production) = (
      try fixture.environment(), try fixture.environment(.production)
    )
    let owner = Reference(RecordName(stored: "a"), action: .deleteSelf)
    try fixture.mine.save("a", "Note")
    try fixture.mine.save("b", "Task", [("r", .reference(owner))])
    let child = SaveRequest(
      name: RecordName(stored: "c"), type: RecordType(stored: "Task"), assignments: [],
      parent: RecordName(stored: "a"))
    _ = try fixture.mine.save(child, in: .defaultZone)
    expectRefusal(.referenceViolation, "still the parent of 'c'") {
      try development.drop(note, nil, unlessIn: production)
    }
    #expect(try fixture.mine.everything().map(\.name.text) == ["a", "b", "c"])
    _ = try fixture.mine.delete(RecordName(stored: "c"), in: .defaultZone)
    let own = SaveRequest(
      name: RecordName(stored: "d"), type: note, assignments: [], parent: RecordName(stored: "a"))
    _ = try fixture.mine.save(own, in: .defaultZone)
    try development.drop(note, nil, unlessIn: production)
    #expect(try fixture.mine.everything().isEmpty)
  }

  @Test(
    "C021, R1.2.9, R1.2.10: a dropped type takes its records; a dropped field may change its type")
  func dropping() throws {
    let fixture = try CloudFixture()
    let (development, production) = (
      try fixture.environment(), try fixture.environment(.production)
    )
    let owner = Reference(RecordName(stored: "a"), action: .deleteSelf)
    try fixture.mine.save("a", "Note", [("f", .string("x"))])
    try fixture.mine.save("b", "Note", [("f", .string("y")), ("r", .reference(owner))])
    try fixture.mine.save("c", "Task", [("f", .string("z"))])
    try development.drop(note, FieldName(stored: "r"), unlessIn: production)
    _ = try fixture.mine.delete(RecordName(stored: "a"), in: .defaultZone)
    #expect(try fixture.mine.find("b") != nil, "a dropped reference deletes no more")
    try development.drop(note, FieldName(stored: "f"), unlessIn: production)
    try fixture.mine.save("b", "Note", [("f", .int64(1))], .changed)
    #expect(try fixture.mine.find("b")?["f"] == .int64(1))
    try development.drop(RecordType(stored: "Task"), nil, unlessIn: production)
    #expect(try fixture.mine.everything().map(\.name.text) == ["b"])
    try fixture.mine.save("c", "Note")
    expectRefusal(.unknownItem) {
      try development.drop(RecordType(stored: "Task"), nil, unlessIn: production)
    }
    expectRefusal(.invalidArguments) {
      try development.drop(note, FieldName(stored: "no"), unlessIn: production)
    }
  }

  @Test("R1.2.10: an added field equals the stored one, or the whole addition is refused")
  func adding() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    let first = try environment.addToSchema(note, [field("a", .string), field("b", .int64)])
    #expect(first.count == 3 && first[0] == .addType(note))
    #expect(try environment.addToSchema(note, [field("a", .string)]).isEmpty)
    expectRefusal(.invalidArguments, "is STRING and cannot be changed to DOUBLE") {
      _ = try environment.addToSchema(note, [field("c", .bytes), field("a", .double)])
    }
    #expect(try schema(fixture, .development) == ["Note.a STRING", "Note.b INT64"])
  }

  @Test("C019, C020, R1.2.8: a reset empties development and gives it production's schema")
  func resetting() throws {
    let fixture = try CloudFixture()
    let zone = ZoneID(stored: "Notes")
    try fixture.mine.save("a", "Note", [("text", .string("x"))])
    _ = try fixture.environment(.production).deploy(from: fixture.environment())
    _ = try fixture.mine.createZone(zone)
    let token = try fixture.mine.databaseChanges(since: nil, limit: nil).token
    let last = try fixture.mine.save("b", "Task", zone: "Notes")
    try fixture.database(.public).save("p", "Note")
    try fixture.environment().reset(to: fixture.environment(.production))
    #expect(try fixture.mine.everything() == [])
    #expect(try fixture.database(.public).everything() == [])
    #expect(try fixture.mine.zones().map(\.id) == [.defaultZone])
    #expect(try schema(fixture, .development) == ["Note.text STRING"])
    let changes = try fixture.mine.databaseChanges(since: token, limit: nil)
    #expect(changes.deleted.map(\.zone) == [zone])
    let next = try fixture.mine.save("a", "Note")
    let tags = [last, next].compactMap { Int64($0.changeTag?.text ?? "", radix: 36) }
    #expect(tags.count == 2 && tags[0] < tags[1], "no sequence number comes again")
  }
}
