internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// The places that errors of predicate texts point at (P1.5.18: column, caret and a hint;
/// DS9: marker tests).
@Suite struct CaretTests {
  @Test(
    "P1.5.18: errors of Apple's syntax, and texts that are cut short",
    arguments: [
      "⟦⟧", "  ⟦⟧", "age⟦⟧", "age * 25⟦⟧", "age ==⟦=⟧ 25", "⟦,⟧", "(⟦)⟧", "a ==⟦⟧",
      "a ⟦CONATINS⟧ 'x'",
      "a ⟦CONTAIN⟧ 'x'", "a == 1 AND⟦⟧", "a == 1 ⟦b⟧", "a == 1 ⟦)⟧", "(a == 1⟦⟧", "NOT⟦⟧",
      "a == 1 AND ⟦OR⟧ b == 2", "a BETWEEN {1, 2⟦⟧", "a IN {1 ⟦2⟧}", "a IN {1,⟦}⟧", "a IN (1⟦,⟧ 2)",
      "a < 1 ⟦<⟧ 2", "a == b ⟦IN⟧ c", "ANY⟦⟧", "ANY ⟦TRUEPREDICATE⟧", "TRUEPREDICATE ⟦==⟧ 1",
      "a == ⟦AND⟧", "a == -⟦'x'⟧",
    ])
  func syntax(_ marked: String) {
    expectError(marked)
  }

  @Test("a minus at the end needs a number, so the error is at the end")
  func minusAtEnd() {
    expectError("a == -⟦⟧")
  }

  @Test(
    "P1.2: faults within a word are marked",
    arguments: [
      "a == ⟦'⟧abc", "a == ⟦\"⟧abc'", "a == 'abc⟦\\⟧", "a == '⟦\\u12'⟧", "a == 'é⟦\\x4'⟧",
      "a == '⟦\\u12g4⟧'", "a == '⟦\\ud800⟧'", "a == ⟦12x⟧", "a == ⟦1e⟧", "a == ⟦1e400⟧",
      "a == ⟦0x⟧", "a == ⟦0x10000000000000000⟧", "a == ⟦%d⟧ AND b == 1", "a == ⟦%⟧", "a == ⟦#⟧1",
      "⟦é⟧ == 1", "a == ⟦🧭⟧", "a ⟦;⟧ b", "a ⟦~⟧ 1", "'é' == ⟦ä⟧",
    ])
  func words(_ marked: String) {
    expectError(marked)
  }

  @Test(
    "P1.1.2: faults in the options after an operator are marked",
    arguments: [
      "a ==[⟦x⟧] 'x'", "a LIKE[⟦cx⟧] 'x'", "a CONTAINS[⟦]⟧ 'x'", "a CONTAINS[c⟦'x'⟧",
      "a ==[⟦1⟧] 'x'",
      "a CONTAINS[cd]⟦⟧", "a == 'x'[c⟦⟧", "ALL⟦⟧", "NONE a⟦⟧", "a ENDSWITH⟦⟧",
      "ANY ⟦ALL⟧ a == 1",
    ])
  func options(_ marked: String) {
    expectError(marked)
  }

  @Test(
    "P1.1: faults in paths, indices, variables and special forms are marked",
    arguments: [
      "a.⟦⟧", "a.⟦5⟧ == 1", "a.⟦(⟧b) == 1", "a[⟦]⟧ == 1", "a[1⟦⟧", "a[FIRST⟦.⟧b] == 1",
      "a == ⟦$⟧", "a == ⟦$⟧5", "$x ⟦:⟧ = 5", "$x := ⟦⟧", "⟦#⟧ == 1",
      "SUBQUERY(a, ⟦x⟧, $x = 1).@count == 1", "SUBQUERY(a⟦)⟧.@count == 1",
      "SUBQUERY(a, $x, ⟦)⟧ == 1", "TERNARY(a⟦,⟧ 1, 2) == 1", "TERNARY(a = 1, 1⟦)⟧ == 1",
      "a == ⟦tokenize⟧('x')", "FUNCTION(a, ⟦'system'⟧) == 1", "⟦FUNCTION⟧(a) == 1",
      "CAST(a, ⟦'NSData'⟧) == 1", "⟦SUBQUERY⟧ == 1", "a == ⟦cast⟧(1)",
      "a UTI-CONFORMS-TO⟦⟧", "a TOKENMATCHES[⟦q⟧] 'x'", "a MATCHES ⟦MATCHES⟧ 'x'",
    ])
  func forms(_ marked: String) {
    expectError(marked)
  }

  @Test(
    "faults in functions and their arguments are marked",
    arguments: [
      "a == ⟦reff⟧('x')", "a == ⟦ref⟧()", "a == ⟦ref⟧('a', 'b')", "a == ref(⟦1⟧)", "a == ref(⟦b⟧)",
      "a > date(⟦'yesterday'⟧)", "a > date(⟦5⟧)", "a == bytes(⟦'?'⟧)", "a == ⟦location⟧(1)",
      "a == ⟦location(91, 0)⟧", "a == ⟦location(0, -180.5)⟧", "a == ⟦location('1', 2)⟧",
      "a == ref('x'⟦⟧", "⟦distanceToLocation:fromLocation:⟧(a) < 1",
    ])
  func functions(_ marked: String) {
    expectError(marked)
  }

  @Test("a missing argument, an extra one, and a value for a key are errors")
  func arguments() {
    expectError("a == ⟦%@⟧")
    expectError("a == %@ AND b == ⟦%@⟧", [.text("x")])
    expectError("a == 1⟦⟧", [.text("x")])
    expectError("a == %@⟦⟧", [.text("x"), .text("y")])
    expectError("⟦%K⟧ == 1", [.value(.int64(1))])
  }

  @Test(
    "P1.5.18: the hint is the nearest keyword",
    arguments: [
      ("a ⟦CONATINS⟧ 'x'", "CONTAINS"), ("a ⟦BEGINWITH⟧ 'x'", "BEGINSWITH"),
      ("a ⟦BETWEN⟧ {1,2}", "BETWEEN"), ("a == 1 ⟦ADN⟧ b == 2", "AND"), ("a ⟦inn⟧ b", "IN"),
      ("a == ⟦dat⟧('x')", "date"), ("a ⟦MATCHS⟧ 'x'", "MATCHES"),
    ])
  func hints(_ marked: String, _ nearest: String) {
    #expect(expectError(marked)?.remedy == .similarName(nearest))
  }

  @Test("P1.2: a keyword in the place of a key may be a field's name")
  func keywordAsKey() {
    #expect(expectError("⟦ANYKEY⟧ == 1")?.remedy == "a field of that name is written #ANYKEY")
    #expect(expectError("a == ⟦OR⟧")?.remedy == "a field of that name is written #OR")
  }
}
