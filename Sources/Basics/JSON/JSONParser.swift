/// Parses JSON text (RFC 8259) strictly: UTF-8, unique member names, at most 128 levels deep,
/// integers within 64 bits, finite numbers.
public struct JSONParser {
  let bytes: UnsafeRawBufferPointer
  var place = 0
  var depth = 0
  static let deepest = 128

  /// Parses a text that contains one value, and nothing after it.
  public static func parse(_ text: String) throws(JSONError) -> JSONValue {
    var text = text
    let result = text.withUTF8 { bytes -> Result<JSONValue, JSONError> in
      do throws(JSONError) {
        return .success(try parse(UnsafeRawBufferPointer(bytes)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Parses bytes that contain one value, and nothing after it.
  public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    if let offset = bytes.firstInvalidUTF8 {
      throw JSONError("the text is not UTF-8", at: offset)
    }
    var parser = JSONParser(bytes)
    parser.skipBlanks()
    let value = try parser.value()
    parser.skipBlanks()
    guard parser.place == bytes.count else {
      throw JSONError("unexpected text after the value", at: parser.place)
    }
    return value
  }

  /// Passes the members of one object to `body` as they are read, without building a tree; `body`
  /// returns false to stop. Returns whether the text was one complete, valid object and `body`
  /// accepted all members; otherwise `parse` reports the reason.
  ///
  /// `body` must detect duplicate names.
  public static func eachMember(
    of bytes: UnsafeRawBufferPointer, _ body: (consuming JSONMember) -> Bool
  ) -> Bool {
    guard bytes.firstInvalidUTF8 == nil else { return false }
    var parser = JSONParser(bytes)
    do throws(JSONError) { return try parser.eachMember(body) } catch { return false }
  }

  private mutating func eachMember(
    _ body: (consuming JSONMember) -> Bool
  ) throws(JSONError) -> Bool {
    skipBlanks()
    guard current == UInt8(ascii: "{") else { return false }
    depth = 1
    place += 1
    skipBlanks()
    repeat {
      guard body(try member()) else { return false }
    } while try !endOfItem(UInt8(ascii: "}"), "")
    skipBlanks()
    return place == bytes.count
  }

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Starts before the value of a text. Throws `JSONError` if the text is not UTF-8.
  public init(walking bytes: UnsafeRawBufferPointer) throws(JSONError) {
    if let offset = bytes.firstInvalidUTF8 {
      throw JSONError("the text is not UTF-8", at: offset)
    }
    self.bytes = bytes
    skipBlanks()
  }

  var current: UInt8 { place < bytes.count ? bytes[place] : 0 }

  mutating func skipBlanks() {
    while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
  }

  /// Whether a byte is white space between tokens (RFC 8259, §2).
  @inline(__always)
  public static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  mutating func value() throws(JSONError) -> JSONValue {
    switch current {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return try nested { (parser) throws(JSONError) in try parser.object() }
    case UInt8(ascii: "["): return try nested { (parser) throws(JSONError) in try parser.array() }
    case UInt8(ascii: "-"), 0x30...0x39: return try number()
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw unexpected("a value")
    }
  }

  func unexpected(_ expected: String) -> JSONError {
    place < bytes.count
      ? JSONError("expected \(expected)", at: place)
      : JSONError("expected \(expected), but the text ends", at: place)
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError)
    -> JSONValue
  {
    let end = place + word.utf8CodeUnitCount
    guard end <= bytes.count,
      bytes[place..<end].elementsEqual(
        UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    else { throw unexpected("a value") }
    place = end
    return value
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    depth += 1
    guard depth <= Self.deepest else { throw tooDeep }
    place += 1
    skipBlanks()
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func array() throws(JSONError) -> JSONValue {
    var items: [JSONValue] = []
    if current == UInt8(ascii: "]") {
      place += 1
      return .array(items)
    }
    items.reserveCapacity(8)
    while true {
      items.append(try value())
      if try endOfItem(UInt8(ascii: "]"), "\",\" or \"]\"") { return .array(items) }
    }
  }

  private mutating func object() throws(JSONError) -> JSONValue {
    var members: [JSONMember] = []
    var names = NamesMet()
    members.reserveCapacity(16)
    if current == UInt8(ascii: "}") {
      place += 1
      return .object(members)
    }
    while true {
      let start = place
      let member = try member()
      guard names.insert(member.name) else { throw Self.twice(member.name, at: start) }
      members.append(member)
      if try endOfItem(UInt8(ascii: "}"), "\",\" or \"}\"") { return .object(members) }
    }
  }

  private mutating func member() throws(JSONError) -> JSONMember {
    let name = try memberName()
    let offset = place
    return JSONMember(name, try value(), offset: offset)
  }

  /// Reads a name and its colon.
  mutating func memberName() throws(JSONError) -> String {
    guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
    let name = try string()
    skipBlanks()
    guard current == UInt8(ascii: ":") else { throw unexpected("\":\"") }
    place += 1
    skipBlanks()
    return name
  }

  static func twice(_ name: String, at offset: Int) -> JSONError {
    JSONError("the name \"\(name)\" appears twice", at: offset)
  }

  var tooDeep: JSONError {
    JSONError("nested more than \(Self.deepest) levels deep", at: place)
  }

  /// Reads the separator after an item: true for the closing bracket, false for a comma.
  mutating func endOfItem(
    _ close: UInt8, _ expected: String
  ) throws(JSONError) -> Bool {
    skipBlanks()
    let mark = current
    guard mark == close || mark == UInt8(ascii: ",") else { throw unexpected(expected) }
    place += 1
    if mark == close { return true }
    skipBlanks()
    return false
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = place
    let isNegative = current == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let firstDigit = place
    var digits = 0
    var mantissa: UInt64 = 0
    var overflows = false
    scanDigits(&mantissa, &digits, &overflows)
    guard digits > 0 else { throw unexpected("a digit") }
    if digits > 1, bytes[firstDigit] == 0x30 {
      throw JSONError("a number cannot begin with 0", at: start)
    }
    guard current == UInt8(ascii: ".") || current | 0x20 == UInt8(ascii: "e") else {
      return integer(mantissa, isNegative, overflows, from: start)
    }
    var fraction = 0
    if current == UInt8(ascii: ".") {
      place += 1
      scanDigits(&mantissa, &fraction, &overflows)
      guard fraction > 0 else { throw unexpected("a digit") }
    }
    let exponent = try exponent()
    if !overflows, mantissa < 1 << 53, let scale = Self.exactScale(exponent - fraction) {
      let value = scale.isDivisor ? Double(mantissa) / scale.power : Double(mantissa) * scale.power
      return .double(isNegative ? -value : value)
    }
    return slowDouble(from: start)
  }

  private mutating func scanDigits(
    _ mantissa: inout UInt64, _ count: inout Int, _ overflows: inout Bool
  ) {
    while place < bytes.count {
      let digit = bytes[place] &- 0x30
      if digit > 9 { return }
      let (tens, tooLarge) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, tooLargeSum) = tens.addingReportingOverflow(UInt64(digit))
      overflows = overflows || tooLarge || tooLargeSum
      mantissa = sum
      count += 1
      place += 1
    }
  }

  private func integer(
    _ magnitude: UInt64, _ isNegative: Bool, _ overflows: Bool, from start: Int
  ) -> JSONValue {
    let limit = UInt64(Int64.max) + (isNegative ? 1 : 0)
    guard !overflows, magnitude <= limit else {
      return .outOfRange(text(start..<place))
    }
    return .int(isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude))
  }

  private mutating func exponent() throws(JSONError) -> Int {
    guard current | 0x20 == UInt8(ascii: "e") else { return 0 }
    place += 1
    let isNegative = current == UInt8(ascii: "-")
    if isNegative || current == UInt8(ascii: "+") { place += 1 }
    var value: UInt64 = 0
    var digits = 0
    var overflows = false
    scanDigits(&value, &digits, &overflows)
    guard digits > 0 else { throw unexpected("a digit") }
    let clamped = Int(min(value, 100_000))
    return overflows ? 100_000 : (isNegative ? -clamped : clamped)
  }

  /// Powers of ten that a Double represents exactly: with a mantissa below 2^53 one multiplication
  /// or division rounds correctly.
  private static func exactScale(_ exponent: Int) -> (power: Double, isDivisor: Bool)? {
    guard abs(exponent) <= 22 else { return nil }
    return (powersOfTen[abs(exponent)], exponent < 0)
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  private func slowDouble(from start: Int) -> JSONValue {
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    guard let value = Double(text), value.isFinite else { return .outOfRange(text) }
    return .double(value)
  }

  // MARK: Strings

  /// Skips a string, which must be valid.
  mutating func skipString() throws(JSONError) {
    let start = place
    place += 1
    scanPlain()
    if current == UInt8(ascii: "\""), place < bytes.count {
      place += 1
      return
    }
    place = start
    _ = try string()
  }

  private mutating func string() throws(JSONError) -> String {
    let start = place + 1
    place = start
    scanPlain()
    if current == UInt8(ascii: "\""), place < bytes.count {
      let text = text(start..<place)
      place += 1
      return text
    }
    return try stringWithEscapes(from: start)
  }

  /// Skips everything up to a quote, a backslash or a control character.
  private mutating func scanPlain() {
    while place + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let marks = Self.specialBytes(UInt64(littleEndian: word))
      guard marks == 0 else {
        place += marks.trailingZeroBitCount >> 3
        return
      }
      place += 8
    }
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
      place += 1
    }
  }

  /// The highest bit of each of eight bytes that is a quote, a backslash or below 0x20. Only the
  /// lowest set bit is reliable, because a borrow may propagate from there.
  private static func specialBytes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    func zeros(_ x: UInt64) -> UInt64 { (x &- ones) & ~x & highs }
    let controls = (word &- ones &* 0x20) & ~word & highs
    return zeros(word ^ (ones &* 0x22)) | zeros(word ^ (ones &* 0x5C)) | controls
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
    var text = text(start..<place)
    while true {
      guard place < bytes.count else { throw unexpected("a closing quote") }
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place += 1
        return text
      case UInt8(ascii: "\\"):
        text.unicodeScalars.append(try escape())
      case ..<0x20:
        throw JSONError("an unescaped control character in the string", at: place)
      default:
        let run = place
        scanPlain()
        text += self.text(run..<place)
      }
    }
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    let start = place
    place += 1
    defer { place += 1 }
    switch current {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape(from: start)
    default: throw JSONError("unknown escape", at: start)
    }
  }

  /// Reads `u` and four digits, and the second half of a surrogate pair after it; ends at the last
  /// digit.
  private mutating func unicodeEscape(from start: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try fourDigits(from: start)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, place + 2 < bytes.count, bytes[place + 1] == UInt8(ascii: "\\"),
      bytes[place + 2] == UInt8(ascii: "u")
    else { throw JSONError("unpaired surrogate", at: start) }
    place += 2
    let second = try fourDigits(from: start)
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw JSONError("unpaired surrogate", at: start) }
    return scalar
  }

  private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      place += 1
      guard let digit = Character(Unicode.Scalar(current)).hexDigitValue, current < 0x80 else {
        throw JSONError("\\u needs four hexadecimal digits", at: start)
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
