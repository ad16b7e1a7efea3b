internal import Basics
internal import Testing

/// Valid JSON and its meaning (RFC 8259; M4.8: INT64 exact, DOUBLE round-trips).
@Suite struct JSONParserTests {
  @Test(
    "RFC 8259 §3–§7: literals, numbers, strings, arrays, objects, blanks",
    arguments: [
      ("null", .null), (" true ", .bool(true)), ("\n\r\tfalse", .bool(false)), ("0", .int(0)),
      ("-0", .int(0)), ("0.0", .double(0)), ("1e2", .double(100)), ("1E+2", .double(100)),
      ("25e-1", .double(2.5)), (#""""#, .string("")), (#""a/b\/c""#, .string("a/b/c")),
      (#""\"\\\b\f\n\r\t""#, .string("\"\\\u{8}\u{C}\n\r\t")),
      (#""\u00e9\u0000\uFFFF""#, .string("\u{E9}\0\u{FFFF}")),
      (#""\ud83e\udded""#, .string("🧭")), ("\"\u{7F}\u{2028}\"", .string("\u{7F}\u{2028}")),
      ("[]", .array([])), ("[ 1 , [ ] ]", .array([.int(1), .array([])])), ("{ }", .object([])),
      (
        #"{"b":1,"":{"a":null}}"#,
        .object([
          JSONMember("b", .int(1), offset: 5),
          JSONMember("", .object([JSONMember("a", .null, offset: 15)]), offset: 10),
        ])
      ),
    ] as [(String, JSONValue)])
  func values(_ text: String, _ value: JSONValue) throws {
    #expect(try JSONParser.parse(text) == value)
  }

  @Test("integers are exact within 64 bits and out of range beyond, never rounded")
  func integers() throws {
    for number in [Int64.max, .max - 1, .min, .min + 1, 1 << 53 + 1] {
      #expect(try JSONParser.parse(String(number)) == .int(number))
    }
    for text in ["9223372036854775808", "-9223372036854775809", "18446744073709551616"] {
      #expect(try JSONParser.parse(text) == .outOfRange(text))
    }
  }

  @Test("a double has the value of Swift's own Double(_:), in every spelling")
  func doubles() throws {
    var random = SplitMix64(state: 3)
    var texts = [
      "2.2250738585072011e-308", "1.7976931348623157e308", "4.9e-324", "1e-400", "-0.0", "1e22",
      "9007199254740993.0", "9007199254740992.5", "1e23", "123456789012345678901234567890.5",
      "0.1e1", "0.000000000000000000000000000001", "1e-99999999999999999999", "-0e9",
    ]
    for _ in 0..<4000 {
      texts.append(random.double().magnitude.description)
      let digits = String(random.next() >> UInt64(random.below(60)))
      texts.append("\(digits).\(random.below(100_000))e\(random.below(80) - 40)")
      texts.append("-\(digits)e\(random.below(40) - 20)")
    }
    for text in texts {
      guard case .double(let value) = try JSONParser.parse(Self.asDouble(text)) else {
        Issue.record("\(text) is no double")
        continue
      }
      #expect(value.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
    for text in ["1e309", "-1e309", "1e99999999999999999999"] {
      #expect(try JSONParser.parse(text) == .outOfRange(text))
    }
  }

  /// The text of a double: digits alone would be an integer.
  private static func asDouble(_ text: String) -> String {
    text.contains { $0 == "." || $0 == "e" } ? text : text + ".0"
  }

  @Test("RFC 8259 §4: names are unique, compared by their bytes")
  func duplicateNames() throws {
    expectError(at: 7) { () throws(JSONError) in try JSONParser.parse(#"{"a":1,"a":2}"#) }
    expectError(at: 7) { () throws(JSONError) in try JSONParser.parse(#"{"a":1,"\u0061":2}"#) }
    #expect(try JSONParser.parse(#"{"a":1,"b":{"a":2}}"#)["b"]?["a"] == .int(2))
  }

  @Test("DS10: composed and decomposed names are different names")
  func canonicallyEqualNames() throws {
    let value = try JSONParser.parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(value["e\u{301}"] == .int(2))
  }

  @Test("at most 128 levels, arrays and objects alike")
  func depth() throws {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), (" [ ", " ] ")] {
      #expect(throws: Never.self) { try JSONParser.parse(nested(128, open, close)) }
      #expect(throws: JSONError.self) { try JSONParser.parse(nested(129, open, close)) }
      #expect(throws: JSONError.self) { try JSONParser.parse(nested(100_000, open, close)) }
    }
    expectError(at: 128) { () throws(JSONError) in try JSONParser.parse(nested(129, "[", "]")) }
  }
}

/// Expects an error of a parser at a byte.
func expectError(
  at offset: Int, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws(JSONError) -> JSONValue
) {
  do {
    let value = try body()
    Issue.record("no error, but \(value). \(comment ?? "")", sourceLocation: sourceLocation)
  } catch {
    #expect(error.offset == offset, comment, sourceLocation: sourceLocation)
    #expect(!error.message.isEmpty, sourceLocation: sourceLocation)
  }
}
