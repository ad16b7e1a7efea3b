internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// The limits of a predicate's size (T8; `Limits`).
@Suite struct LimitTests {
  private func times(_ count: Int, _ text: String) -> String {
    String(repeating: text, count: count)
  }

  @Test("the limit is 512 KiB of text")
  func length() throws {
    let frame = "a == ''"
    let filling = times((512 << 10) - frame.utf8.count - 1, "x")
    #expect(throws: Never.self) { try PredicateParser.parse("a == '\(filling)x'") }
    #expect(throws: PredicateError.self) { try PredicateParser.parse("a == '\(filling)é'") }
  }

  @Test("the limit is 200 levels of parentheses and NOT, in any mixture")
  func depth() throws {
    for (open, close) in [("(", ")"), ("NOT ", ""), ("!", ""), ("NOT(", ")")] {
      let levels = open == "NOT(" ? 2 : 1
      let fine = 199 / levels
      #expect(throws: Never.self, "\(open)") {
        try PredicateParser.parse(times(fine, open) + "a=1" + times(fine, close))
      }
      #expect(throws: PredicateError.self, "\(open)") {
        try PredicateParser.parse(times(fine + 1, open) + "a=1" + times(fine + 1, close))
      }
      #expect(throws: PredicateError.self, "\(open)") {
        try PredicateParser.parse(times(120_000, open) + "a=1" + times(120_000, close))
      }
    }
  }

  @Test("chains of AND and OR do not count as nesting")
  func chains() throws {
    let text = times(5000, "a = 1 AND b = 2 OR ") + "c = 3"
    guard case .or(let parts, _) = try PredicateParser.parse(text) else {
      Issue.record("no OR")
      return
    }
    #expect(parts.count == 5001)
  }

  @Test("the limit is 100,000 values in braces")
  func values() throws {
    let fine = "a IN {" + times(99_999, "1,") + "1}"
    guard case .comparison(let test) = try PredicateParser.parse(fine),
      case .aggregate(let items, _) = test.right
    else {
      Issue.record("no values")
      return
    }
    #expect(items.count == 100_000)
    expectError("a IN ⟦{⟧" + times(100_000, "1,") + "1}")
  }

  @Test("the limit is 200 links of a left-to-right chain of keys, indices and arithmetic")
  func links() {
    for link in [".a", "[0]", "[FIRST]", " + 1", " * 2", "**2", ".@count"] {
      #expect(throws: Never.self, "\(link)") {
        try PredicateParser.parse("a\(times(190, link)) = 1")
      }
      for count in [201, 100_000] {
        #expect(throws: PredicateError.self, "\(link)") {
          try PredicateParser.parse("a\(times(count, link)) = 1")
        }
      }
    }
    for form in ["SUBQUERY(a, $x, ", "TERNARY(", "abs(", "-", "$x := ", "{", "CAST("] {
      #expect(throws: PredicateError.self, "\(form)") {
        try PredicateParser.parse("a = \(times(10_000, form))")
      }
    }
  }

  @Test("chains in parentheses add up, and keys from %K count")
  func nestedChains() throws {
    var text = "a"
    for _ in 0..<60 { text = "(" + text + times(100, "+1") + ")" }
    #expect(throws: PredicateError.self) { try PredicateParser.parse(text + " == 1") }
    let keys = PredicateParser.Argument.text("a" + times(150, ".a"))
    #expect(throws: Never.self) { try PredicateParser.parse("%K == 1", arguments: [keys]) }
    let path = "%K" + times(9, ".%K") + " == 1"
    #expect(throws: PredicateError.self) {
      try PredicateParser.parse(path, arguments: Array(repeating: keys, count: 10))
    }
  }

  @Test("a NUL character is refused at its place; its escape is not")
  func nul() throws {
    expectError("a == 'x⟦\0⟧y'")
    expectError("a == ⟦\0⟧")
    #expect(throws: Never.self) { try PredicateParser.parse("a == 'x\\u0000y'") }
  }

  @Test("the limit is 200 levels of braces and functions, as for parentheses")
  func nestedValues() {
    for (open, close) in [("{", "}"), ("distanceToLocation:fromLocation:(a,", ")")] {
      #expect(throws: Never.self) {
        try PredicateParser.parse("a IN " + times(190, open) + "1" + times(190, close))
      }
      for count in [201, 1000, 10_000] {
        #expect(throws: PredicateError.self) {
          try PredicateParser.parse("a IN " + times(count, open) + "1" + times(count, close))
        }
      }
      let deep = times((512 << 10) / open.utf8.count - 10, open)
      #expect(throws: PredicateError.self) { try PredicateParser.parse("a IN " + deep) }
    }
  }
}
