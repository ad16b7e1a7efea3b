/// A 64-bit checksum that detects damage, not intent: every step is a bijection of the state, so a
/// change within one 8-byte word always changes the result.
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
    add(Self.rest(of: bytes, from: place))
    add(UInt64(bytes.count))
  }

  /// The last bytes, fewer than eight, as a word.
  private static func rest(of bytes: UnsafeRawBufferPointer, from place: Int) -> UInt64 {
    let count = bytes.count - place
    if count == 0 { return 0 }
    if place > 0 {
      let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      return last.littleEndian >> UInt64(8 * (8 - count))
    }
    if count >= 4 {
      let first = bytes.loadUnaligned(as: UInt32.self).littleEndian
      let last = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self).littleEndian
      return UInt64(first) | UInt64(last) << UInt64(8 * (count - 4))
    }
    var rest = UInt64(bytes[0])
    if count > 1 { rest |= UInt64(bytes[1]) << 8 }
    if count > 2 { rest |= UInt64(bytes[2]) << 16 }
    return rest
  }

  /// Adds the UTF-8 bytes of a text.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// The checksum of everything added.
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
