#if Server
  internal import Basics

  /// The target of a request: its path and its query parameters. Signatures cover the text as it
  /// came (web-services.md, §0 fact 4).
  struct RequestTarget: Sendable {
    /// The target as received.
    let raw: String
    /// The parts of the path, decoded.
    let parts: [String]
    private let parameters: [(name: String, value: String)]

    /// The most bytes of a target (T16).
    static let mostBytes = 8192

    /// Parses a target; nil for one with an invalid escape or a control character.
    init?(_ raw: String) {
      var text = raw
      let read = text.withUTF8 { Self.read($0) }
      guard let read else { return nil }
      self.raw = raw
      (parts, parameters) = read
    }

    private static func read(
      _ bytes: UnsafeBufferPointer<UInt8>
    ) -> (parts: [String], parameters: [(name: String, value: String)])? {
      guard bytes.first == UInt8(ascii: "/") else { return nil }
      let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
      var parts: [String] = []
      for piece in bytes[1..<end].split(
        separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      {
        guard let part = decoded(piece) else { return nil }
        parts.append(part)
      }
      var parameters: [(name: String, value: String)] = []
      for pair in bytes[end...].dropFirst().split(separator: UInt8(ascii: "&")) {
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        guard let name = decoded(pair[..<equals]), let value = decoded(pair[equals...].dropFirst())
        else { return nil }
        parameters.append((name, value))
      }
      return (parts, parameters)
    }

    /// The value of a query parameter; nil for none.
    subscript(name: String) -> String? { parameters.first { utf8Equal($0.name, name) }?.value }

    /// The parts of the path below another one; nil if it is not below it.
    func parts(below base: String) -> ArraySlice<String>? {
      if base.isEmpty { return parts[...] }
      let prefix = base.split(separator: "/").map(String.init)
      guard parts.starts(with: prefix) else { return nil }
      return parts[prefix.count...]
    }

    /// The path, decoded.
    var path: String { "/" + parts.joined(separator: "/") }

    /// Decodes `%XX`. A plus sign is kept: it is a Base64 digit of tokens.
    private static func decoded(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
      let isPlain = text.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }
      if isPlain { return String(decoding: text, as: UTF8.self) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count)
      var rest = text
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte)
          continue
        }
        guard let high = rest.popFirst().flatMap(Self.digit),
          let low = rest.popFirst().flatMap(Self.digit)
        else { return nil }
        bytes.append(high << 4 | low)
      }
      guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
      return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
      default: nil
      }
    }
  }
#endif
