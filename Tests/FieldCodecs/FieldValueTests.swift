internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import Testing

/// Values, their equality and their texts (M3, M4; R3.3, R3.4).
@Suite struct FieldValueTests {
  private static func place(_ text: String) -> FieldValue? { Location(text).map { .location($0) } }

  /// Values that all differ from each other.
  private static let different: [FieldValue] = {
    let name = RecordName(stored: "a")
    let hash = String(repeating: "a", count: 64)
    var high = Location("1,2")
    high?.altitude = 3
    return [
      .string(""), .string("1"), .string("\u{E9}"), .string("e\u{301}"), .int64(0), .int64(1),
      .double(1), .double(0), .double(0.1), .timestamp(Timestamp(milliseconds: 1)),
      .timestamp(Timestamp(milliseconds: 0)), .bytes([]), .bytes([0x31]),
      .reference(Reference(name)), .reference(Reference(name, action: .deleteSelf)),
      .reference(Reference(RecordName(stored: "b"))), .list([]), .list([.int64(1)]),
      .list([.double(1)]), .list([.string("\u{E9}")]), .list([.string("e\u{301}")]),
      .list([.int64(1), .int64(1)]),
    ]
      + [place("1,2"), place("2,1"), high.map { .location($0) }].compactMap { $0 }
      + [Asset(sha256: hash, size: 1), Asset(sha256: hash, size: 2)].compactMap { asset in
        asset.map { .asset($0) }
      }
  }()

  @Test("M4.9: values are equal if their types are, and texts if their bytes are")
  func equality() {
    #expect(Self.different.count == 27)
    for (i, a) in Self.different.enumerated() {
      for (j, b) in Self.different.enumerated() { #expect((a == b) == (i == j), "\(a) \(b)") }
    }
    #expect(FieldValue.double(.nan) == .double(.nan), "a value equals itself")
  }

  @Test("R3.3: the type of a value; a list has the type of its members, an empty list has none")
  func types() {
    #expect(FieldValue.list([.double(1)]).type == FieldType(.double, isList: true))
    #expect(FieldValue.list([]).type == nil)
    #expect(FieldValue.bytes([]).type == FieldType(.bytes))
  }

  @Test(
    "M3: a text is read by its type",
    arguments: [
      ("", .string, .string("")), ("-9223372036854775808", .int64, .int64(.min)),
      ("9223372036854775807", .int64, .int64(.max)), ("1e3", .double, .double(1000)),
      ("1922", .double, .double(1922)), ("1922", .number, .int64(1922)),
      ("39.4", .number, .double(39.4)),
      ("2024-05-01", .timestamp, .timestamp(Timestamp(milliseconds: 1_714_521_600_000))),
      ("1714521600000", .timestamp, .timestamp(Timestamp(milliseconds: 1_714_521_600_000))),
      ("-1", .timestamp, .timestamp(Timestamp(milliseconds: -1))),
      ("aGVsbG8=", .bytes, .bytes(Array("hello".utf8))), ("", .bytes, .bytes([])),
      ("artist-38", .reference, .reference(Reference(RecordName(stored: "artist-38")))),
    ] as [(String, FieldType.Base, FieldValue)])
  func texts(_ text: String, _ base: FieldType.Base, _ value: FieldValue) {
    #expect(FieldValue(text: text, as: base) == value)
  }

  @Test(
    "M3: INT64 and DOUBLE parse exactly; other texts are not values",
    arguments: [
      ("9223372036854775808", .int64), ("1.0", .int64), ("1e3", .int64), (" 1", .int64),
      ("", .int64), ("0x10", .int64), ("1_000", .int64), ("", .double), ("nan", .double),
      ("inf", .double), ("1e309", .double), ("1,5", .double), ("abc", .number),
      ("yesterday", .timestamp), ("2024-13-01", .timestamp), ("1.5", .timestamp),
      ("aGVsbG8", .bytes), ("hello!", .bytes), ("_me", .reference), ("", .reference),
      ("é", .reference), ("1", .location), ("a.jpg", .asset), ("", .asset),
    ] as [(String, FieldType.Base)])
  func noValues(_ text: String, _ base: FieldType.Base) {
    #expect(FieldValue(text: text, as: base) == nil)
  }

  @Test("a time is within the years 0001 to 9999 (M4.8)")
  func years() {
    #expect(Timestamp("0001-01-01T00:00:00Z")?.milliseconds == Timestamp.range.lowerBound)
    #expect(Timestamp("9999-12-31T23:59:59.999Z")?.milliseconds == Timestamp.range.upperBound)
    for outside in [Timestamp.range.lowerBound - 1, Timestamp.range.upperBound + 1, .min, .max] {
      #expect(Timestamp(given: outside) == nil)
      #expect(Timestamp(String(outside)) == nil)
      #expect(FieldValue.int64(outside).reread(as: FieldType(.timestamp)) == nil)
    }
  }

  @Test("M4.8: INT64, DOUBLE and TIMESTAMP read back from their texts")
  func roundTrip() {
    var random = SplitMix64(state: 1)
    for _ in 0..<1000 {
      let integer = Int64(bitPattern: random.next()) >> Int64(random.next() % 64)
      #expect(FieldValue(text: String(integer), as: .int64) == .int64(integer))
      let time = Timestamp(
        milliseconds: .random(in: Timestamp.range, using: &random))
      #expect(FieldValue(text: time.text, as: .timestamp) == .timestamp(time))
      let real = Double(bitPattern: random.next())
      if real.isFinite {
        #expect(FieldValue(text: real.description, as: .double) == .double(real))
      }
    }
  }

  @Test("M5: values that look the same in plain JSON are read by the schema's type")
  func reread() {
    let time = FieldValue.timestamp(Timestamp(milliseconds: 0))
    #expect(FieldValue.string("1970-01-01").reread(as: FieldType(.timestamp)) == time)
    #expect(FieldValue.int64(0).reread(as: FieldType(.timestamp)) == time)
    #expect(FieldValue.string("AA==").reread(as: FieldType(.bytes)) == .bytes([0]))
    #expect(FieldValue.string("x").reread(as: FieldType(.timestamp)) == nil)
    let list = FieldType(.timestamp, isList: true)
    let written = FieldValue.list([.int64(0), .string("1970-01-01")])
    #expect(written.reread(as: list) == .list([time, time]))
    #expect(FieldValue.list([.int64(0), .string("x")]).reread(as: list) == nil)
    #expect(FieldValue.int64(0).reread(as: list) == nil)
  }

  @Test("R6.1: an asset is named by 64 lower-case hexadecimal digits and a size")
  func assets() {
    let hash = String(repeating: "0a", count: 32)
    #expect(Asset(sha256: hash, size: 0) != nil)
    for (text, size) in [
      (hash.uppercased(), 0), (hash + "0", 0), (String(hash.dropLast()), 0), (hash, -1), ("", 0),
      (String(repeating: "g", count: 64), 0), (String(repeating: "é", count: 32), 0),
    ] as [(String, Int64)] {
      #expect(Asset(sha256: text, size: size) == nil)
    }
  }

  @Test("R5.1: each reference action has its name of Web Services")
  func actions() {
    for action in Reference.Action.allCases {
      #expect(Reference.Action(name: action.name) == action)
    }
    #expect(Reference.Action.allCases.map(\.name) == ["NONE", "DELETE_SELF", "VALIDATE"])
    #expect(Reference.Action(name: "none") == nil)
  }
}
