internal import Basics
internal import CloudModel
internal import Testing
internal import WireFormat

/// Cursors as opaque texts (R7.4.6; DS5: opaque and versioned).
@Suite struct CursorTextTests {
  private static func random(_ source: inout RandomRecords) -> QueryCursor {
    let keys = ["title", "year", "___createTime", "recordName"]
    let sort = (0..<source.pick([0, 1, 3])).map { _ in
      SortKey(
        source.pick(keys), isAscending: source.pick([true, false]),
        origin: source.pick([nil, Location("51.5,-0.12"), Location("0,180")]))
    }
    let values = sort.map { _ in
      let base = source.pick([FieldType.Base.string, .int64, .double, .timestamp, .reference])
      return source.pick([true, true, false]) ? plain(source.value(base)) : nil
    }
    return QueryCursor(
      type: RecordType(stored: source.pick(["Artwork", "A_1"])), predicate: source.text(),
      sort: sort, zone: source.pick([nil, .defaultZone, ZoneID(stored: "a, \"b\"")]),
      now: source.time(), origin: UInt64(truncatingIfNeeded: source.pick([0, 1, -1, .min])),
      place: QueryPlace(values: values, number: source.pick([0, 1, .max])))
  }

  /// A reference's action is not part of an order (R5.13).
  private static func plain(_ value: FieldValue?) -> FieldValue? {
    if case .reference(let reference) = value {
      .reference(Reference(reference.name))
    } else {
      value
    }
  }

  @Test("a cursor reads back from its text, which needs no quoting in a shell or a URL")
  func roundTrip() {
    var source = RandomRecords(seed: 6)
    for _ in 0..<1000 {
      let cursor = Self.random(&source)
      #expect(QueryCursor(text: cursor.text) == cursor)
      let isPlain = cursor.text.utf8.allSatisfy {
        $0.isIdentifierByte || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
      }
      #expect(isPlain, "\(cursor.text)")
    }
  }

  @Test(
    "other texts are not cursors",
    arguments: [
      "", "1", "1.", "1.!", "1.e30", "2.e30", "x", "1.bnVsbA", "1.W10", "1.eyJ0IjoiQSJ9",
      "eyJ0IjoiQSJ9", "1.é",
    ])
  func garbage(_ text: String) {
    #expect(QueryCursor(text: text) == nil)
  }

  @Test("a cut or changed text is not a cursor, or one that can be written again")
  func mutations() {
    var source = RandomRecords(seed: 7)
    for _ in 0..<600 {
      var bytes = Array(Self.random(&source).text.utf8)
      if source.pick([true, false]) { bytes.removeLast(source.pick(Array(1..<bytes.count))) }
      bytes[source.pick(Array(bytes.indices))] = source.pick(Array("Az09-_=. ".utf8))
      guard let cursor = QueryCursor(text: String(decoding: bytes, as: UTF8.self)) else { continue }
      #expect(QueryCursor(text: cursor.text) == cursor)
      #expect(cursor.sort.count == cursor.place.values.count)
    }
  }

  @Test("DS5: version 1 has this exact form")
  func exactForm() {
    let cursor = QueryCursor(
      type: RecordType(stored: "T"), predicate: "n > 0", sort: [SortKey("n", isAscending: false)],
      zone: nil, now: Timestamp(milliseconds: 5), origin: .max,
      place: QueryPlace(values: [.int64(4)], number: 6))
    #expect(
      cursor.text
        == "1.eyJ0IjoiVCIsInAiOiJuID4gMCIsInMiOltbIm4iLGZhbHNlXV0sInoiOm51bGwsIm4iOjUsIm8iOi0xLCJ2IjpbNF0sImkiOjZ9"
    )
    var shared = cursor
    shared.zone = ZoneID(
      ZoneName(stored: "Notes"),
      owner: .user(UserRecordName(stored: "_0123456789abcdef0123456789abcdef")))
    #expect(QueryCursor(text: shared.text) == shared, "a cursor knows the owner of its zone")
    #expect(QueryCursor(text: "1." + cursor.text.dropFirst(2)) == cursor)
    #expect(QueryCursor(text: "2." + cursor.text.dropFirst(2)) == nil, "another version")
  }
}
