/// Base64 as in RFC 4648, §4.
public enum Base64 {
  private static let digits = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The text of the bytes, with padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
      var length = 0
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let count = min(3, bytes.count - start)
        var bits = Int(bytes[start]) << 16
        if count > 1 { bits |= Int(bytes[start + 1]) << 8 }
        if count > 2 { bits |= Int(bytes[start + 2]) }
        for place in 0..<4 {
          text[length] = place <= count ? digits[bits >> (18 - 6 * place) & 0x3F] : padding
          length += 1
        }
      }
      return length
    }
  }

  /// Decodes a text; nil unless it is the output of `encode`.
  public static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

  private static func decode(_ text: [UInt8]) -> [UInt8]? {
    let paddingCount = text.suffix(2).reversed().prefix { $0 == padding }.count
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (bits, bitCount) = (0, 0)
    for digit in text.dropLast(paddingCount) {
      guard let value = value(of: digit) else { return nil }
      (bits, bitCount) = ((bits << 6 | value) & 0xFFFF, bitCount + 6)
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    // The unused bits of an encoder's output are zero (§3.5).
    return bits & (1 << bitCount - 1) == 0 ? bytes : nil
  }

  /// The text of the bytes with the alphabet for URLs, without padding (RFC 4648, §5).
  public static func encodeURL(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    for digit in encode(bytes).utf8 {
      switch digit {
      case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
      case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
      case padding: break
      default: text.append(digit)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes the output of `encodeURL`; nil for other text.
  public static func decodeURL(_ text: String) -> [UInt8]? {
    var base64: [UInt8] = []
    base64.reserveCapacity(text.utf8.count + 3)
    for digit in text.utf8 {
      switch digit {
      case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"), padding: return nil
      default: base64.append(digit)
      }
    }
    base64.append(contentsOf: repeatElement(padding, count: (4 - base64.count % 4) % 4))
    return decode(base64)
  }

  private static func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 0x61 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

extension [UInt8] {
  /// Lower-case hexadecimal digits, two per byte.
  public var hexadecimal: String {
    let digits: StaticString = "0123456789abcdef"
    return String(unsafeUninitializedCapacity: count * 2) { text in
      for (place, byte) in self.enumerated() {
        text[2 * place] = digits.utf8Start[Int(byte >> 4)]
        text[2 * place + 1] = digits.utf8Start[Int(byte & 15)]
      }
      return count * 2
    }
  }
}
