internal import FoundationEssentials

/// Base64 as in RFC 4648.
public enum Base64 {
  /// The text of the bytes, with padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
  }

  /// The bytes of a text; nil when it is not just what `encode` makes of them, as the decoder
  /// itself passes over padding in wrong places.
  public static func decode(_ text: String) -> [UInt8]? {
    guard let bytes = Data(base64Encoded: text).map(Array.init), encode(bytes) == text else {
      return nil
    }
    return bytes
  }
}

extension [UInt8] {
  /// Lower-case hexadecimal digits, two a byte.
  public var hexadecimal: String {
    let digits = Array<UInt8>("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(count * 2)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
