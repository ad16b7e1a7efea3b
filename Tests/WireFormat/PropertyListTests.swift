internal import CloudModel
internal import Testing
internal import WireFormat

/// Property lists as records (M5: dates and data are TIMESTAMP and BYTES).
@Suite struct PropertyListTests {
  private func read(_ body: String) throws -> [RecordDraft] {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">\(body)</plist>
      """
    return try Self.read(Array(text.utf8))
  }

  @discardableResult
  private static func read(_ bytes: [UInt8]) throws -> [RecordDraft] {
    var reader = RecordReader()
    return try PropertyListRecords.read(bytes).map { try reader.draft(of: .record($0)) }
  }

  private func value(_ body: String) throws -> FieldValue? {
    try read("<dict><key>f</key>\(body)</dict>").first?.fields.first?.value
  }

  @Test(
    "M5: each kind of value is read",
    arguments: [
      ("<string>a &lt; é</string>", .string("a < é")), ("<string></string>", .string("")),
      ("<integer>1922</integer>", .int64(1922)), ("<integer>1</integer>", .int64(1)),
      ("<integer>0</integer>", .int64(0)),
      ("<integer>-9223372036854775808</integer>", .int64(.min)),
      ("<integer>9223372036854775807</integer>", .int64(.max)), ("<real>0.5</real>", .double(0.5)),
      ("<true/>", .int64(1)), ("<false/>", .int64(0)),
      ("<date>1970-01-02T00:00:00Z</date>", .timestamp(Timestamp(milliseconds: 86_400_000))),
      ("<date>2024-05-01T12:00:00Z</date>", .timestamp(Timestamp(milliseconds: 1_714_564_800_000))),
      ("<data>AAE=</data>", .bytes([0, 1])), ("<data></data>", .bytes([])),
      ("<array><string>a</string><string>b</string></array>", .list([.string("a"), .string("b")])),
      ("<array/>", .list([])),
      (
        "<dict><key>recordName</key><string>a</string><key>action</key>"
          + "<string>DELETE_SELF</string></dict>",
        .reference(Reference(RecordName(stored: "a"), action: .deleteSelf))
      ),
    ] as [(String, FieldValue)])
  func values(_ body: String, _ expected: FieldValue) throws {
    #expect(try value(body) == expected)
  }

  @Test("XML 1.0, §2.11: every line end is read as LF")
  func lineEnds() throws {
    #expect(
      try value("<string>a\r\nb\rc\nd&#13;<![CDATA[e\r\n]]></string>")
        == .string("a\nb\nc\nd\re\n"))
  }

  @Test(
    "XML 1.0, §2.2, §4.1: control characters are refused, as they are and by number",
    arguments: [
      "&#6;", "&#x06;", "&#0;", "&#+6;", "&#x+41;", "&#xFFFE;", "\u{6}", "<![CDATA[\u{1F}]]>",
    ])
  func controlCharacters(_ text: String) throws {
    #expect(throws: RecordReadingError.self) { try value("<string>x\(text)</string>") }
  }

  @Test("M5: a whole real number is a DOUBLE")
  func wholeReals() throws {
    #expect(try value("<real>394</real>") == .double(394))
    #expect(try value("<real>394.0</real>") == .double(394))
    #expect(
      try value("<array><real>1</real><real>2.5</real></array>")
        == .list([.double(1), .double(2.5)]))
  }

  @Test("a location, an array of records, and a record with system fields are read")
  func records() throws {
    let place =
      "<dict><key>latitude</key><real>1.5</real><key>longitude</key><integer>2</integer></dict>"
    #expect(try value(place) == Location("1.5,2").map { .location($0) })
    let drafts = try read(
      """
      <array><dict><key>b</key><integer>2</integer><key>a</key><integer>1</integer></dict>
      <dict><key>recordName</key><string>n</string><key>recordType</key><string>T</string>
      <key>fields</key><dict><key>c</key><string>x</string></dict></dict></array>
      """)
    #expect(drafts.map { $0.fields.map(\.name.text) } == [["a", "b"], ["c"]])
    #expect(drafts.map(\.name) == [nil, "n"] && drafts.map(\.type) == [nil, "T"])
  }

  @Test("a text that is not a property list, or has no record, is an error")
  func faults() {
    #expect(throws: RecordReadingError.self) { try Self.read([]) }
    #expect(throws: RecordReadingError.self) {
      try Self.read(Array("{\"a\":1}garbage".utf8))
    }
    for body in ["<string>a</string>", "<array><integer>1</integer></array>", "<dict>"] {
      #expect(throws: RecordReadingError.self, "\(body)") { try read(body) }
    }
    #expect(throws: RecordReadingError.self) { try value("<dict><key>a</key><true/></dict>") }
  }

  @Test("a binary property list with an impossible date is refused, or read without harm")
  func farDates() {
    // bplist00, {"f": date 1e300}: objects at 8, 11 and 13; offsets of one byte.
    let date: [UInt8] =
      [0x33] + (0..<8).map { UInt8(truncatingIfNeeded: 1e300.bitPattern >> (56 - 8 * UInt64($0))) }
    let objects: [UInt8] = [0xD1, 1, 2, 0x51, 0x66] + date
    let table: [UInt8] = [8, 11, 13]
    let trailer =
      [UInt8](repeating: 0, count: 6) + [1, 1] + [0, 0, 0, 0, 0, 0, 0, 3]
      + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, UInt8(8 + objects.count)]
    let bytes = Array("bplist00".utf8) + objects + table + trailer
    _ = try? Self.read(bytes)
  }

  @Test("a binary property list gives the same as XML")
  func binary() throws {
    let drafts = try Self.read(Self.binary)
    let expected = try read(
      """
      <array><dict><key>n</key><integer>1922</integer>
      <key>big</key><integer>-5</integer><key>r</key><real>394</real><key>r2</key><real>0.5</real>
      <key>s</key><string>héllo🦊</string><key>t</key><true/>
      <key>d</key><date>2024-05-01T12:00:00Z</date><key>b</key><data>AAE=</data>
      <key>l</key><array><string>a</string><string>b</string></array>
      <key>dl</key><array><date>2024-05-01T00:00:00Z</date><date>2025-05-01T00:00:00Z</date></array>
      <key>ref</key><dict><key>recordName</key><string>x</string></dict>
      <key>loc</key><dict><key>latitude</key><real>1.5</real><key>longitude</key>
      <integer>2</integer></dict>
      <key>long</key><string>\(String(repeating: "x", count: 40))</string></dict>
      <dict><key>recordName</key><string>n</string><key>recordType</key><string>T</string>
      <key>fields</key><dict><key>c</key><string>x</string></dict></dict></array>
      """)
    #expect(drafts.count == 2)
    for (draft, other) in zip(drafts, expected) {
      #expect(draft.name == other.name && draft.type == other.type)
      #expect(draft.fields.map(\.name) == other.fields.map(\.name))
      #expect(draft.fields.map(\.value) == other.fields.map(\.value))
    }
  }

  @Test("M7: a fixture reads a binary property list, too")
  func binaryFixture() {
    var reader = FixtureReader(scope: .private, zone: .defaultZone)
    reader.begin("f.plist", type: nil)
    Self.binary.withUnsafeBytes { reader.readDocument($0, .propertyList) }
    let records = reader.fixture.zones.flatMap(\.records)
    #expect(records.map(\.name) == ["n"] && records.first?.fields.count == 1)
    // The other record has no name.
    #expect(reader.fixture.faults.count == 1)
  }

  @Test("no truncated or changed binary property list ends the program")
  func damagedBinary() {
    for place in Self.binary.indices {
      for change in [UInt8(1), 0x10, 0x80, 0xFF] {
        var bytes = Self.binary
        bytes[place] ^= change
        _ = try? Self.read(bytes)
      }
      _ = try? Self.read(Array(Self.binary[..<place]))
    }
  }

  @Test("an array that contains itself is refused (bplist00)")
  func cycle() {
    let trailer =
      [UInt8](repeating: 0, count: 6) + [1, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
      + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, 10]
    let bytes = Array("bplist00".utf8) + [0xA1, 0, 8] + trailer
    #expect(throws: RecordReadingError.self) { try Self.read(bytes) }
  }

  @Test("RS5.10: deep nesting is refused, with its place", arguments: [200, 100_000])
  func depth(_ levels: Int) {
    for (open, close) in [("<array>", "</array>"), ("<dict><key>a</key>", "</dict>")] {
      let body =
        String(repeating: open, count: levels) + String(repeating: close, count: levels)
      let error = #expect(throws: RecordReadingError.self) { try value(body) }
      #expect(error?.message.contains("128 levels") == true)
      #expect(error?.position.line == 3)
    }
  }

  /// Two records, as written by Python's plistlib.
  private static let binary: [UInt8] = {
    let digits = Array(
      """
      62706c6973743030a20125dd02030405060708090a0b0c0d0e0f10111215171c1d1e1f20232451625362696751
      6452646c516c536c6f63546c6f6e67516e5172527232537265665173517442000113fffffffffffffffb3341c5
      f13320000000a213143341c5f0dec00000003341c6e17880000000a216025161d218191a1b586c617469747564
      65596c6f6e676974756465233ff800000000000010025f10287878787878787878787878787878787878787878
      7878787878787878787878787878787878787878110782234078a00000000000233fe0000000000000d121225a
      7265636f72644e616d65517867006800e9006c006c006fd83edd8a09d326212728092a566669656c64735a7265
      636f726454797065d12922516351540008000b00260028002c002e003100330037003c003e0040004300470049
      004b004e005700600063006c00750078007a007f00880092009b009d00c800cb00d400dd00e000eb00ed00fc00
      fd0104010b01160119011b0000000000000201000000000000002b0000000000000000000000000000011d
      """.utf8.filter { $0 > 0x20 })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
    }
  }()
}
