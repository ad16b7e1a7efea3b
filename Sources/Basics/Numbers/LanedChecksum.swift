/// Four interleaved `Checksum64`, each of every fourth word: a processor computes them in the time
/// of one. For long byte sequences.
public struct LanedChecksum: Sendable {
  private var (a, b, c, d): (Checksum64, Checksum64, Checksum64, Checksum64)

  /// Starts with a seed; different seeds give unrelated checksums.
  public init(seed: UInt64) {
    (a, b) = (Checksum64(seed: seed), Checksum64(seed: seed &+ 1))
    (c, d) = (Checksum64(seed: seed &+ 2), Checksum64(seed: seed &+ 3))
  }

  /// Adds bytes; the length of all calls but the last must be a multiple of 32.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var (a, b, c, d) = (a, b, c, d)
    var place = 0
    while place + 32 <= bytes.count {
      a.add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian)
      b.add(bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self).littleEndian)
      c.add(bytes.loadUnaligned(fromByteOffset: place + 16, as: UInt64.self).littleEndian)
      d.add(bytes.loadUnaligned(fromByteOffset: place + 24, as: UInt64.self).littleEndian)
      place += 32
    }
    a.add(UnsafeRawBufferPointer(rebasing: bytes[place...]))
    (self.a, self.b, self.c, self.d) = (a, b, c, d)
  }

  /// The checksum of everything added.
  public func finish() -> UInt64 {
    var sum = Checksum64(seed: 5)
    for lane in [a, b, c, d] { sum.add(lane.finish()) }
    return sum.finish()
  }
}
