internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// Predicates fitted to a record type (P1.5.17: a type error that the schema shows is
/// refused before the first row; P2.4: the server's words).
@Suite struct BinderTests {
  @Test(
    "an unknown key is refused, with the nearest field",
    arguments: [
      ("⟦titel⟧ == 'x'", "title"), ("count == 1 AND ⟦pirce⟧ > 2", "price"),
      ("ANY ⟦nams⟧ == 'x'", "names"), ("'x' IN ⟦name⟧", "names"), ("⟦#inn⟧ == 1", "in"),
      ("distanceToLocation:fromLocation:(⟦plase⟧, location(0,0)) < 1", "place"),
      ("count IN {1, ⟦cuont⟧}", "count"), ("⟦creationdate⟧ == nil", "creationDate"),
      ("⟦Title⟧ == 'x'", "title"),
    ])
  func unknownKeys(_ marked: String, _ nearest: String) {
    let error = expectError(marked, schema: Shelf.schema)
    #expect(error?.remedy == .similarName(nearest))
    #expect(error?.message.hasPrefix("Did not find field: '") == true)
    #expect(error?.message.hasSuffix("' in type: 'Book'") == true)
  }

  @Test(
    "impossible comparisons are refused at their place",
    arguments: [
      "⟦count < 'abc'⟧", "title == 'x' AND ⟦'a' > count⟧", "⟦title < 5⟧", "⟦written > 5⟧",
      "⟦written >= '2024-05-01'⟧", "⟦title BETWEEN {1, 'z'}⟧", "⟦data < bytes('AA==')⟧",
      "⟦place < location(0, 0)⟧", "⟦author < 'x'⟧", "⟦creationDate < 5⟧", "⟦changeTag > 5⟧",
      "count BETWEEN ⟦{1}⟧", "count BETWEEN ⟦{1, 2, 3}⟧", "count BETWEEN ⟦5⟧",
      "⟦count⟧ BEGINSWITH 'x'", "title BEGINSWITH ⟦5⟧", "⟦names⟧ BEGINSWITH 'x'",
      "⟦parent⟧ BEGINSWITH 'x'", "⟦count⟧ CONTAINS 5", "⟦title CONTAINS 5⟧", "5 IN ⟦count⟧",
      "ANY ⟦title⟧ == 'x'", "ANY ⟦recordName⟧ == 'x'", "⟦names⟧ == 'x'", "title != ⟦names⟧",
      "⟦names⟧ == 5", "title == ⟦{'a'}⟧", "⟦{'a'}⟧ == title", "⟦names IN {'a'}⟧",
      "⟦names CONTAINS numbers⟧", "⟦cover == 'x'⟧",
      "⟦count.name⟧ == 1", "⟦title.length⟧ == 1", "⟦author.name.@sun⟧ == 1", "⟦nothing⟧.name == 1",
      "title MATCHES ⟦'('⟧", "title MATCHES ⟦'(a+)+'⟧", "title MATCHES[c] ⟦'(a'⟧",
      "⟦count⟧ MATCHES 'a'", "⟦count⟧ TOKENMATCHES 'a'", "names TOKENMATCHES ⟦5⟧",
      "count == ⟦$x⟧", "SUBQUERY(links, $x, $x.name == 1 AND ⟦$y⟧ == 1).@count == 0",
      "SUBQUERY(numbers, $x, ⟦$x⟧ BEGINSWITH 'x').@count == 0", "sum(⟦title⟧) == 1",
      "bitwiseAnd:with:(⟦price⟧, 1) == 1", "randomn:(⟦0⟧) == 1",
      "TERNARY(⟦count > 'x'⟧, 1, 2) == 1",
      "distanceToLocation:fromLocation:(⟦title⟧, location(0,0)) < 1",
      "distanceToLocation:fromLocation:(place, ⟦5⟧) < 1",
      "⟦distanceToLocation:fromLocation:(place, place) < 'x'⟧",
    ])
  func typeErrors(_ marked: String) {
    expectError(marked, schema: Shelf.schema)
  }

  @Test(
    "these predicates are accepted",
    arguments: [
      "title == nil", "names == nil", "cover == nil", "cover != nil", "data == bytes('AA==')",
      "count == 'x'", "count < price", "number < count", "names CONTAINS title", "title IN names",
      "ANY names IN {'a', 5}", "count BETWEEN {1, price}", "title BETWEEN {nil, 'x'}",
      "written < creationDate", "author == recordName", "#in == 1", "ANY {1, 2} == count",
      "names == names", "names == {'a'}", "author.name == 1", "author.next.name BEGINSWITH 'x'",
      "links.name CONTAINS 'x'", "ANY links.recordName == 'x'", "allTokens TOKENMATCHES[cdl] 'x'",
      "SUBQUERY(links, $x, $x.count > 5).@count > 1", "TERNARY(count > 5, title, other) == 'x'",
      "($x := count) > 5 AND $x < 7", "SELF == 'b1'", "SELF IN links",
      "distanceToLocation:fromLocation:(place, place) BETWEEN {0, 5}", "TRUEPREDICATE", "5 = 5",
    ])
  func allowed(_ text: String) {
    #expect(throws: Never.self) { try Shelf.bind(text) }
  }

  @Test(
    "M3.8: a bare argument takes the type it is compared with",
    arguments: [
      ("title == %@", "5", "title == \"5\""), ("count == %@", "5", "count == 5"),
      ("count < %@", "5.5", "count < 5.5"), ("price > %@", "5", "price > 5"),
      ("%@ <= price", "1e3", "1000.0 <= price"), ("number == %@", "2.5", "number == 2.5"),
      ("written > %@", "1970-01-02", "written > date(\"1970-01-02T00:00:00.000Z\")"),
      ("creationDate > %@", "86400000", "creationDate > date(\"1970-01-02T00:00:00.000Z\")"),
      ("author == %@", "asimov", "author == ref(\"asimov\")"),
      ("recordName == %@", "b1", "recordName == ref(\"b1\")"),
      ("data == %@", "AAE=", "data == bytes(\"AAE=\")"),
      ("place == %@", "1,2", "place == location(1.0, 2.0)"),
      ("numbers CONTAINS %@", "5", "numbers CONTAINS 5"),
      ("%@ IN times", "0", "date(\"1970-01-01T00:00:00.000Z\") IN times"),
      ("ANY links == %@", "x", "ANY links == ref(\"x\")"),
      ("count IN {1, %@}", "2", "count IN {1, 2}"),
      ("count BETWEEN {%@, 9}", "3", "count BETWEEN {3, 9}"),
      ("ANY numbers IN {%@}", "7", "ANY numbers IN {7}"), ("%@ == 1", "x", nil),
      ("nil == %@", "x", "nil == \"x\""),
      (
        "distanceToLocation:fromLocation:(place, %@) < 5", "1,2",
        "distanceToLocation:fromLocation:(place, location(1.0, 2.0)) < 5"
      ),
      (
        "distanceToLocation:fromLocation:(place, place) < %@", "2",
        "distanceToLocation:fromLocation:(place, place) < 2"
      ),
      ("changeTag == %@", "1f", "changeTag == \"1f\""), ("title IN {%@}", "1", "title IN {\"1\"}"),
    ] as [(String, String, String?)])
  func arguments(_ text: String, _ argument: String, _ bound: String?) throws {
    guard let bound else {
      #expect(throws: PredicateError.self) { try Shelf.bind(text, [.text(argument)]) }
      return
    }
    #expect(try Shelf.bind(text, [.text(argument)]).text == bound)
  }

  @Test(
    "an argument that is not a value of its type is refused at its place",
    arguments: [
      ("count == ⟦%@⟧", "x"), ("price < ⟦%@⟧", ""), ("written > ⟦%@⟧", "yesterday"),
      ("count IN {1, ⟦%@⟧}", "two"), ("place == ⟦%@⟧", "91,0"), ("data == ⟦%@⟧", "?"),
      ("ANY numbers == ⟦%@⟧", "one"), ("⟦%@⟧ IN times", "never"), ("cover == ⟦%@⟧", "x"),
      ("distanceToLocation:fromLocation:(place, ⟦%@⟧) < 5", "here"),
    ])
  func badArguments(_ marked: String, _ argument: String) {
    expectError(marked, [.text(argument)], schema: Shelf.schema)
  }

  @Test("typed arguments keep their types")
  func typedArguments() throws {
    let bound = try Shelf.bind("title == %@", [.value(.int64(5))])
    #expect(bound.text == "title == 5")
    expectError("⟦written > %@⟧", [.value(.string("2024-05-01"))], schema: Shelf.schema)
  }
}
