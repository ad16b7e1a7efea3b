internal import CloudModel
internal import FieldCodecs
internal import Testing

@testable internal import Basics
@testable internal import WireFormat

/// Rows of cells as records (M5.3: a known field parses by its type, others are STRING, an empty
/// cell is nil, `recordName` is the name).
@Suite struct CellRecordTests {
  private static let schema = RecordTypeSchema(
    name: RecordType(stored: "Thing"),
    fields: [
      ("b", FieldType(.bytes)), ("d", FieldType(.double)), ("i", FieldType(.int64)),
      ("l", FieldType(.int64, isList: true)), ("p", FieldType(.location)),
      ("r", FieldType(.reference)), ("s", FieldType(.string)), ("w", FieldType(.timestamp)),
    ].map { FieldSchema(name: FieldName(stored: $0), type: $1, indexes: []) })

  private func read(
    _ header: [String], _ cells: [String?], schema: RecordTypeSchema? = Self.schema
  ) throws(RecordReadingError) -> RecordDraft {
    let places = cells.enumerated().map {
      SeparatedValuesReader.Cell(text: $1, column: 10 * $0 + 1)
    }
    let columns = header.map { SeparatedValuesReader.Cell(text: $0, column: 1) }
    let table = try RecordTable(header: .init(cells: columns, line: 1))
    var reader = RecordReader(schemas: schema.map { [$0] } ?? [], defaultType: schema?.name)
    return try reader.draft(of: .row(.init(cells: places, line: 4), table))
  }

  @Test("the header has system columns; the others are fields with their places")
  func columns() throws {
    let draft = try read(
      ["recordName", "recordType", "zone", "parent", "new", "i"],
      ["n", "Thing", "z", "p", "5", "5"])
    #expect(draft.name == "n" && draft.type == "Thing" && draft.zone == "z" && draft.parent == "p")
    #expect(draft.fields.map(\.value) == [.string("5"), .int64(5)])
    #expect(draft.position == TextPosition(line: 4, column: 1))
    #expect(draft.fields.map(\.position.text) == ["4:41", "4:51"])
    let other = try read(["recordType", "i"], ["Other", "5"])
    #expect(other.fields.map(\.value) == [.string("5")], "a type of another schema")
  }

  @Test(
    "a cell is read by the type of its field",
    arguments: [
      ("s", "", .string("")), ("s", "[1]", .string("[1]")), ("i", "-5", .int64(-5)),
      ("i", "true", .int64(1)), ("d", "5", .double(5)), ("b", "AA==", .bytes([0])),
      ("w", "1970-01-01", .timestamp(Timestamp(milliseconds: 0))),
      ("w", "5", .timestamp(Timestamp(milliseconds: 5))),
      ("l", "[1,2]", .list([.int64(1), .int64(2)])),
      ("l", "[]", .list([])), ("r", "a", .reference(Reference(RecordName(stored: "a")))),
      ("x", "5", .string("5")), ("x", nil, nil), ("i", nil, nil),
    ] as [(String, String?, FieldValue?)])
  func cells(_ field: String, _ cell: String?, _ value: FieldValue?) throws {
    #expect(try read([field], [cell]).fields.map(\.value) == [value])
  }

  @Test("M3.4, M4.6: a location in a cell is bare or the JSON that export writes")
  func places() throws {
    let place = Location("1,2").map { FieldValue.location($0) }
    for cell in ["1,2", "{\"latitude\":1.0,\"longitude\":2.0}"] {
      #expect(try read(["p"], [cell]).fields.first?.value == place)
    }
  }

  @Test("M4.6: a reference in a cell is bare or the JSON that export writes")
  func references() throws {
    let value = try read(["r"], ["{\"recordName\":\"a\",\"action\":\"DELETE_SELF\"}"])
    let expected = Reference(RecordName(stored: "a"), action: .deleteSelf)
    #expect(value.fields.first?.value == .reference(expected))
  }

  @Test("cells that do not fit, and extra cells, are errors at their place")
  func faults() throws {
    for (field, cell) in [
      ("i", "x"), ("i", "5.5"), ("i", ""), ("d", "x"), ("w", "today"), ("b", "?"), ("l", "1"),
      ("l", "[\"a\"]"), ("p", "1"), ("r", "_x"),
    ] {
      let error = try #require(throws: RecordReadingError.self) {
        try read(["s", field], ["a", cell])
      }
      #expect(error.position == TextPosition(line: 4, column: 11), "\(field) \(cell)")
      #expect(error.message.hasPrefix("\(field): expected "))
    }
    let error = try #require(throws: RecordReadingError.self) { try read(["s"], ["a", "b"]) }
    #expect(error.position == TextPosition(line: 4, column: 11))
    #expect(try read(["s", "i"], ["a"]).fields.count == 1, "fewer cells are missing values")
  }

  @Test("values of every type read back from the cells made of their JSON")
  func roundTrip() throws {
    var source = RandomRecords(seed: 8)
    for _ in 0..<300 {
      let record = source.next()
      for entry in record.fields.entries {
        if case .reference = entry.value { continue }
        let type = try #require(RandomRecords.schema.field(entry.name.text)?.type)
        var bytes: [UInt8] = []
        bytes.append(plain: entry.value)
        // Texts, dates and bytes appear in cells without their quotes.
        let json = try JSONParser.parse(String(decoding: bytes, as: UTF8.self))
        let cell = json.string ?? String(decoding: bytes, as: UTF8.self)
        let draft = try read([entry.name.text], [cell], schema: RandomRecords.schema)
        #expect(draft.fields.first?.value == entry.value, "\(type.schemaName) \(cell)")
      }
    }
  }
}
