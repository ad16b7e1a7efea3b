internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// Laws that hold for every record (P1.5, P2.1: equal spellings).
@Suite struct LawTests {
  private static let texts = ["", "a", "ab", "abc", "b", "\u{E9}", "e\u{301}", "A", "%"]
  private static let integers: [Int64] = [0, 1, 2, -1, 1 << 53, 1 << 53 + 1, .max, .min]

  private var random = SplitMix64(state: 1)

  private mutating func pick<Item>(_ items: [Item]) -> Item {
    items[Int(random.next() % UInt64(items.count))]
  }

  private mutating func number() -> FieldValue {
    pick([.int64(pick(Self.integers)), .double(Double(pick(Self.integers))), .double(0.5)])
  }

  /// A record in which any value may be missing.
  private mutating func record() -> Record {
    var values: [String: FieldValue] = [:]
    if pick([true, true, false]) { values["title"] = .string(pick(Self.texts)) }
    if pick([true, true, false]) { values["number"] = number() }
    if pick([true, true, false]) {
      values["names"] = .list((0..<pick([0, 1, 3])).map { _ in .string(pick(Self.texts)) })
    }
    return Shelf.record(values)
  }

  private func meets(
    _ record: Record, _ text: String, _ values: [FieldValue]
  ) throws -> Bool {
    try Shelf.meets(record, text, values.map { .value($0) })
  }

  @Test("equivalent predicates agree on random records and values")
  mutating func equivalences() throws {
    let pairs = [
      ("title != %@ OR title == %@", "TRUEPREDICATE OR title IN {%@, %@}"),
      ("NOT title == %@ AND NOT title == %@", "title != %@ AND title != %@"),
      ("NOT (title == %@ OR title < %@)", "NOT title == %@ AND NOT title < %@"),
      ("title == %@ OR title == %@", "title IN {%@, %@}"),
      ("title >= %@ AND title <= %@", "title BETWEEN {%@, %@}"),
      ("names CONTAINS %@ OR names CONTAINS %@", "ANY names IN {%@, %@}"),
      ("ANY names == %@ OR ANY names == %@", "%@ IN names OR %@ IN names"),
      ("ANY {title} == %@ AND title != %@", "title IN {%@} AND NOT title == %@"),
      ("%@ > title OR %@ == title", "title < %@ OR title == %@"),
    ]
    for (left, right) in pairs {
      for _ in 0..<300 {
        let record = record()
        let values = [FieldValue.string(pick(Self.texts)), .string(pick(Self.texts))]
        // The first pair needs one value in both places to be always true.
        let given = left == pairs[0].0 ? [values[0], values[0]] : values
        let isTrue = try meets(record, left, given)
        #expect(isTrue == (try meets(record, right, given)), "\(left) \(given) \(record.fields)")
      }
    }
  }

  @Test("numbers are ordered: exactly one of <, ==, > holds, and the negations agree")
  mutating func trichotomy() throws {
    for _ in 0..<600 {
      let record = Shelf.record(["number": number()])
      let value = [number()]
      let tests = try ["<", "==", ">"].map { try meets(record, "number \($0) %@", value) }
      #expect(tests.filter { $0 }.count == 1)
      #expect(try meets(record, "number <= %@", value) == !tests[2])
      #expect(try meets(record, "number >= %@", value) == !tests[0])
      #expect(try meets(record, "number != %@", value) == !tests[1])
      #expect(try meets(record, "number IN {%@}", value) == tests[1])
      #expect(try meets(record, "%@ < number", value) == tests[2])
    }
  }

  @Test("texts: parts and prefixes are those of the bytes, but no text contains ''")
  mutating func texts() throws {
    for _ in 0..<600 {
      let (text, part) = (pick(Self.texts) + pick(Self.texts), pick(Self.texts))
      let record = Shelf.record(["title": .string(text)])
      let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
      let places = bytes.indices.filter { bytes[$0...].starts(with: wanted) }
      let given = [FieldValue.string(part)]
      #expect(try meets(record, "title CONTAINS %@", given) == (!part.isEmpty && !places.isEmpty))
      #expect(
        try meets(record, "title BEGINSWITH %@", given) == (!part.isEmpty && places.first == 0))
      #expect(try meets(record, "title < %@", given) == utf8Precedes(text, part))
      #expect(try meets(record, "title == %@", given) == utf8Equal(text, part))
    }
  }
}
