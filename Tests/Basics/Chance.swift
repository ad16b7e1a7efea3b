internal import Basics

extension SplitMix64 {
  /// A number below `limit`.
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// One of the items.
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

  /// A text of at most `length` scalars, many of them awkward.
  mutating func text(_ length: Int = 12) -> String {
    let awkward: [Unicode.Scalar] = [
      "\"", "\\", "/", "\n", "\r", "\t", "\0", "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}", "é",
      "e", "\u{301}", "€", "🧭", "\u{10FFFF}", "\u{2028}", "[", "]", "{", "}", ",", ":", " ",
    ]
    var text = ""
    for _ in 0..<below(length + 1) {
      let plain = Unicode.Scalar(UInt8(0x20 + below(0x5F)))
      text.unicodeScalars.append(below(2) == 0 ? plain : pick(awkward))
    }
    return text
  }

  /// A finite number with any bit pattern, or a short decimal one.
  mutating func double() -> Double {
    while below(3) > 0 {
      let number = Double(bitPattern: next())
      if number.isFinite { return number }
    }
    return Double(below(2_000_001) - 1_000_000) / pick([1.0, 10, 100, 1000, 0x1p20])
  }

  /// A JSON value that is nested at most `depth` deep.
  mutating func json(depth: Int = 4) -> JSONValue {
    switch below(depth > 0 ? 8 : 5) {
    case 0: return .null
    case 1: return .bool(below(2) == 0)
    case 2: return .int(pick([0, -1, 9, 10, .max, .min, Int64(bitPattern: next())]))
    case 3: return .double(double())
    case 4: return .string(text())
    case 5: return .array((0..<below(5)).map { _ in json(depth: depth - 1) })
    default:
      // The leading number keeps the names unique.
      return .object(
        (0..<below(5)).map { JSONMember("\($0)" + text(4), json(depth: depth - 1)) })
    }
  }
}
