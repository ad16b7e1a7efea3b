internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// The rules of evaluation, one by one (P1.5).
@Suite struct EvaluatorTests {
  private static func reference(_ name: String) -> FieldValue {
    .reference(Reference(RecordName(stored: name), action: .deleteSelf))
  }

  private static let book: Record = {
    var book = Shelf.record([
      "title": .string("Foundation"), "count": .int64(255), "price": .double(9.5),
      "names": .list([.string("sf"), .string("classic")]),
      "numbers": .list([.int64(1), .int64(5)]),
      "author": reference("asimov"), "links": .list([reference("x"), reference("y")]),
      "written": .timestamp(Timestamp(milliseconds: 86_400_000)), "data": .bytes([0, 1]),
      "prices": .list([]),
    ])
    book.fields[FieldName(stored: "place")] = Location("51.5,0").map { .location($0) }
    return book
  }()

  private func expect(
    _ lines: [(String, Bool)], of record: Record = Self.book,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (text, expected) in lines {
      #expect(try Shelf.meets(record, text) == expected, "\(text)", sourceLocation: sourceLocation)
    }
  }

  @Test("there is no third truth value: a missing field is nil, and nil == nil")
  func missing() throws {
    try expect([
      ("other == nil", true), ("other != nil", false), ("title == nil", false),
      ("title != nil", true), ("nil == nil", true), ("nil != nil", false), ("nil == other", true),
      ("other == 'x'", false), ("other != 'x'", true), ("other == title", false),
      ("other != title", true), ("other == number", true), ("other < 'x'", false),
      ("other > 'x'", false), ("other <= 'x'", false), ("other >= 'x'", false),
      ("other <= nil", true), ("other >= nil", true), ("other < nil", false),
      ("other > nil", false), ("title <= nil", false), ("title >= nil", false),
      ("NOT other < 'x'", true), ("NOT other != 'x'", false),
    ])
  }

  @Test("BETWEEN, IN, CONTAINS and BEGINSWITH are false if a side is nil")
  func nilSides() throws {
    try expect([
      ("other BETWEEN {'a', 'z'}", false), ("title BETWEEN {nil, 'z'}", false),
      ("title BETWEEN {'A', nil}", false), ("other IN {'a', nil}", false), ("nil IN {nil}", false),
      ("other IN names", false), ("title IN times", false), ("other CONTAINS 'x'", false),
      ("title CONTAINS other", false), ("names CONTAINS nil", false),
      ("other BEGINSWITH 'x'", false), ("title BEGINSWITH other", false),
      ("NOT title BEGINSWITH other", true),
    ])
  }

  @Test("ENDSWITH and LIKE match the whole text, by scalars; no text ends with the empty text")
  func endsAndPatterns() throws {
    try expect([
      ("title ENDSWITH 'tion'", true), ("title ENDSWITH 'Foundation'", true),
      ("title ENDSWITH 'TION'", false), ("title ENDSWITH ''", false),
      ("other ENDSWITH 'x'", false), ("title LIKE 'Found*'", true),
      ("title LIKE 'found*'", false), ("title LIKE '*'", true), ("title LIKE '?oundation'", true),
      ("title LIKE 'oundation'", false), ("title LIKE '*o*o*'", true),
      ("title LIKE '*o*o*o*'", false), ("title LIKE 'Foundation*'", true),
      ("title LIKE 'Foundation?'", false), ("other LIKE '*'", false), ("'' LIKE '*'", true),
      ("'' LIKE ''", true), ("'a*b' LIKE 'a\\\\*b'", true), ("'axb' LIKE 'a\\\\*b'", false),
      ("'é' LIKE '?'", true), ("'aaab' LIKE '*ab'", true), ("NONE names LIKE 'x*'", true),
    ])
  }

  @Test("P1.5.12: ALL and NONE of no members are true; NONE is not ANY; SOME is ANY")
  func quantifiers() throws {
    try expect([
      ("ALL names BEGINSWITH 's'", false), ("ALL numbers > 0", true), ("ALL numbers > 1", false),
      ("NONE numbers > 5", true), ("NONE numbers > 4", false), ("SOME numbers > 4", true),
      ("ALL prices > 100", true), ("NONE prices > 100", true), ("ANY prices > 100", false),
      ("ALL times == 1", true), ("NONE times == 1", true), ("NOT ALL times == 1", false),
    ])
  }

  @Test("P1.1.2: [c] ignores case, [d] diacritics, n supersedes both, l changes nothing")
  func options() throws {
    try expect([
      ("title ==[c] 'FOUNDATION'", true), ("title ==[n] 'FOUNDATION'", false),
      ("title !=[c] 'FOUNDATION'", false), ("title CONTAINS[c] 'UNDA'", true),
      ("title BEGINSWITH[c] 'found'", true), ("title ENDSWITH[c] 'TION'", true),
      ("title LIKE[c] 'f*N'", true), ("title IN[c] {'FOUNDATION'}", true),
      ("'SF' IN[c] names", true), ("ANY names ==[c] 'SF'", true),
      ("title <[c] 'foundations'", true),
      ("'Dürer' ==[d] 'Durer'", true), ("'Dürer' ==[c] 'Durer'", false),
      ("'DÜRER' ==[cd] 'durer'", true), ("'Du\\u0308rer' ==[d] 'Durer'", true),
      ("'Tiếng Việt' ==[cd] 'tieng viet'", true), ("'Ἀχιλλεύς' ==[cd] 'ΑΧΙΛΛΕΥΣ'", true),
      ("'й' ==[d] 'и'", true), ("'ø' ==[d] 'o'", false), ("'straße' ==[c] 'STRASSE'", true),
      ("'DÜRER' ==[cdn] 'durer'", false), ("'a' ==[l] 'a'", true), ("'a' ==[cl] 'A'", true),
      ("numbers CONTAINS[c] 1", true), ("count ==[c] 255", true), ("other ==[c] nil", true),
    ])
  }

  @Test("P1.3, P1.4: arithmetic and the functions of the table; integers stay integers")
  func functions() throws {
    try expect([
      ("1+1 == 2", true), ("4+5-2**3 == 1", true), ("2+3*4 == 14", true), ("(2+3)*4 == 20", true),
      ("7/2 == 3", true), ("7/2.0 == 3.5", true), ("1/0 == nil", true), ("-7/2 == -3", true),
      ("count + 1 == 256", true), ("count - 255 == 0", true), ("-count == -255", true),
      ("price * 2 > 18.9", true), ("number + 1 == nil", true),
      ("2**10 == 1024", true), ("modulus:by:(7, 3) == 1", true), ("add:to:(1, 2) == 3", true),
      ("sum({1, 2, 3}) == 6", true), ("count({1, 2}) == 2", true), ("max({1, 3, 2}) == 3", true),
      ("min(numbers) == 1", true), ("average({1, 2}) == 1.5", true), ("median(numbers) == 3", true),
      ("sum(prices) == 0", true), ("max(prices) == nil", true), ("sqrt(9) == 3", true),
      ("ceiling(3.2) == 4", true), ("floor(-3.2) == -4", true), ("trunc(-3.7) == -3", true),
      ("abs(-3) == 3", true), ("log(1000) == 3", true), ("ln(exp(1)) == 1", true),
      ("sqrt(-1) == nil", true), ("uppercase(title) == 'FOUNDATION'", true),
      ("length(title) == 10", true), ("written == CAST(-978220800, 'NSDate')", true),
      ("CAST(written, 'NSNumber') < 0", true), ("CAST('12', 'NSNumber') == 12", true),
      ("CAST(count, 'NSString') == '255'", true), ("((count)) > 1", true),
      ("((count > 1))", true), ("NOT (count) > 1", false), ("(count + 1) * 2 == 512", true),
      ("count BETWEEN {250 + 1, 250 + 9}", true), ("9223372036854775807 + 1 > 0", true),
    ])
    for text in ["title + 1 == 2", "sqrt(title) == 1", "uppercase(count) == 'x'", "count(1) == 1"] {
      #expect(throws: PredicateError.self) { try Shelf.meets(Self.book, text) }
    }
  }

  @Test("P1.5.14: [FIRST] of no members, and an index past the end, are nil; [SIZE] is the count")
  func indexing() throws {
    try expect([
      ("numbers[FIRST] == 1", true), ("numbers[last] == 5", true), ("numbers[1] == 5", true),
      ("numbers[9] == nil", true), ("numbers[-1] == nil", true), ("prices[FIRST] == nil", true),
      ("numbers[SIZE] == 2", true), ("prices[SIZE] == 0", true), ("times.@count == 0", true),
      ("numbers.@count == 2", true), ("numbers.@sum == 6", true), ("numbers.@avg == 3", true),
      ("numbers.@max > 4", true), ("prices.@min == nil", true), ("prices.@sum == 0", true),
      ("{1, 2, 3}[FIRST] == 1", true), ("{}[SIZE] == 0", true), ("{{1}, {2, 3}}[SIZE] == 2", true),
      ("numbers[0] + numbers[1] == 6", true), ("names[0] BEGINSWITH 's'", true),
    ])
    #expect(throws: PredicateError.self) { try Shelf.meets(Self.book, "count[FIRST] == 1") }
    #expect(throws: PredicateError.self) { try Shelf.meets(Self.book, "names.@sum == 1") }
  }

  @Test("P1.5.16: now() is the same moment for a whole query")
  func now() throws {
    let predicate = try PredicateParser.parse("written < now()")
    for (now, expected) in [(86_400_001, true), (86_400_000, false)] {
      let bound = try PredicateBinder.bind(
        predicate, to: Shelf.schema, .init(now: Timestamp(milliseconds: Int64(now))))
      #expect(try PredicateEvaluator(bound).matches(Self.book) == expected)
      #expect(!bound.text.contains("now"), "a cursor keeps the moment")
    }
  }

  @Test("an interrupted subquery throws: it has no result, neither true nor false")
  func interruption() throws {
    struct Interrupted: Error {}
    let texts = [
      "SUBQUERY(numbers, $n, $n > 3).@count == 1", "NOT 7 IN SUBQUERY(numbers, $n, $n > 0)",
    ]
    for text in texts {
      var members = 0
      let evaluator = PredicateEvaluator(
        try Shelf.bind(text),
        checkInterrupt: {
          members += 1
          if members == 2 { throw Interrupted() }
        })
      #expect(throws: Interrupted.self) { try evaluator.matches(Self.book) }
      #expect(members == 2, "\(text)")
    }
  }

  @Test("C153, C154: self CONTAINS finds either word; AND needs both; stop words are ignored")
  func search() throws {
    let book = Shelf.record([
      "title": .string("Der Dürer-Hase"), "names": .list([.string("Bob Smith"), .string("x2")]),
    ])
    try expect(
      [
        ("self contains 'bob jones'", true), ("SELF CONTAINS 'bo'", false),
        ("self contains 'bob' AND self contains 'hase'", true),
        ("self contains 'bob' AND self contains 'jones'", false),
        ("self contains 'DURER'", true), ("self contains 'the'", false),
        ("self contains 'the smith'", true), ("self contains ''", false),
        ("self contains 'x2'", true), ("NOT self contains 'jones'", true),
        ("SELF.title == 'Der Dürer-Hase'", true),
      ], of: book)
    for text in ["'x' IN SELF", "SELF CONTAINS 1", "ANY SELF CONTAINS 'x'"] {
      #expect(throws: PredicateError.self) { try Shelf.meets(book, text) }
    }
  }

  @Test("a number and a string are not equal: == is false, != is true")
  func families() throws {
    try expect([
      ("count == '255'", false), ("count != '255'", true), ("title == 1", false),
      ("author == 'asimov'", false), ("written == 86400000", false), ("data == 'AAE='", false),
    ])
  }

  @Test("integers and doubles compare by value; booleans are numbers")
  func numbers() throws {
    try expect([
      ("count == 255.0", true), ("count < 255.5", true), ("price > 9", true),
      ("price == 9.5", true),
      ("price == 9", false), ("count IN {255.0}", true), ("numbers CONTAINS 5.0", true),
    ])
    try expect(
      [("count == TRUE", true), ("count == NO", false)], of: Shelf.record(["count": .int64(1)]))
  }

  @Test("BETWEEN is inclusive, and empty if the bounds are reversed")
  func between() throws {
    try expect([
      ("count BETWEEN {255, 300}", true), ("count BETWEEN {200, 255}", true),
      ("count BETWEEN {255, 255}", true), ("count BETWEEN {256, 300}", false),
      ("count BETWEEN {300, 200}", false), ("title BETWEEN {'F', 'G'}", true),
      ("written BETWEEN {date('1970-01-02'), date('1970-01-02')}", true),
      ("price BETWEEN {9, count}", true),
    ])
  }

  @Test("BEGINSWITH '' and CONTAINS '' are false; IN with a text finds its parts")
  func emptyTexts() throws {
    try expect([
      ("title BEGINSWITH ''", false), ("title CONTAINS ''", false), ("'' IN title", false),
      ("ANY names BEGINSWITH ''", false), ("title BEGINSWITH 'Found'", true),
      ("title BEGINSWITH 'found'", false), ("title BEGINSWITH 'Foundation!'", false),
      ("title CONTAINS 'dati'", true), ("title CONTAINS 'Dati'", false), ("'dati' IN title", true),
      ("title IN 'The Foundation'", true), ("title CONTAINS 'Foundation'", true),
    ])
    try expect(
      [("title == ''", true), ("title BEGINSWITH ''", false)],
      of: Shelf.record(["title": .string("")]))
  }

  @Test("ANY {} is false; a missing list counts as {}; list membership has three spellings")
  func lists() throws {
    try expect([
      ("ANY prices == 1", false), ("ANY prices != 1", false), ("ANY times != nil", false),
      ("ANY {} == title", false), ("names CONTAINS 'sf'", true), ("'sf' IN names", true),
      ("ANY names == 'sf'", true), ("names CONTAINS 's'", false), ("ANY names CONTAINS 's'", true),
      ("ANY names BEGINSWITH 'cla'", true), ("ANY names IN {'x', 'sf'}", true),
      ("ANY names IN {'x'}", false), ("ANY names IN {}", false), ("ANY numbers > 4", true),
      ("ANY numbers > 5", false), ("ANY numbers BETWEEN {2, 4}", false), ("ANY numbers != 1", true),
      ("NOT ANY numbers == 1", false), ("ANY {1, 255} == count", true), ("title IN {}", false),
    ])
  }

  @Test("R5.13: references compare by name only; names of system fields may be texts")
  func references() throws {
    try expect([
      ("author == ref('asimov')", true), ("author == ref('Asimov')", false),
      ("links CONTAINS ref('x')", true), ("author IN {ref('a'), ref('asimov')}", true),
      ("recordName == 'b1'", true), ("recordID == ref('b1')", true), ("___recordID != 'b1'", false),
      ("recordName IN {'b0', 'b1'}", true), ("'b1' == recordName", true), ("parent == nil", true),
      ("creationDate == nil", true), ("creationDate != date('1970-01-01')", true),
      ("changeTag == nil", true),
    ])
  }

  @Test("R7.2.7: distance is in metres, in either order of its sides; without a location it is nil")
  func distance() throws {
    let distance = "distanceToLocation:fromLocation:"
    try expect([
      ("\(distance)(place, location(51.5, 0)) == 0", true),
      ("\(distance)(place, location(52.5, 0)) < 111200", true),
      ("\(distance)(location(52.5, 0), place) > 111190", true),
      ("place == location(51.5, 0)", true), ("place == location(51.5, 0.1)", false),
    ])
    try expect(
      [
        ("\(distance)(place, location(0, 0)) < 1e9", false),
        ("NOT \(distance)(place, location(0, 0)) < 1e9", true),
        ("\(distance)(place, location(0, 0)) == nil", true),
      ], of: Shelf.record([:]))
  }

  @Test("texts compare by their UTF-8 bytes: composed and decomposed texts differ")
  func bytes() throws {
    let composed = Shelf.record([
      "title": .string("caf\u{E9}"), "names": .list([.string("\u{E9}")]),
    ])
    try expect(
      [
        ("title == 'caf\u{E9}'", true), ("title == 'cafe\u{301}'", false),
        ("title > 'cafe\u{301}'", true), ("title BEGINSWITH 'cafe'", false),
        ("title CONTAINS 'e\u{301}'", false), ("title CONTAINS '\u{E9}'", true),
        ("names CONTAINS 'e\u{301}'", false), ("title IN {'cafe\u{301}'}", false),
        ("title < 'z'", true), ("'Z' < title", true),
      ], of: composed)
    // Bytes that begin within a character do not match any text.
    let decomposed = Shelf.record(["title": .string("cafe\u{301}")])
    try expect([("title BEGINSWITH 'cafe'", true), ("title CONTAINS 'e'", true)], of: decomposed)
    let planes = Shelf.record(["title": .string("\u{FFFF}")])
    try expect([("title < '\u{10000}'", true)], of: planes)
  }

  @Test("constants, and AND and OR with many parts")
  func compounds() throws {
    try expect([
      ("TRUEPREDICATE", true), ("NOT TRUEPREDICATE", false),
      ("FALSEPREDICATE OR count = 255", true),
      ("count = 255 AND count = 255 AND FALSEPREDICATE", false),
      ("count = 1 OR count = 2 OR NOT count = 3", true),
    ])
  }
}
