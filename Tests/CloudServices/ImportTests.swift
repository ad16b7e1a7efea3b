internal import Basics
internal import CloudModel
internal import CloudServices
internal import TestSupport
internal import Testing

/// Imports (M5).
@Suite struct ImportTests {
  /// A draft of a `Note`; line `line` of an imaginary file.
  static func draft(
    _ name: String?, _ fields: [(String, FieldValue?)], line: Int = 1, zone: String? = nil,
    type: String? = "Note"
  ) -> RecordDraft {
    var draft = RecordDraft()
    draft.name = name
    draft.type = type
    draft.zone = zone
    draft.position = TextPosition(line: line, column: 1)
    for (index, (field, value)) in fields.enumerated() {
      let position = TextPosition(line: line, column: 10 * (index + 1))
      draft.fields.append(.init(FieldName(stored: field), value, at: position))
    }
    return draft
  }

  /// Imports drafts.
  static func run(
    _ database: CloudDatabase, _ drafts: [RecordDraft],
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportSummary {
    var options = ImportOptions()
    change(&options)
    return try database.importing(options) { importer in
      for draft in drafts { try importer.add(draft) }
    }
  }

  private func fields(_ fixture: CloudFixture) throws -> [String] {
    try fixture.environment().appSchema().first?.fields.map {
      "\($0.name.text) \($0.type.schemaName)"
    } ?? []
  }

  @Test("M5.2: the first value of a new field decides its type")
  func types() throws {
    let fixture = try CloudFixture()
    let place = Location(latitude: 1, longitude: 2).map { FieldValue.location($0) }
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("a", [("s", nil), ("p", place)]),
        Self.draft("b", [("s", .string("x")), ("l", .list([.int64(1)]))]),
        Self.draft("c", [("s", .string("y")), ("l", .list([]))]),
      ])
    #expect(summary.created == 3 && summary.faults.isEmpty)
    #expect(try fields(fixture) == ["l LIST<INT64>", "p LOCATION", "s STRING"])
  }

  @Test("M5.2: INT64 widens to DOUBLE within the import, earlier values included")
  func widening() throws {
    let fixture = try CloudFixture()
    let drafts = [
      Self.draft("a", [("n", .int64(1))]), Self.draft("b", [("n", .int64(1 << 53))]),
      Self.draft("c", [("n", .double(0.5))]), Self.draft("d", [("n", .int64(2))]),
    ]
    #expect(try Self.run(fixture.mine, drafts).created == 4)
    #expect(try fields(fixture) == ["n DOUBLE"])
    let values = try fixture.mine.everything().map { $0["n"] }
    #expect(values == [.double(1), .double(0x1p53), .double(0.5), .double(2)])
    let again = try Self.run(fixture.mine, drafts)
    #expect(again.unchanged == 4, "the same import again changes nothing")
  }

  @Test("M5.2: an existing field is not widened")
  func noWideningOfKnownFields() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("x", "Note", [("n", .int64(1))])
    let summary = try Self.run(fixture.mine, [Self.draft("a", [("n", .double(0.5))])])
    #expect(summary.faults.count == 1)
    #expect(try fields(fixture) == ["n INT64"])
  }

  @Test("M5.4: values of different types in one field are reported with both places")
  func mismatch() throws {
    let fixture = try CloudFixture()
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("a", [("year", .int64(1))], line: 2),
        Self.draft("b", [("year", .string("x"))], line: 5),
      ])
    let fault = try #require(summary.faults.first)
    #expect(fault.error.message.contains("year: INT64 at 2:10, STRING at 5:10"))
    #expect(fault.position == TextPosition(line: 5, column: 10))
    #expect(fault.error.remedy == .convertField(FieldName(stored: "year")))
    #expect(try fixture.environment().madeTypes().isEmpty, "atomic: nothing is kept")
  }

  @Test("M5.4 --mismatch null: values that do not fit are dropped and counted")
  func droppedValues() throws {
    let fixture = try CloudFixture()
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("a", [("n", .int64(1))]),
        Self.draft("b", [("n", .string("x")), ("s", .string("y"))]),
      ]
    ) { $0.dropsMismatches = true }
    #expect(summary.created == 2 && summary.droppedValues == 1)
    #expect(try fixture.mine.find("b")?.fields.entries.map(\.name.text) == ["s"])
  }

  @Test("M5.5: equal records are unchanged and keep their tags")
  func unchanged() throws {
    let fixture = try CloudFixture()
    let drafts = (0..<5).map { Self.draft("r\($0)", [("n", .int64(Int64($0)))]) }
    _ = try Self.run(fixture.mine, drafts)
    let before = try fixture.mine.everything()
    fixture.advance(milliseconds: 1000)
    let summary = try Self.run(fixture.mine, drafts)
    #expect(summary.unchanged == 5 && summary.created == 0 && summary.changed == 0)
    #expect(try fixture.mine.everything() == before)
  }

  @Test("M5.5: an existing name with other contents is a conflict by default")
  func conflict() throws {
    let fixture = try CloudFixture()
    let first = try fixture.mine.save("r", "Note", [("a", .int64(1)), ("b", .int64(1))])
    let drafts = [Self.draft("new", [("a", .int64(1))]), Self.draft("r", [("a", .int64(2))])]
    let summary = try Self.run(fixture.mine, drafts)
    #expect(summary.faults.map(\.error.code) == [.serverRecordChanged])
    #expect(try fixture.mine.everything() == [first])
  }

  @Test("M5 --policy changed: the given fields are merged into the record")
  func changed() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("a", .int64(1)), ("b", .int64(1))])
    let summary = try Self.run(
      fixture.mine, [Self.draft("r", [("a", .int64(2))]), Self.draft("s", [("a", .int64(3))])]
    ) { $0.policy = .changed }
    #expect(summary.changed == 1 && summary.created == 1)
    let merged = try fixture.mine.find("r")
    #expect(merged?["a"] == .int64(2) && merged?["b"] == .int64(1))
  }

  @Test("R4.2: a repeated name is skipped and reported with its place; under strict it is a fault")
  func repeated() throws {
    let drafts = [
      Self.draft("r", [("a", .int64(1))], line: 1), Self.draft("r", [("a", .int64(1))], line: 2),
      Self.draft("r", [("a", .int64(2))], line: 3),
    ]
    let fixture = try CloudFixture()
    let summary = try Self.run(fixture.mine, drafts)
    #expect(summary.created == 1 && summary.unchanged == 1 && summary.skipped == 1)
    #expect(summary.firstSkipped?.position == TextPosition(line: 3, column: 1))
    #expect(summary.firstSkipped?.earlier == 1)
    #expect(try fixture.mine.find("r")?["a"] == .int64(1))
    let strict = try CloudFixture()
    let refused = try Self.run(strict.mine, drafts) { $0.isStrict = true }
    #expect(
      refused.faults.first?.error.message.contains("You can't save the same record twice") == true)
    #expect(try strict.mine.everything() == [])
  }

  @Test("M5.5: a failed atomic import rolls back types, fields, zones and records")
  func atomic() throws {
    let fixture = try CloudFixture()
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("a", [("n", .int64(1))], zone: "Notes"), Self.draft("_bad", [("m", .int64(1))]),
      ])
    #expect(summary.faults.count == 1)
    #expect(try fixture.environment().madeTypes().isEmpty)
    #expect(try fixture.mine.zones().count == 1)
    #expect(try fixture.environment().size().records == 0)
  }

  @Test("M5 --no-atomic: the good records stay, and each fault is reported")
  func notAtomic() throws {
    let fixture = try CloudFixture()
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("a", [("n", .int64(1))], line: 1),
        Self.draft("b", [("n", .string("x"))], line: 2),
        Self.draft("_c", [("n", .int64(1))], line: 3), Self.draft("d", [("n", .int64(4))], line: 4),
      ]
    ) { $0.isAtomic = false }
    #expect(summary.created == 2 && summary.faults.map(\.position.line) == [2, 3])
    #expect(try fixture.mine.everything().map(\.name.text) == ["a", "d"])
  }

  @Test(
    "C084: a record that fails in a non-atomic import leaves no field and no type behind")
  func notAtomicSchema() throws {
    let fixture = try CloudFixture()
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("a", [("n", .int64(1))]),
        Self.draft("b", [("new", .int64(1)), ("n", .string("x"))]),
        Self.draft("_c", [("f", .int64(1))], type: "Other"),
      ]
    ) { $0.isAtomic = false }
    #expect(summary.created == 1 && summary.faults.count == 2)
    #expect(try fixture.environment().madeTypes() == ["Note"])
    #expect(try fields(fixture) == ["n INT64"])
  }

  @Test("M5 --no-atomic: a record in conflict leaves its asset's contents out")
  func notAtomicAssets() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("b", "Note", [("n", .int64(1))])
    let folder = fixture.directory.path + "/contents"
    try FileSystem.makeDirectory(folder)
    let assets = try [[UInt8(1)], [2]].map { bytes in
      let asset = try #require(Asset(sha256: SHA256.hash(bytes).hexadecimal, size: 1))
      try FileSystem.replace("\(folder)/\(asset.sha256)", with: bytes)
      return asset
    }
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("a", [("f", .asset(assets[0])), ("n", .int64(1))]),
        Self.draft("b", [("f", .asset(assets[1])), ("n", .int64(2))], line: 2),
      ]
    ) {
      $0.isAtomic = false
      $0.assetsDirectory = folder
    }
    #expect(summary.created == 1 && summary.faults.map { $0.position.line } == [2])
    #expect(try fixture.environment().size().assets == 1)
    let report = try fixture.store.examine(isDeep: true, for: fixture.request)
    #expect(report.flatMap(\.findings).allSatisfy { $0.code == .library }, "\(report)")
  }

  @Test("M5 --dry-run: it counts, and changes nothing")
  func rehearsal() throws {
    let fixture = try CloudFixture()
    let first = try fixture.mine.save("r", "Note", [("a", .int64(1))])
    let summary = try Self.run(
      fixture.mine,
      [
        Self.draft("r", [("a", .int64(2))]), Self.draft("s", [("new", .int64(2))], zone: "Notes"),
      ]
    ) {
      $0.isRehearsal = true
      $0.policy = .changed
    }
    #expect(summary.created == 1 && summary.changed == 1 && summary.createdZones == 1)
    #expect(try fixture.mine.everything() == [first])
    #expect(try fields(fixture) == ["a INT64"])
    #expect(try fixture.mine.zones().count == 1)
  }

  @Test("M5 --no-create-zones: a missing zone is a fault; without it, it is made and counted")
  func zones() throws {
    let fixture = try CloudFixture()
    let draft = Self.draft("a", [("n", .int64(1))], zone: "Notes")
    let refused = try Self.run(fixture.mine, [draft]) { $0.createsZones = false }
    #expect(refused.faults.map(\.error.code) == [.zoneNotFound])
    #expect(try Self.run(fixture.mine, [draft]).createdZones == 1)
    let public_ = try Self.run(fixture.database(.public), [draft])
    #expect(public_.faults.map(\.error.code) == [.zoneNotFound])
  }

  @Test("C060: an import does not change a record's type")
  func typeOfRecords() throws {
    let fixture = try CloudFixture()
    let first = try fixture.mine.save("r", "Note")
    let summary = try Self.run(fixture.mine, [Self.draft("r", [], type: "Task")]) {
      $0.policy = .changed
    }
    #expect(summary.faults.count == 1)
    #expect(try fixture.mine.everything() == [first])
  }

  @Test("C011, C012: an import into production makes neither types nor fields")
  func production() throws {
    let fixture = try CloudFixture()
    let database = try fixture.database(in: .production)
    let summary = try Self.run(database, [Self.draft("r", [("a", .int64(1))])])
    #expect(summary.faults.first?.error.message.contains("Cannot create new type") == true)
    #expect(try fixture.environment(.production).madeTypes().isEmpty)
  }
}
