internal import Basics
internal import Testing

/// JSON text that reads back as the value written (M4.8).
@Suite struct JSONWriterTests {
  @Test("parse(write(x)) is x, and write(parse(text)) is the text")
  func roundTrip() throws {
    var random = SplitMix64(state: 5)
    for _ in 0..<2000 {
      let text = random.json().text
      let read = try JSONParser.parse(text)
      #expect(utf8Equal(read.text, text))
      #expect(try JSONParser.parse(read.text) == read)
    }
  }

  @Test("strings of any length keep every scalar")
  func strings() throws {
    var random = SplitMix64(state: 6)
    for _ in 0..<3000 {
      let text = random.text(40)
      let read = try JSONParser.parse(JSONValue.string(text).text).string ?? "none"
      #expect(utf8Equal(read, text))
    }
  }

  @Test("M4.8: control characters are \\u00XX, all else but quote and backslash UTF-8")
  func escapes() {
    for code in UInt32(0)...0x2FF {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let isControl = code < 0x20 || (0x7F...0x9F).contains(code)
      let hexadecimal = String(code, radix: 16)
      let escape =
        isControl
        ? "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        : code == 0x22 || code == 0x5C ? "\\" + String(scalar) : String(scalar)
      for around in ["", "abcdefghijk", "é"] {
        let text = around + String(scalar) + around
        #expect(utf8Equal(JSONValue.string(text).text, "\"\(around)\(escape)\(around)\""))
      }
    }
  }

  @Test("M4.8: integers are exact, doubles always have a fraction or an exponent")
  func numbers() throws {
    var random = SplitMix64(state: 7)
    for _ in 0..<2000 {
      let number = random.double()
      let text = JSONValue.double(number).text
      #expect(text.contains { $0 == "." || $0 == "e" })
      guard case .double(let read) = try JSONParser.parse(text) else {
        Issue.record("\(text)")
        continue
      }
      #expect(read.bitPattern == number.bitPattern)
      let integer = Int64(bitPattern: random.next()) >> Int64(random.below(64))
      #expect(JSONValue.int(integer).text == String(integer))
    }
    #expect(JSONValue.double(394).text == "394.0")
  }

  @Test("the order is fixed, and there are no blanks")
  func form() {
    let value = JSONValue.object([
      JSONMember("b", .array([.int(1), .null, .bool(true)])), JSONMember("a", .object([])),
    ])
    #expect(value.text == #"{"b":[1,null,true],"a":{}}"#)
  }
}
