#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// The offset of the first byte that is not well-formed UTF-8; nil if all are.
  public var firstInvalidUTF8: Int? {
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

  /// Whether they contain a byte.
  public func has(_ byte: UInt8) -> Bool {
    guard let baseAddress else { return false }
    return memchr(baseAddress, Int32(byte), count) != nil
  }

  /// Whether other bytes are equal.
  public func isEqual(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let baseAddress, let start = other.baseAddress else { return true }
    return memcmp(baseAddress, start, count) == 0
  }

  /// How many Unicode scalars begin in these UTF-8 bytes.
  public var scalarCount: Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var scalars = count
    var place = 0
    while place + 8 <= count {
      let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      // Bytes 10xxxxxx continue a scalar; the product sums up the eight in its highest byte.
      let continuations = word >> 7 & ~(word >> 6) & ones
      scalars -= Int(truncatingIfNeeded: (continuations &* ones) >> 56)
      place += 8
    }
    for byte in self[place...] where byte & 0xC0 == 0x80 { scalars -= 1 }
    return scalars
  }

  /// The length of the scalar that begins here; 0 for none (Unicode 15, table 3-7).
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
