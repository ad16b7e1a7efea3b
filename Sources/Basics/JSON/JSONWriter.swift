extension [UInt8] {
  /// Appends the UTF-8 bytes of a text.
  public mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  /// Appends a text of the program.
  public mutating func append(literal text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a JSON string: UTF-8 unchanged, control characters (below 0x20, 0x7F to 0x9F) as
  /// `\u00XX`.
  public mutating func append(jsonString text: String) {
    var text = text
    text.withUTF8 { append(jsonUTF8: UnsafeRawBufferPointer($0)) }
  }

  /// Appends a JSON string of UTF-8 bytes.
  public mutating func append(jsonUTF8 bytes: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    append(jsonEscaping: bytes)
    append(UInt8(ascii: "\""))
  }

  private mutating func append(jsonEscaping bytes: UnsafeRawBufferPointer) {
    var plain = 0
    var place = 0
    while place < bytes.count {
      if place + 8 <= bytes.count,
        !hasByteToEscape(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      {
        place += 8
        continue
      }
      // The last bytes, together with some before them.
      if place + 8 > bytes.count, bytes.count >= 8,
        !hasByteToEscape(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
      {
        break
      }
      let byte = bytes[place]
      guard let length = escapedLength(bytes, place, byte) else {
        place += 1
        continue
      }
      append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[plain..<place]))
      append(escape: bytes[place + length - 1])
      place += length
      plain = place
    }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[plain...]))
  }

  /// How many bytes at this place must be escaped; nil if none.
  private func escapedLength(
    _ bytes: UnsafeRawBufferPointer, _ place: Int, _ byte: UInt8
  ) -> Int? {
    if byte >= 0x20, byte != 0x22, byte != 0x5C, byte != 0x7F, byte != 0xC2 { return nil }
    if byte != 0xC2 { return 1 }
    return bytes[place + 1] < 0xA0 ? 2 : nil
  }

  /// Whether one of eight bytes may need an escape (a false positive is harmless): a quote, a
  /// backslash, below 0x20, or from 0x7F on.
  private func hasByteToEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let small = word &- ones &* 0x20
    let large = word &+ ones
    return (word | small | large | (quotes &- ones) | (backslashes &- ones)) & highs != 0
  }

  private mutating func append(escape byte: UInt8) {
    append(UInt8(ascii: "\\"))
    if byte == 0x22 || byte == 0x5C {
      append(byte)
    } else {
      append(text: "u00")
      append(text: [byte].hexadecimal)
    }
  }

  /// Appends a number with its fraction or exponent, which reads back as the same Double.
  public mutating func append(jsonDouble value: Double) {
    precondition(value.isFinite, "JSON cannot represent \(value)")
    append(text: value.description)
  }

  /// Appends an integer.
  public mutating func append(jsonInt value: Int64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var place = digits.count
      var rest = value.magnitude
      repeat {
        place -= 1
        digits[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        place -= 1
        digits[place] = UInt8(ascii: "-")
      }
      append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[place...]))
    }
  }

  /// Appends any value, without blanks.
  public mutating func append(json value: JSONValue) {
    switch value {
    case .null: append(text: "null")
    case .bool(let flag): append(text: flag ? "true" : "false")
    case .int(let number): append(jsonInt: number)
    case .double(let number): append(jsonDouble: number)
    case .outOfRange(let number): append(text: number)
    case .string(let text): append(jsonString: text)
    case .array(let items): append(jsonList: items, "[", "]") { $0.append(json: $1) }
    case .object(let members):
      append(jsonList: members, "{", "}") { bytes, member in
        bytes.append(jsonString: member.name)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(json: member.value)
      }
    }
  }

  /// Appends items between brackets, separated by commas.
  public mutating func append<Item>(
    jsonList items: [Item], _ open: Unicode.Scalar, _ close: Unicode.Scalar,
    _ item: (inout [UInt8], Item) throws -> Void
  ) rethrows {
    append(UInt8(ascii: open))
    for (index, value) in items.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      try item(&self, value)
    }
    append(UInt8(ascii: close))
  }
}

extension JSONValue {
  /// The value as text, without blanks.
  public var text: String {
    var bytes: [UInt8] = []
    bytes.append(json: self)
    return String(decoding: bytes, as: UTF8.self)
  }
}
