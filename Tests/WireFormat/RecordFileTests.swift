internal import Basics
internal import CloudModel
internal import TestSupport
internal import Testing
internal import WireFormat

/// One reader for every format and every command (M5, M7): the meaning of a record depends neither
/// on its notation nor on the command.
@Suite struct RecordFileTests {
  private static let schema = RecordTypeSchema(
    name: RecordType(stored: "Book"),
    fields: [("title", FieldType(.string)), ("pages", FieldType(.int64))].map {
      FieldSchema(name: FieldName(stored: $0), type: $1, indexes: [])
    })

  /// The same two records in every format.
  private static let texts: [(TextFormat, String)] = [
    (
      .json,
      """
      [{"recordName": "a", "recordType": "Book", "zone": "Z", "parent": "p",
        "fields": {"pages": 5, "title": "é"}},
       {"recordName": "b", "recordType": "Book", "fields": {"title": "x"}}]
      """
    ),
    (
      .jsonl,
      """
      {"fields":{"pages":5,"title":"é"},"zone":"Z","recordType":"Book","parent":"p","recordName":"a"}

      {"recordName":"b","recordType":"Book","fields":{"title":"x"}}
      """
    ),
    (
      .wire,
      """
      [{"recordName": "a", "recordType": "Book", "zoneID": {"zoneName": "Z"},
       "parent": {"recordName": "p"}, "recordChangeTag": "1",
       "fields": {"pages": {"value": 5, "type": "INT64"}, "title": {"value": "é"}}},
      {"recordName": "b", "recordType": "Book", "fields": {"title": {"value": "x"}}}]
      """
    ),
    (.csv, "pages,recordName,recordType,zone,parent,title\n5,a,Book,Z,p,é\n,b,Book,,,x\n"),
    (
      .tsv,
      "pages\trecordName\trecordType\tzone\tparent\ttitle\n5\ta\tBook\tZ\tp\té\n\tb\tBook\t\t\tx"
    ),
    (
      .propertyList,
      """
      <plist><array><dict><key>fields</key><dict><key>pages</key><integer>5</integer>
      <key>title</key><string>é</string></dict><key>parent</key><string>p</string>
      <key>recordName</key><string>a</string><key>recordType</key><string>Book</string>
      <key>zone</key><string>Z</string></dict><dict><key>fields</key><dict>
      <key>title</key><string>x</string></dict><key>recordName</key><string>b</string>
      <key>recordType</key><string>Book</string></dict></array></plist>
      """
    ),
  ]

  private func withFile<Result>(
    _ text: String, _ body: (FileHandle) throws -> Result
  ) throws -> Result {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/records"
    try FileHandle(create: path).writeAll(Array(text.utf8))
    return try body(FileHandle(openRegular: path))
  }

  private func drafts(_ text: String, _ format: TextFormat) throws -> [RecordDraft] {
    try withFile(text) { file in
      let records = RecordFileReader(file, format)
      var reader = RecordReader(schemas: [Self.schema])
      var drafts: [RecordDraft] = []
      while let item = try records.next() { drafts.append(try reader.draft(of: item)) }
      return drafts
    }
  }

  private func fixture(_ text: String, _ format: TextFormat) throws -> Fixture {
    try withFile(text) { file in
      var reader = FixtureReader(scope: .private, zone: .defaultZone)
      reader.begin("records", type: nil)
      try reader.read(file, format)
      reader.finish()
      return reader.fixture
    }
  }

  @Test("M5: every format gives the same records", arguments: texts)
  func formats(_ format: TextFormat, _ text: String) throws {
    let drafts = try drafts(text, format)
    #expect(drafts.map(\.name) == ["a", "b"] && drafts.map(\.type) == ["Book", "Book"])
    #expect(drafts.map(\.zone) == ["Z", nil] && drafts.map(\.parent) == ["p", nil])
    let values = drafts.map { $0.fields.filter { $0.value != nil } }
    #expect(values.map { $0.map(\.name.text) } == [["pages", "title"], ["title"]])
    #expect(values.map { $0.map(\.value) } == [[.int64(5), .string("é")], [.string("x")]])
  }

  @Test("M7: a fixture reads the same names, zones and places as an import", arguments: texts)
  func fixtures(_ format: TextFormat, _ text: String) throws {
    let fixture = try fixture(text, format)
    #expect(fixture.faults.isEmpty)
    let records = fixture.zones.flatMap { zone in zone.records.map { (zone.id.text, $0) } }
    let drafts = try drafts(text, format)
    for ((zone, record), draft) in zip(records, drafts) {
      #expect(zone == draft.zone ?? "_defaultZone")
      #expect(record.name == draft.name && record.type == draft.type)
      #expect(record.parent?.value == draft.parent && record.position == draft.position)
      let fields = draft.fields.filter { $0.value != nil }
      #expect(record.fields.map(\.name) == fields.map(\.name))
      #expect(record.fields.map(\.position) == fields.map(\.position))
    }
    #expect(records.count == drafts.count)
  }

  @Test(
    "M5.6: an import and a fixture report the same fault at the same place",
    arguments: [
      (.jsonl, "{\"recordName\":\"a\",\"recordType\":\"B\",\"fields\":{}} x"),
      (.jsonl, "\n {\"fields\": [1]}"),
      (.jsonl, "{\"fields\":{},\"colour\":1,\"recordName\":\"a\"}"),
      (.jsonl, "{\"recordName\":5,\"fields\":{}}"), (.jsonl, "[1]"),
      (.jsonl, "{\"fields\":{},\"parent\":{\"recordName\":\"p\",\"action\":\"DELETE_SELF\"}}"),
      (.csv, "a,b,a\n1,2,3\n"), (.csv, "a,,b\n"), (.csv, "a\n1,2\n"), (.csv, "a\n\"x\n"),
      (.propertyList, "<plist><array><integer>1</integer></array></plist>"),
      (.propertyList, "<plist><array><dict><key>a</key></dict></array></plist>"),
      (.propertyList, "bplist00"),
    ] as [(TextFormat, String)])
  func faults(_ format: TextFormat, _ text: String) throws {
    let error = try #require(throws: RecordReadingError.self) { try drafts(text, format) }
    let fault = try #require(try fixture(text, format).faults.first)
    #expect(error.message == fault.error.message && error.position == fault.position)
  }

  @Test("M7: a fixture refuses a record with its parent in another zone, or with a deletion")
  func fixtureRules() throws {
    for (text, word) in [
      (
        "{\"recordName\":\"a\",\"recordType\":\"B\",\"deleted\":true,\"fields\":{}}",
        "cannot delete"
      ),
      (
        "{\"recordName\":\"a\",\"recordType\":\"B\",\"fields\":{},"
          + "\"parent\":{\"recordName\":\"p\",\"zone\":\"Y\"}}", "in one zone"
      ),
    ] {
      let faults = try fixture(text, .jsonl).faults
      #expect(faults.count == 1 && faults.first?.error.message.contains(word) == true)
    }
  }

  @Test("a draft reads back from its line of JSON, even with a field named 'fields'")
  func lines() throws {
    var source = RandomRecords(seed: 3)
    for number in 0..<200 {
      let record = source.next()
      var draft = RecordDraft()
      if number % 3 > 0 { (draft.name, draft.type) = (source.text(), source.text()) }
      if number % 3 > 1 { (draft.zone, draft.parent) = (source.text(), source.text()) }
      if number % 4 == 0 { draft.changeTag = source.text() }
      draft.removesParent = draft.parent == nil && number % 7 == 0
      draft.isDeletion = draft.name != nil && number % 11 == 0
      draft.fields = record.fields.entries.map {
        RecordDraft.Field($0.name, $0.value, type: $0.value.type, at: draft.position)
      }
      if number % 5 == 0 {
        draft.fields.append(
          RecordDraft.Field(
            FieldName(stored: "fields"), .string("x"), type: FieldType(.string),
            at: draft.position))
      }
      var line: [UInt8] = []
      line.append(draft)
      var reader = RecordReader()
      let again = try line.withUnsafeBytes { try reader.read($0, at: draft.position) }
      #expect(again.name == draft.name && again.type == draft.type)
      #expect(again.zone == draft.zone)
      #expect(again.changeTag == draft.changeTag && again.isDeletion == draft.isDeletion)
      if draft.isDeletion { continue }
      #expect(again.parent == draft.parent && again.removesParent == draft.removesParent)
      #expect(again.fields.map(\.name) == draft.fields.map(\.name))
      #expect(again.fields.map(\.value) == draft.fields.map(\.value))
    }
  }

  @Test("RFC 8259, §7: a JSON text put on one line has the same value")
  func oneLine() throws {
    let text = "{\r\n\t\"a  b\": [1,\n   2],\n\"n\": \"x\\n  y\" }"
    var line: [UInt8] = []
    Array(text.utf8).withUnsafeBytes { line.append(oneLine: $0) }
    #expect(String(decoding: line, as: UTF8.self) == "{\"a  b\": [1,2],\"n\": \"x\\n  y\" }")
    let read = try JSONParser.parse(String(decoding: line, as: UTF8.self))
    #expect(try read.text == JSONParser.parse(text).text)
  }

  @Test("M5.3: a reader of two tables reads each by its own columns")
  func twoTables() throws {
    var reader = RecordReader(schemas: [Self.schema], defaultType: Self.schema.name)
    for (text, value) in [
      ("title\n5\n", FieldValue.string("5")), ("new,pages\nx,5\n", .int64(5)),
    ] {
      let draft = try withFile(text) { file in
        let item = try #require(try RecordFileReader(file, .csv).next())
        return try reader.draft(of: item)
      }
      #expect(draft.fields.last?.value == value)
    }
  }
}
