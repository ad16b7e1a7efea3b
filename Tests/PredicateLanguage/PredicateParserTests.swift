internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// The meaning of predicate texts, shown by their canonical form (P1.1–P1.3, P1.6).
@Suite struct PredicateParserTests {
  private func canonical(
    _ text: String, _ arguments: [PredicateParser.Argument] = []
  ) throws -> String {
    try PredicateParser.parse(text, arguments: arguments).text
  }

  @Test(
    "P1.1: each construct has its canonical form",
    arguments: [
      ("TRUEPREDICATE", "TRUEPREDICATE"), ("(falsePredicate)", "FALSEPREDICATE"),
      ("a = 1", "a == 1"), ("a == 1", "a == 1"), ("a <> 1", "a != 1"), ("a != 1", "a != 1"),
      ("a =< 1", "a <= 1"), ("a <= 1", "a <= 1"), ("a => 1", "a >= 1"), ("a >= 1", "a >= 1"),
      ("a<1", "a < 1"), ("a>1", "a > 1"), ("a=-1", "a == -1"), ("a<-1", "a < -1"),
      ("a between {1,3}", "a BETWEEN {1, 3}"), ("a In {1 , 'x'}", "a IN {1, \"x\"}"),
      ("a in { }", "a IN {}"), ("a contains 'x'", "a CONTAINS \"x\""),
      ("a BeginsWith 'x'", "a BEGINSWITH \"x\""), ("5 = 5", "5 == 5"), ("nil = NULL", "nil == nil"),
      ("some a = 1", "ANY a == 1"), ("ANY {1} = a", "ANY {1} == a"), ("'x' in a", "\"x\" IN a"),
      ("a == b", "a == b"), ("a = yes", "a == 1"), ("a = TRUE", "a == 1"), ("a = no", "a == 0"),
      ("a = False", "a == 0"), ("a BETWEEN 25", "a BETWEEN 25"),
      ("a = ref('x')", "a == ref(\"x\")"),
      ("a > date('2024-05-01')", "a > date(\"2024-05-01T00:00:00.000Z\")"),
      ("a = bytes('AAE=')", "a == bytes(\"AAE=\")"),
      ("a = location(51.5, -1)", "a == location(51.5, -1.0)"),
      (
        "distanceToLocation:fromLocation:(a, location(0,0)) < 5e3",
        "distanceToLocation:fromLocation:(a, location(0.0, 0.0)) < 5000.0"
      ),
      (
        "distanceToLocation:fromLocation(a,b) < 1",
        "distanceToLocation:fromLocation:(a, b) < 1"
      ),
    ])
  func constructs(_ text: String, _ printed: String) throws {
    #expect(try canonical(text) == printed)
  }

  @Test(
    "P1.3, P1.6: NOT before AND before OR; compounds in compounds are parenthesised",
    arguments: [
      ("a=1 and b=2 or c=3", "(a == 1 AND b == 2) OR c == 3"),
      ("a=1 or b=2 and c=3", "a == 1 OR (b == 2 AND c == 3)"),
      ("(a=1 or b=2) and c=3", "(a == 1 OR b == 2) AND c == 3"),
      ("not a=1 and b=2", "(NOT a == 1) AND b == 2"),
      ("!a=1&&!b=2||c=3", "((NOT a == 1) AND (NOT b == 2)) OR c == 3"),
      ("NOT (a=1 AND b=2)", "NOT (a == 1 AND b == 2)"), ("not not a=1", "NOT (NOT a == 1)"),
      ("NOT extraInt BETWEEN {1,3}", "NOT extraInt BETWEEN {1, 3}"),
      ("a=1 AND b=2 AND c=3", "a == 1 AND b == 2 AND c == 3"),
      ("(a=1 AND b=2) AND c=3", "(a == 1 AND b == 2) AND c == 3"), ("((a=1))", "a == 1"),
      ("a=1 and(b=2)or(c=3)", "(a == 1 AND b == 2) OR c == 3"),
    ])
  func precedence(_ text: String, _ printed: String) throws {
    #expect(try canonical(text) == printed)
  }

  @Test(
    "P1.2.4, P1.2.5: strings and their escapes",
    arguments: [
      ("'a\"b'", "a\"b"), ("\"a'b\"", "a'b"), (#"'\'\\\q'"#, "'\\q"), (#"'\101\x41\u0041'"#, "AAA"),
      (#"'\u00e9'"#, "\u{E9}"), ("'%@ $x #y'", "%@ $x #y"), ("''", ""), ("'é🧭'", "é🧭"),
      ("'a\nb'", "a\nb"), (#"'\0001'"#, "\u{0}1"), (#"'\9'"#, "9"), (#"'\x4a4'"#, "J4"),
    ])
  func strings(_ text: String, _ value: String) throws {
    guard case .comparison(let comparison) = try PredicateParser.parse("a = \(text)"),
      case .value(let found, _) = comparison.right
    else {
      Issue.record("no comparison with a value")
      return
    }
    #expect(found == .string(value))
  }

  @Test(
    "P1.2.7, P1.2.12: numbers; integers are 64 bits, larger ones are doubles",
    arguments: [
      ("12", .int64(12)), ("-3", .int64(-3)), ("1.5", .double(1.5)), ("1e10", .double(1e10)),
      ("1.5E-3", .double(0.0015)), ("0x1F", .int64(31)), ("0X1f", .int64(31)),
      ("9223372036854775807", .int64(.max)), ("-9223372036854775808", .int64(.min)),
      ("9223372036854775808", .double(0x1p63)), ("-0.0", .double(-0.0)), ("007", .int64(7)),
      ("- 5", .int64(-5)), ("1e+2", .double(100)),
    ] as [(String, FieldValue)])
  func numbers(_ text: String, _ value: FieldValue) throws {
    guard case .comparison(let comparison) = try PredicateParser.parse("a = \(text)"),
      case .value(let found, _) = comparison.right
    else {
      Issue.record("no comparison with a value")
      return
    }
    #expect(found == value)
  }

  @Test(
    "P1.2.11: an argument can be a list, in a list too, or no value",
    arguments: [
      ("a IN %@", [.list([.text("x"), .value(.int64(2))])], #"a IN {"x", 2}"#),
      ("a IN %@", [.list([])], "a IN {}"),
      ("a BETWEEN %@", [.list([.value(.double(0.5)), .value(.int64(9))])], "a BETWEEN {0.5, 9}"),
      ("a == %@ OR b IN {%@, 3}", [.null, .value(.int64(1))], "a == nil OR b IN {1, 3}"),
    ] as [(String, [PredicateParser.Argument], String)])
  func lists(_ text: String, _ arguments: [PredicateParser.Argument], _ printed: String) throws {
    #expect(try canonical(text, arguments) == printed)
  }

  @Test("P1.2.6, P1.2.13: #word is a key even if reserved; FIRST, LAST, SIZE are bare keys too")
  func keys() throws {
    for word in ["in", "AND", "True", "nil", "SELF", "ci", "title"] {
      guard case .comparison(let test) = try PredicateParser.parse("#\(word) = 1"),
        case .key(word, _) = test.left
      else {
        Issue.record("\(word) is not a key")
        continue
      }
    }
    #expect(try canonical("size == 2 AND First = 1") == "#size == 2 AND #First == 1")
    #expect(try canonical("#title == 1") == "title == 1")
    #expect(try canonical("ref = date AND location > bytes") == "ref == date AND location > bytes")
  }

  @Test("M2.10: arguments fill %@ and %K in order; within quotes they are literal")
  func arguments() throws {
    let text = "%K == %@ AND b IN {%@, '%@'}"
    let arguments: [PredicateParser.Argument] = [
      .text("in"), .value(.int64(7)), .text("x"),
    ]
    #expect(try canonical(text, arguments) == "#in == 7 AND b IN {\"x\", \"%@\"}")
    #expect(try canonical("a = ref(%@)", [.text("n")]) == "a == ref(\"n\")")
    #expect(try canonical("a > date(%@)", [.text("1970-01-01")]).contains("1970-01-01T00"))
    let place = try canonical("a = location(%@, %@)", [.text("1"), .value(.double(2))])
    #expect(place == "a == location(1.0, 2.0)")
  }

  @Test("no text crashes the parser, and the place of an error is within the text")
  func mutations() {
    var source = RandomPredicates(seed: 3)
    for _ in 0..<2000 {
      var bytes = Array(source.next(depth: 2).text.utf8)
      for _ in 0..<source.pick([1, 2, 3]) {
        let place = source.pick(Array(bytes.indices))
        bytes[place] = source.pick(Array("'\"\\{}()<>=!&|%#@,.-+*/$[]:é x0e".utf8))
      }
      let text = String(decoding: bytes, as: UTF8.self)
      do throws(PredicateError) {
        let predicate = try PredicateParser.parse(text)
        #expect(predicate.span.upperBound <= text.utf8.count)
      } catch {
        #expect(error.span.upperBound <= text.utf8.count, "\(text)")
      }
    }
  }
}
