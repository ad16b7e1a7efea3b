internal import CPlatform

/// SHA-256 (FIPS 180-4), using the processor's instructions for it.
///
/// Our own, because swift-crypto and the parts of Foundation that it links were a third of the
/// program, and caused page faults at each start (docs/performance.md).
public struct SHA256: Sendable {
  static let blockSize = 64

  private var state = SIMD8<UInt32>(
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
    0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)
  /// The bytes since the last whole block.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  /// Starts a hash.
  public init() {}

  /// The digest of bytes.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(Self.blockSize - rest.count, bytes.count)
      rest.append(contentsOf: bytes.prefix(missing))
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing))
      guard rest.count == Self.blockSize else { return }
      let block = rest
      rest = []
      block.withUnsafeBytes { compress($0) }
    }
    let whole = bytes.count / Self.blockSize * Self.blockSize
    compress(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    rest.append(contentsOf: bytes[whole...])
  }

  /// The digest of everything added, 32 bytes: adds a one bit, zeros and the 64-bit big-endian bit
  /// count, up to the end of a block.
  public consuming func finish() -> [UInt8] {
    let bits = count * 8
    let zeros = (2 * Self.blockSize - 9 - rest.count) % Self.blockSize
    rest.append(0x80)
    rest.append(contentsOf: repeatElement(0, count: zeros))
    withUnsafeBytes(of: bits.bigEndian) { rest.append(contentsOf: $0) }
    let end = rest
    end.withUnsafeBytes { compress($0) }
    var digest = SIMD8<UInt32>()
    for place in 0..<8 { digest[place] = state[place].bigEndian }
    return withUnsafeBytes(of: digest, Array.init)
  }

  private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
    guard let start = blocks.baseAddress else { return }
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    withUnsafeMutableBytes(of: &state) { state in
      ckdb_sha256(
        state.assumingMemoryBound(to: UInt32.self).baseAddress, bytes,
        blocks.count / Self.blockSize)
    }
  }
}
