internal import PredicateLanguage
internal import Testing

/// What may follow a predicate that is being typed (P1.2): the grammar's part of completion.
@Suite struct PredicateEndingTests {
  typealias Expected = PredicateEnding.Expected

  private func expected(_ text: String) -> Expected? { PredicateEnding(text)?.expected }

  @Test(
    "a comparison begins with an operand",
    arguments: ["", "NOT ", "(", "a == 1 AND ", "a == 1 OR NOT (", "ANY ", "sum(", "sum(a, "])
  func operands(_ text: String) {
    #expect(expected(text) == .operand)
    #expect(PredicateEnding(text + "ti")?.word == "ti")
    #expect(expected(text + "ti") == .operand)
  }

  @Test("an operator follows an operand, and has its key path")
  func comparisons() {
    #expect(expected("year ") == .comparison(of: ["year"]))
    #expect(expected("ANY artists.name BEG") == .comparison(of: ["artists", "name"]))
    #expect(expected("NOT (year ") == .comparison(of: ["year"]))
    #expect(expected("#order ") == .comparison(of: ["order"]))
    #expect(expected("abs(year) ") == .comparison(of: nil))
    #expect(expected("year + 1 ") == .comparison(of: nil))
    #expect(expected("(year + 1) ") == .comparison(of: nil))
  }

  @Test("a value follows an operator, and has the key path of the other side")
  func values() {
    for text in ["year == ", "year > ", "year IN {1, ", "year BETWEEN { ", "year ==[c] "] {
      #expect(expected(text) == .value(of: ["year"]), "\(text)")
    }
    let open = PredicateEnding("title == 'New Yo")
    #expect(open?.expected == .value(of: ["title"]))
    #expect(open?.word == "New Yo" && open?.quote == "'")
    #expect(PredicateEnding(#"title == "it's"#)?.word == "it's")
    #expect(PredicateEnding("year > 18")?.word == "18")
  }

  @Test("a dot is followed by a key of the path's target")
  func paths() {
    #expect(expected("artist.") == .key(after: ["artist"]))
    #expect(expected("ANY artists.na") == .key(after: ["artists"]))
    #expect(expected("year == artist.bo") == .key(after: ["artist"]))
    #expect(expected("x > 1.5") == .value(of: ["x"]))
  }

  @Test("a connective follows a whole comparison")
  func connectives() {
    for text in [
      "year == 1 ", "title == 'x' AN", "TRUEPREDICATE ", "year IN {1, 2} ", "(a == 1) ",
      "a BETWEEN {1, 2} ", "artist == ref('x') ", "a == nil ",
    ] {
      #expect(expected(text) == .connective, "\(text)")
    }
  }

  @Test("ref('…') takes a record name")
  func references() {
    #expect(expected("artist == ref('bl") == .recordName)
    #expect(expected("artist IN {ref('a'), ref('") == .recordName)
  }

  @Test("a text that no predicate begins with has no ending")
  func nothing() { #expect(PredicateEnding("a == 1e999 ") == nil) }

  @Test("any prefix of a predicate has an ending")
  func beginnings() {
    let text =
      "NOT (ANY artists.name ==[cd] 'a\\'b' OR SUBQUERY(l, $x, $x > 1).@count > {1}) AND x[0] < 2"
    for length in 0...text.count {
      #expect(PredicateEnding(String(text.prefix(length))) != nil, "\(text.prefix(length))")
    }
  }
}
