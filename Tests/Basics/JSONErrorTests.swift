internal import Basics
internal import Testing

/// Invalid JSON, and the byte of the error: `⟦` precedes it (RFC 8259; DS9, markers).
@Suite struct JSONErrorTests {
  @Test(
    "the error is at the mark",
    arguments: [
      "⟦", "  ⟦", "⟦nul", "⟦True", "⟦+1", "⟦.5", "-⟦", "-⟦a", "⟦01", "⟦-01", "1.⟦", "1.⟦e5",
      "1e⟦", "1e+⟦", "1⟦x", "1 ⟦2", "null ⟦null", "[⟦", "[⟦,", "[1⟦", "[1 ⟦2]", "[1,⟦]", "[1⟦}",
      "{⟦", "{⟦1:2}", "{\"a\"⟦", "{\"a\" ⟦1}", "{\"a\":⟦}", "{\"a\":1⟦", "{\"a\":1,⟦}", "{⟦'a':1}",
      "\"⟦", "\"abc⟦", "\"abcdefghijk\\\\⟦", "\"a⟦\\x\"", "\"a⟦\\", "\"⟦\\u12\"", "\"⟦\\u12g4\"",
      "\"⟦\\ud800\"", "\"⟦\\ud800x\"", "\"⟦\\ud800\\n\"", "\"⟦\\ud800\\ud800\"", "\"⟦\\udc00\"",
      "\"ab⟦\nc\"", "\"0123456789⟦\t\"", "\"⟦\0\"", "[1]⟦]", "{}⟦,", "⟦/* */1", "⟦NaN", "⟦é",
      "[\"é\", ⟦x]", "⟦\u{FEFF}1",
    ])
  func marked(_ marked: String) {
    let parts = marked.split(separator: "⟦", omittingEmptySubsequences: false)
    expectError(at: parts[0].utf8.count, "\(marked)") { () throws(JSONError) in
      try JSONParser.parse(parts.joined())
    }
  }

  @Test("RFC 8259 §7: every control character must be escaped, anywhere in a string")
  func controlCharacters() {
    for control in 0..<0x20 {
      for before in 0..<17 {
        let text =
          "\"" + String(repeating: "x", count: before)
          + String(Unicode.Scalar(UInt8(control))) + String(repeating: "y", count: 9) + "\""
        expectError(at: 1 + before) { () throws(JSONError) in try JSONParser.parse(text) }
      }
    }
  }

  @Test("RFC 8259 §8.1: invalid UTF-8 is an error at its first byte")
  func invalidUTF8() {
    for bad in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]
      as [[UInt8]]
    {
      for before in [0, 3, 8, 40] {
        let bytes = [0x22] + [UInt8](repeating: 0x61, count: before) + bad + [0x22]
        expectError(at: before + 1) { () throws(JSONError) in
          try bytes.withJSON { (bytes) throws(JSONError) in try JSONParser.parse(bytes) }
        }
      }
    }
  }

  @Test("a truncated or changed text never crashes the parser; errors lie within the text")
  func mutations() {
    var random = SplitMix64(state: 4)
    for _ in 0..<1500 {
      var bytes = Array(random.json().text.utf8)
      for _ in 0..<random.below(3) where !bytes.isEmpty {
        bytes[random.below(bytes.count)] = random.pick(Array("\"\\{}[]:,u0e-.\n\u{7F}é".utf8))
      }
      bytes.removeLast(random.below(bytes.count + 1) / 3)
      do throws(JSONError) {
        _ = try bytes.withJSON { (bytes) throws(JSONError) in try JSONParser.parse(bytes) }
      } catch {
        #expect((0...bytes.count).contains(error.offset))
      }
    }
  }
}

extension [UInt8] {
  /// Passes the bytes in place, with a typed error.
  func withJSON<Value>(
    _ body: (UnsafeRawBufferPointer) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    let result = withUnsafeBytes { bytes -> Result<Value, JSONError> in
      do throws(JSONError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
