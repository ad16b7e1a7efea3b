internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import Testing
internal import WireFormat

/// Records as JSON and back (M4, M5; DS9: export → import is byte-equal).
@Suite struct RecordJSONTests {
  private static let schema = RandomRecords.schema

  private func read(_ bytes: [UInt8]) throws -> RecordDraft {
    try bytes.withUnsafeBytes {
      var reader = RecordReader()
      return try reader.read($0, at: TextPosition(line: 1, column: 1))
    }
  }

  /// The values of a draft as the schema's types read them.
  private func fields(_ draft: RecordDraft) -> RecordFields {
    var fields = RecordFields()
    for field in draft.fields { fields[field.name] = field.value }
    return fields
  }

  /// Expects the values of a draft to equal those of a record, field by field.
  private func expectEqual(
    _ draft: RecordDraft, _ record: Record, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let fields = fields(draft)
    #expect(fields.entries.count == record.fields.entries.count, sourceLocation: sourceLocation)
    for entry in record.fields.entries where fields[entry.name] != entry.value {
      let found = fields[entry.name].map { "\($0)" } ?? "nothing"
      Issue.record(
        "\(entry.name.text): \(entry.value) became \(found)", sourceLocation: sourceLocation)
    }
  }

  @Test("M5.7: an exported record reads back the same, with its types, without a schema")
  func exported() throws {
    var source = RandomRecords(seed: 1)
    let types = Self.schema.typesByField
    for round in 0..<600 {
      let record = source.next()
      var bytes: [UInt8] = []
      bytes.append(exported: record, types: types, withSystem: round % 2 == 0)
      let draft = try read(bytes)
      #expect(draft.name == record.name.text && draft.type == record.type.text)
      #expect(draft.zone == record.zone.text && draft.parent == record.parent?.text)
      expectEqual(draft, record)
      for field in draft.fields {
        let type = try #require(types[field.name])
        #expect((field.type ?? field.value?.type ?? type) == type, "\(field)")
      }
      var again = record
      again.fields = fields(draft)
      var second: [UInt8] = []
      second.append(exported: again, types: types, withSystem: round % 2 == 0)
      #expect(second == bytes)
    }
  }

  @Test("the writer for views writes the same bytes as the one for records")
  func views() throws {
    var source = RandomRecords(seed: 2)
    let writer = RecordViewWriter(isExport: true)
    let plain = RecordViewWriter(isExport: false)
    let batch = RecordViewBatch()
    var plainCount = 0
    for _ in 0..<300 {
      let record = source.next()
      var expected: [UInt8] = []
      expected.append(exported: record, types: Self.schema.typesByField, withSystem: false)
      let view = RecordView(RecordView.Shape(Self.schema, record.zone))
      view.parent = record.parent
      view.values = Self.schema.fields.map { field in
        record.fields[field.name].map { .value($0) } ?? .none
      }
      var bytes: [UInt8] = []
      Array(record.name.text.utf8).withUnsafeBytes { name in
        view.name = name
        writer.append(view, to: &bytes)
      }
      #expect(bytes == expected)
      // As another thread writes it.
      bytes = []
      Array(record.name.text.utf8).withUnsafeBytes { name in
        view.name = name
        #expect(batch.add(view))
      }
      batch.forEach { writer.append($0, to: &bytes) }
      batch.removeAll()
      #expect(bytes == expected)
      guard let created = record.created, let modified = record.modified, let tag = record.changeTag
      else { continue }
      view.system = RecordView.System(
        sequence: Int64(tag.text, radix: 36) ?? 0, created: (created.at.milliseconds, created.by),
        modified: (modified.at.milliseconds, modified.by), share: record.share)
      (bytes, expected) = ([], [])
      expected.append(plain: record)
      Array(record.name.text.utf8).withUnsafeBytes { name in
        view.name = name
        plain.append(view, to: &bytes)
      }
      #expect(bytes == expected)
      plainCount += 1
    }
    #expect(plainCount > 0)
  }

  @Test("M4.3: plain JSON is read with the types of the schema")
  func plain() throws {
    var source = RandomRecords(seed: 3)
    for _ in 0..<400 {
      let record = source.next()
      for entry in record.fields.entries {
        var bytes: [UInt8] = []
        bytes.append(plain: entry.value)
        let json = try JSONParser.parse(String(decoding: bytes, as: UTF8.self))
        let type = try #require(Self.schema.field(entry.name.text)?.type)
        #expect(try PlainJSONReader.value(json, as: type) == entry.value)
      }
    }
  }

  @Test("M4.5: the Web Services form is lossless")
  func wire() throws {
    var source = RandomRecords(seed: 4)
    for _ in 0..<400 {
      let record = source.next()
      let types = Self.schema.typesByField
      var bytes: [UInt8] = []
      bytes.append(wire: record, types: types)
      var draft = try read(bytes)
      for index in draft.fields.indices {
        // References name their zone.
        draft.fields[index].value = draft.fields[index].value?.local(in: record.zone)
        let field = draft.fields[index]
        #expect((field.type ?? field.value?.type) == types[field.name], "\(field)")
      }
      #expect(draft.name == record.name.text && draft.zone == record.zone.text)
      #expect(draft.parent == record.parent?.text)
      expectEqual(draft, record)
    }
  }

  @Test("M4: a plain record has exactly these bytes")
  func form() throws {
    var record = Record(
      name: RecordName(stored: "A1"), type: RecordType(stored: "Artwork"), zone: .defaultZone)
    record.changeTag = ChangeTag(given: "1f")
    let stamp = Record.Stamp(
      at: Timestamp(milliseconds: 0), by: UserRecordName(stored: "_ab"))
    (record.created, record.modified) = (stamp, stamp)
    record.fields[FieldName(stored: "width")] = .double(394)
    record.fields[FieldName(stored: "artist")] = .reference(Reference(RecordName(stored: "a-38")))
    record.fields[FieldName(stored: "place")] = Location("51.5,0").map { .location($0) }
    record.fields[FieldName(stored: "year")] = .int64(1922)
    var bytes: [UInt8] = []
    bytes.append(plain: record)
    let moment = #"{"at":"1970-01-01T00:00:00.000Z","by":"_ab"}"#
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"recordName":"A1","recordType":"Artwork","zone":"_defaultZone","changeTag":"1f","#
        + #""created":\#(moment),"modified":\#(moment),"fields":{"#
        + #""artist":{"recordName":"a-38","action":"NONE"},"#
        + #""place":{"latitude":51.5,"longitude":0.0},"width":394.0,"year":1922}}"#)
  }

  @Test("M9: the record of another user's zone has the owner, in plain and in wire JSON")
  func ownerOfZone() throws {
    let owner = "_0123456789abcdef0123456789abcdef"
    let record = Record(
      name: RecordName(stored: "a"), type: RecordType(stored: "T"),
      zone: try ZoneID(name: "Z", owner: owner))
    var (plain, wire): ([UInt8], [UInt8]) = ([], [])
    plain.append(plain: record)
    wire.append(wire: record, types: [:])
    let text = String(decoding: plain, as: UTF8.self)
    #expect(text.contains(#""zone":"Z:\#(owner)","ownerName":"\#(owner)","#))
    #expect(
      String(decoding: wire, as: UTF8.self).contains(
        #""zoneID":{"zoneName":"Z","ownerRecordName":"\#(owner)"}"#))
    var reader = RecordReader()
    let draft = try wire.withUnsafeBytes {
      try reader.read($0, at: TextPosition(line: 1, column: 1))
    }
    #expect(try draft.zoneID(in: .shared) == record.zone)
  }

  @Test(
    "M5: the form decides the type; null is not a value; true and false are 1 and 0",
    arguments: [
      ("null", nil), ("true", .int64(1)), ("false", .int64(0)), ("5", .int64(5)),
      ("5.0", .double(5)), ("\"2024-05-01\"", .string("2024-05-01")), ("[]", .list([])),
      ("[1,2]", .list([.int64(1), .int64(2)])),
      ("{\"recordName\":\"a\"}", .reference(Reference(RecordName(stored: "a")))),
      (
        "{\"recordName\":\"a\",\"zone\":\"Z:__defaultOwner__\"}",
        .reference(Reference(RecordName(stored: "a"), in: ZoneID(stored: "Z")))
      ),
      (
        "{\"recordName\":\"a\",\"zoneID\":{\"zoneName\":\"Z\"}}",
        .reference(Reference(RecordName(stored: "a"), in: ZoneID(stored: "Z")))
      ),
      ("{\"value\":5,\"type\":\"DOUBLE\"}", .double(5)),
      ("{\"value\":0,\"type\":\"TIMESTAMP\"}", .timestamp(Timestamp(milliseconds: 0))),
      ("{\"value\":[\"AA==\"],\"type\":\"LIST<BYTES>\"}", .list([.bytes([0])])),
      ("{\"value\":null,\"type\":\"STRING\"}", nil),
    ] as [(String, FieldValue?)])
  func shapes(_ text: String, _ value: FieldValue?) throws {
    #expect(try PlainJSONReader.read(JSONParser.parse(text)).value == value)
  }

  @Test(
    "these values are refused",
    arguments: [
      "{}", "{\"a\":1}", "[[1]]", "[null]", "{\"latitude\":91,\"longitude\":0}",
      "{\"latitude\":1}", "{\"latitude\":1,\"longitude\":2,\"colour\":3}",
      "{\"latitude\":\"1\",\"longitude\":2}", "{\"recordName\":\"\"}", "{\"recordName\":\"_a\"}",
      "{\"recordName\":\"a\",\"action\":\"DELETE\"}", "{\"sha256\":\"00\",\"size\":1}",
      "{\"value\":1,\"type\":\"STRING\"}", "{\"value\":\"1\",\"type\":\"INT64\"}",
      "{\"value\":1,\"type\":\"LIST<INT64>\"}", "{\"value\":[1],\"type\":\"INT64\"}",
      "{\"value\":\"x\",\"type\":\"TIMESTAMP\"}", "{\"value\":\"?\",\"type\":\"BYTES\"}",
      "{\"value\":1,\"type\":\"INTEGER\"}", "{\"value\":1,\"type\":\"INT64\",\"more\":1}",
      "{\"value\":2.5,\"type\":\"INT64\"}",
    ])
  func refused(_ text: String) throws {
    let json = try JSONParser.parse(text)
    #expect(throws: ValueReadingError.self, "\(text)") { try PlainJSONReader.read(json) }
  }

  @Test("M4: a location's timestamp in milliseconds is as exact as any TIMESTAMP")
  func exactTimestamps() throws {
    let json = try JSONParser.parse(
      "{\"latitude\":0,\"longitude\":0,\"timestamp\":253402300799999}")
    guard case .location(let place) = try PlainJSONReader.read(json).value else {
      Issue.record("no location")
      return
    }
    #expect(place.timestamp == Timestamp(milliseconds: 253_402_300_799_999))
  }

  @Test("a location's timestamp may be any number without harm")
  func largeTimestamps() throws {
    for number in ["1e30", "-1e30", "9223372036854775807", "9.3e18"] {
      let json = try JSONParser.parse("{\"latitude\":0,\"longitude\":0,\"timestamp\":\(number)}")
      _ = try? PlainJSONReader.read(json)
    }
  }

  @Test("R3.4.7: whole numbers in a list of real numbers become real numbers")
  func numberLists() throws {
    for text in ["[1.5,2]", "[2,1.5]"] {
      let json = try JSONParser.parse("{\"value\":\(text),\"type\":\"LIST<DOUBLE>\"}")
      let numbers = try PlainJSONReader.read(json).value
      #expect(
        numbers
          == .list(text == "[1.5,2]" ? [.double(1.5), .double(2)] : [.double(2), .double(1.5)]))
    }
  }

  @Test("C065: -0.0 keeps its sign; -0 is the integer 0, for any type")
  func negativeZero() throws {
    let shapes: [(String, String?, FieldValue)] = [
      ("-0", "INT64", .int64(0)), ("-0", "TIMESTAMP", .timestamp(Timestamp(milliseconds: 0))),
      ("-0", nil, .int64(0)), ("-0.0", nil, .double(-0.0)), ("-0.0", "DOUBLE", .double(-0.0)),
      ("[1.0,-0.0]", "LIST<DOUBLE>", .list([.double(1), .double(-0.0)])),
    ]
    for (text, type, value) in shapes {
      let type = type.map { ",\"type\":\"\($0)\"" } ?? ""
      let json = try JSONParser.parse("{\"value\":\(text)\(type)}")
      #expect(try PlainJSONReader.read(json).value == value, "\(text) as \(type)")
    }
  }
}

extension FieldValue {
  /// The value with references to records of a zone as records of that zone have them.
  fileprivate func local(in zone: ZoneID) -> FieldValue {
    switch self {
    case .list(let members): .list(members.map { $0.local(in: zone) })
    case .reference(let reference) where reference.zone == zone:
      .reference(Reference(reference.name, action: reference.action))
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .asset: self
    }
  }
}
