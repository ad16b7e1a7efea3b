/// A 64-bit checksum that finds damage, not intent: every step is a bijection of the state, so
/// a change within one 8-byte word always changes the result.
///
/// It is stored with records, so its steps may never change within a store format.
public struct Checksum64: Sendable {
  /// The state so far; the result after `finish`.
  public private(set) var state: UInt64

  /// Starts with a seed; different seeds give unrelated checksums.
  public init(seed: UInt64) { state = seed ^ 0x2545_F491_4F6C_DD1D }

  /// Adds one 64-bit word.
  public mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 32
  }

  /// Adds bytes and their count.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var place = 0
    while place + 8 <= bytes.count {
      add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian)
      place += 8
    }
    var rest: UInt64 = 0
    var shift: UInt64 = 0
    while place < bytes.count {
      rest |= UInt64(bytes[place]) << shift
      shift += 8
      place += 1
    }
    add(rest)
    add(UInt64(bytes.count))
  }

  /// Adds the UTF-8 bytes of a text.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// The checksum of all that was added.
  public func finish() -> UInt64 {
    var last = self
    last.add(0)
    return last.state
  }

  /// The checksum of one run of bytes.
  public static func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    var checksum = Checksum64(seed: seed)
    bytes.withUnsafeBytes { checksum.add($0) }
    return checksum.finish()
  }
}
