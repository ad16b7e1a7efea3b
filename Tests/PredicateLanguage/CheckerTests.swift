internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// Findings about predicates that CloudKit would refuse (P3), each at its place.
@Suite struct CheckerTests {
  /// The type of `Shelf` with all indexes that its fields may have, and some system fields'.
  private static let schema = RecordTypeSchema(
    name: Shelf.schema.name,
    fields: Shelf.schema.fields.map { field in
      FieldSchema(name: field.name, type: field.type, indexes: field.type.allowedIndexes)
    } + [
      FieldSchema(
        name: FieldName(stored: "secret"), type: FieldType(.string, isEncrypted: true), indexes: [])
    ],
    systemIndexes: [.recordName: .queryable, .creationDate: [.queryable, .sortable]])

  private func findings(
    _ text: String, schema: RecordTypeSchema? = schema
  ) throws -> [Finding] {
    QueryChecker.findings(try PredicateParser.parse(text), schema: schema)
  }

  @Test(
    "P2.1: CKQuery accepts these predicates",
    arguments: [
      "title == 'x'", "title != 'x'", "count < 5", "count => 5", "count BETWEEN {1, 5}",
      "title BEGINSWITH 'x'", "title IN {'a', 'b'}", "ANY {'a', 'b'} = title", "names CONTAINS 'x'",
      "'x' IN names", "ANY names = 'x'", "SOME names BEGINSWITH 'x'", "ANY names IN {'a', 'b'}",
      "ALL {'a', 'b'} IN names", "self CONTAINS 'a b'", "self contains 'a' AND self contains 'b'",
      "ALL tokenize('a b', 'Cdl') IN allTokens", "allTokens TOKENMATCHES[cdl] 'a b'",
      "distanceToLocation:fromLocation:(place, location(1, 2)) < 1000",
      "distanceToLocation:fromLocation:(place, location(1, 2)) <= 1000.5",
      "author == ref('x')", "links CONTAINS ref('x')", "recordID == ref('x')",
      "recordName IN {ref('x'), ref('y')}", "TRUEPREDICATE", "FALSEPREDICATE",
      "written > date('2024-01-01')", "creationDate > now()", "NOT title == 'x'",
      "NOT names CONTAINS 'x'", "NOT title IN {'a'}", "NOT title BEGINSWITH 'x'",
      "title == 'x' AND count > 5 AND names CONTAINS 'y'", "price == 5", "count == 5.0",
      "parent == ref('x')", "NOT recordID == ref('x')",
    ])
  func accepted(_ text: String) throws {
    let findings = try findings(text)
    #expect(findings.isEmpty, "\(findings.map(\.message))")
  }

  @Test(
    "P3: each row of the table is found at its place",
    arguments: [
      ("⟦title == 'x' OR count == 5⟧", "P-OR"),
      ("count > 5 AND ⟦(title == 'x' OR title == 'y')⟧", "P-OR"),
      ("⟦NOT (title == 'x' AND count == 5)⟧", "P-NOT-COMPOUND"),
      ("⟦NOT (NOT title == 'x')⟧", "P-NOT-COMPOUND"), ("⟦NOT TRUEPREDICATE⟧", "P-NOT-COMPOUND"),
      ("⟦NOT self CONTAINS 'x'⟧", "P-NOT-TEXT"),
      ("⟦NOT allTokens TOKENMATCHES[cdl] 'x'⟧", "P-NOT-TEXT"),
      ("⟦NOT ALL tokenize('x', 'Cdl') IN allTokens⟧", "P-NOT-TEXT"),
      ("⟦NOT distanceToLocation:fromLocation:(place, location(1, 2)) < 5⟧", "P-NOT-DISTANCE"),
      ("⟦!count BETWEEN {1, 5}⟧", "P-NOT-BETWEEN"),
      ("title ⟦CONTAINS⟧ 'x'", "P-SUBSTR"), ("'x' ⟦IN⟧ title", "P-SUBSTR"),
      ("title ⟦LIKE⟧ 'x*'", "P-SUBSTR"), ("title ⟦MATCHES⟧ 'x.*'", "P-SUBSTR"),
      ("title ⟦ENDSWITH⟧ 'x'", "P-SUBSTR"), ("title ⟦UTI-EQUALS⟧ 'x'", "P-SUBSTR"),
      ("ANY names ⟦LIKE⟧ 'x*'", "P-SUBSTR"), ("title ⟦TOKENMATCHES⟧ 'x'", "P-SUBSTR"),
      ("title ⟦BEGINSWITH⟧[cd] 'x'", "P-OPTION"), ("title ⟦==⟧[c] 'x'", "P-OPTION"),
      ("self ⟦CONTAINS⟧[cd] 'x'", "P-OPTION"),
      ("⟦author.name⟧ == 'x'", "P-KEYPATH"), ("⟦names.@count⟧ > 1", "P-KEYPATH"),
      ("⟦links.author.name⟧ CONTAINS 'x'", "P-KEYPATH"),
      ("⟦ALL names == 'x'⟧", "P-QUANT"), ("⟦NONE names == 'x'⟧", "P-QUANT"),
      ("⟦ANY numbers > 5⟧", "P-QUANT"), ("⟦ALL names IN {'a'}⟧", "P-QUANT"),
      ("⟦count + 1⟧ > 5", "P-EXPR"), ("count > ⟦1 + 1⟧", "P-EXPR"),
      ("⟦length(title)⟧ > 5", "P-EXPR"),
      ("written > ⟦CAST(0, 'NSDate')⟧", "P-EXPR"), ("⟦names[0]⟧ == 'x'", "P-EXPR"),
      ("⟦SUBQUERY(links, $x, $x.a == 1)⟧ == nil", "P-EXPR"),
      ("⟦TERNARY(count > 5, 1, 2)⟧ == 1", "P-EXPR"), ("title == ⟦$x⟧", "P-EXPR"),
      ("⟦'x'⟧ == title", "P-LEFT"), ("⟦5⟧ < count", "P-LEFT"), ("⟦SELF⟧ == ref('x')", "P-LEFT"),
      ("⟦title == other⟧", "P-FIELD-FIELD"), ("⟦title IN names⟧", "P-FIELD-FIELD"),
      ("⟦count BETWEEN {1, price}⟧", "P-FIELD-FIELD"),
      ("title == ⟦nil⟧", "P-NIL"), ("title != ⟦NULL⟧", "P-NIL"),
      ("distanceToLocation:fromLocation:(place, location(1, 2)) ⟦>⟧ 5", "P-DIST"),
      ("distanceToLocation:fromLocation:(place, location(1, 2)) ⟦BETWEEN⟧ {1, 5}", "P-DIST"),
      ("⟦distanceToLocation:fromLocation:(location(1, 2), place) < 5⟧", "P-DIST"),
      ("⟦5 > distanceToLocation:fromLocation:(place, location(1, 2))⟧", "P-DIST"),
      ("title == ⟦5⟧", "P-VALUE-TYPE"), ("count IN {1, ⟦'a'⟧}", "P-VALUE-TYPE"),
      ("written == ⟦'2024-01-01'⟧", "P-VALUE-TYPE"), ("names CONTAINS ⟦5⟧", "P-VALUE-TYPE"),
      ("⟦secret⟧ == 'x'", "S-ENCRYPTED"), ("⟦cover⟧ != nil", "S-ENCRYPTED"),
      ("⟦modificationDate⟧ > now()", "S-QUERYABLE"),
      ("⟦changeTag⟧ == 'x'", "S-QUERYABLE"),
    ])
  func rows(_ marked: String, _ code: String) throws {
    let marked = Marked(marked)
    let found = try findings(marked.text)
    let expected = found.first { $0.code.rawValue == code }
    #expect(expected?.span == marked.span, "\(found)")
    #expect(expected?.severity == .error)
    #expect(code == "P-NIL" || expected?.remedy != nil)
    // Only nil can be compared with an asset.
    let others = found.filter {
      $0.code.rawValue != code && $0.severity == .error
        && !($0.code == .null && marked.text == "cover != nil")
    }
    #expect(others.isEmpty, "\(others)")
  }

  @Test(
    "P3.15, P3.16: AND and OR without parentheses, and a key in quotes, are always reported",
    arguments: [
      ("count == 1 OR ⟦title == 'x' AND count == 2⟧", "W-PRECEDENCE"),
      ("⟦title == 'x' AND count == 2⟧ OR count == 1", "W-PRECEDENCE"),
      ("⟦(title == 'x') AND (count == 2)⟧ OR count == 1", "W-PRECEDENCE"),
      ("⟦'title'⟧ == 'x'", "W-KEY-QUOTED"), ("⟦size⟧ == 5", "W-KEY-RESERVED"),
      ("count == 1 AND ⟦First⟧ == 'x'", "W-KEY-RESERVED"),
    ])
  func meaning(_ marked: String, _ code: String) throws {
    let marked = Marked(marked)
    let found = try findings(marked.text).filter { $0.code.rawValue == code }
    #expect(found.map(\.span) == [marked.span])
    #expect(found.allSatisfy { $0.severity == .warning && $0.code.subject == .meaning })
  }

  @Test("P1.2.6: #size is a key everywhere")
  func reserved() throws {
    #expect(try findings("#size == 5 AND #first == 1", schema: nil).isEmpty)
  }

  @Test("parentheses around an AND in an OR make the meaning explicit")
  func parentheses() throws {
    for text in ["count == 1 OR (title == 'x' AND count == 2)", "((a = 1) AND b = 2) OR c = 3"] {
      #expect(try !findings(text, schema: nil).contains { $0.code == .precedence })
    }
  }

  @Test("P2.4.7: more than 250 values are refused; from 193 on servers have failed")
  func valueCount() throws {
    for (count, severity) in [(192, nil), (193, .warning), (250, .warning), (251, .error)]
      as [(Int, Finding.Severity?)]
    {
      let values = (0..<count).map(String.init).joined(separator: ", ")
      let found = try findings("count IN {\(values)}")
      #expect(found.map(\.severity) == (severity.map { [$0] } ?? []), "\(count)")
      #expect(found.allSatisfy { $0.code == .valueCount })
    }
  }

  @Test("P2.3: a missing index is reported once, with the line that the schema needs")
  func indexes() throws {
    let bare = RecordTypeSchema(
      name: RecordType(stored: "T"),
      fields: [
        FieldSchema(
          name: FieldName(stored: "a"), type: FieldType(.string), indexes: [.searchable]),
        FieldSchema(name: FieldName(stored: "b"), type: FieldType(.int64), indexes: [.sortable]),
      ])
    let predicate = try PredicateParser.parse("a == 'x' AND a != 'y' AND b > 5 AND b == 6")
    let found = QueryChecker.findings(
      predicate, sort: [SortKey("a"), SortKey("b"), SortKey("recordName")], schema: bare)
    #expect(found.map(\.code) == [.queryable, .queryable, .sortable, .sortable])
    #expect(
      found.map(\.remedy) == [
        .declareIndex(bare.name, key: "a", .queryable, line: "a STRING QUERYABLE SEARCHABLE"),
        .declareIndex(bare.name, key: "b", .queryable, line: "b INT64 QUERYABLE SORTABLE"),
        .declareIndex(bare.name, key: "a", .sortable, line: "a STRING SEARCHABLE SORTABLE"),
        .declareIndex(
          bare.name, key: "recordName", .sortable, line: "\"___recordID\" REFERENCE SORTABLE"),
      ])
  }

  @Test("without a schema only the form is checked")
  func noSchema() throws {
    #expect(try findings("x CONTAINS 'y' AND TRUEPREDICATE", schema: nil).isEmpty)
    #expect(try findings("x ENDSWITH 'y'", schema: nil).map(\.code) == [.substring])
  }

  @Test("P3.1: an OR of one field's values is rewritten as IN")
  func rewriting() throws {
    let remedy = try findings("title == 'a' OR title == 'b'").first?.remedy
    #expect(remedy == "write title IN {\"a\", \"b\"}")
    let other = try findings("title == 'a' OR count == 5").first?.remedy
    #expect(other == "run one query for each part and merge their records by name")
  }
}
