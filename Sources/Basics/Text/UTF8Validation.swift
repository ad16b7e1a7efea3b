extension UnsafeRawBufferPointer {
  /// The offset of the first byte that does not belong to well-formed UTF-8; nil when all do.
  package var firstInvalidUTF8: Int? {
    var place = 0
    while place < count {
      if place + 8 <= count,
        loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        place += 8
        continue
      }
      let length = sequenceLength(at: place)
      if length == 0 { return place }
      place += length
    }
    return nil
  }

  /// Whether all bytes are ASCII, and none of them a line feed.
  package var isOneLineOfASCII: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var place = 0
    while place + 8 <= count {
      let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let feeds = word ^ (ones &* 0x0A)
      // The middle term has a high bit where a byte is zero, which a line feed has become.
      if word & highs | ((feeds &- ones) & ~feeds & highs) != 0 { return false }
      place += 8
    }
    return self[place...].allSatisfy { $0 < 0x80 && $0 != 0x0A }
  }

  /// The bytes of the scalar that begins here; 0 for none (Unicode 15, table 3-7).
  private func sequenceLength(at place: Int) -> Int {
    let first = self[place]
    if first < 0x80 { return 1 }
    let (length, second): (Int, ClosedRange<UInt8>)
    switch first {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard place + length <= count, second.contains(self[place + 1]) else { return 0 }
    for offset in 2..<Swift.max(2, length) where self[place + offset] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
