internal import Basics
internal import CloudModel
internal import Testing
internal import WireFormat

/// The places of a record's faults and values (M5.6: `file:line:column`). `⟦` marks the place;
/// columns are Unicode scalars.
@Suite struct RecordPositionTests {
  private static let start = TextPosition(line: 7, column: 3)

  /// The text without the mark, and the mark's place if the text begins at `start`.
  private func marked(_ text: String) -> (bytes: [UInt8], position: TextPosition) {
    var position = Self.start
    for scalar in text.unicodeScalars {
      if scalar == "⟦" { break }
      position =
        scalar == "\n"
        ? TextPosition(line: position.line + 1, column: 1)
        : TextPosition(line: position.line, column: position.column + 1)
    }
    return (Array(text.filter { $0 != "⟦" }.utf8), position)
  }

  private func read(_ bytes: [UInt8]) throws -> RecordDraft {
    var reader = RecordReader()
    return try bytes.withUnsafeBytes { try reader.read($0, at: Self.start) }
  }

  @Test(
    "each fault has its place",
    arguments: [
      "⟦", "⟦5", "⟦[]", "⟦null", "{⟦", "{\"a\":⟦x}", "{\"é🧭\":\n \"ü\", \"b\": ⟦}", "{} ⟦{}",
      "{\"a\":⟦{\"b\":1}}", "{\"é\":1,\n\n  \"b\":⟦[[1]]}", "{\"a\":1,\"a⟦\nb\":2}",
      "{\"fields\":⟦5}", "{\"fields\":{\"a\":⟦{}}}", "{\"fields\":{},\"recordName\":⟦5}",
      "{\"fields\":{},\n⟦\"colour\":\"red\"}", "{\"fields\":{},\"zone\":⟦[1]}",
      "{\"recordType\":⟦true,\"fields\":{}}", "{\"fields\":{},\"parent\":⟦{\"name\":\"x\"}}",
      "{\"fields\":{},\"parent\":⟦{\"recordName\":null}}",
      "{\"a\":⟦{\"value\":1,\"type\":\"STRING\"}}", "{\"ö\":1,\"a\":⟦{\"recordName\":\"_x\"}}",
    ])
  func faults(_ text: String) throws {
    let (bytes, position) = marked(text)
    let error = try #require(throws: RecordReadingError.self) { try read(bytes) }
    #expect(error.position == position, "\(error.message)")
  }

  @Test(
    "each value has its place",
    arguments: [
      "{\"a\":⟦1}", "{\"é\":2,\"a\" :\n  ⟦1}", "{\"fields\":{\"🧭\":null, \"a\":\t⟦1}}",
      "{\"recordName\":\"ü\",\r\n\"fields\":{\"a\":⟦1}}",
    ])
  func values(_ text: String) throws {
    let (bytes, position) = marked(text)
    let draft = try read(bytes)
    #expect(draft.position == Self.start)
    #expect(draft.fields.last?.name.text == "a" && draft.fields.last?.value == .int64(1))
    #expect(draft.fields.last?.position == position)
  }

  @Test(
    "M5.1: an object with 'fields' is a record, any other is its fields; system members are ignored"
  )
  func forms() throws {
    let record = try read(
      Array(
        """
        {"recordName":"n","recordType":"T","zone":"z","parent":null,"changeTag":"1","created":{},
        "modified":{},"share":"s","deleted":false,"fields":{"a":1}}
        """.utf8))
    #expect(record.name == "n" && record.type == "T" && record.zone == "z" && record.parent == nil)
    #expect(record.fields.map(\.name.text) == ["a"])
    let bare = try read(Array("{\"recordName\":\"n\",\"zone\":5}".utf8))
    #expect(bare.name == nil && bare.fields.map(\.name.text) == ["recordName", "zone"])
    let wire = try read(
      Array(
        "{\"fields\":{},\"zoneID\":{\"zoneName\":\"Z\"},\"parent\":{\"recordName\":\"p\"}}".utf8))
    #expect(wire.zone == "Z" && wire.parent == "p")
  }

  @Test("offsets in any order give the same places as counting from the beginning")
  func places() {
    var source = RandomRecords(seed: 5)
    for _ in 0..<200 {
      let text = (0..<5).map { _ in source.text() }.joined(separator: source.pick([" ", "\n"]))
      let bytes = Array(text.utf8)
      bytes.withUnsafeBytes { raw in
        var places = TextPlaces(raw, Self.start)
        for _ in 0..<12 {
          let offset = source.pick(Array(0...bytes.count))
          var expected = Self.start
          for byte in bytes[..<offset] {
            if byte == 0x0A {
              expected = TextPosition(line: expected.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80 {
              expected.column += 1
            }
          }
          #expect(places.position(offset) == expected)
        }
      }
    }
  }
}
