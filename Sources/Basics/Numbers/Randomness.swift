internal import FoundationEssentials

/// Where chance comes from: the system, or a seed that makes it the same every time.
public enum Randomness: Sendable, Equatable {
  /// The system's generator.
  case system
  /// A stream of its own for each purpose, derived from one seed.
  case seeded(UInt64)

  /// A random UUID (version 4) in upper case; with a seed, the one of the given purpose:
  /// the same seed and purpose give the same UUID.
  public func uuid(purpose: [String]) -> String {
    switch self {
    case .system: return UUID().uuidString
    case .seeded(let seed):
      var generator = SplitMix64(state: Self.mix(seed, purpose))
      return UUID.random(using: &generator).uuidString
    }
  }

  /// The number that a seed gives for a purpose; nil without a seed.
  public func number(purpose: [String]) -> UInt64? {
    switch self {
    case .system: nil
    case .seeded(let seed): Self.mix(seed, purpose)
    }
  }

  private static func mix(_ seed: UInt64, _ purpose: [String]) -> UInt64 {
    purpose.reduce(seed) { state, word in
      Checksum64.hash(Array(word.utf8), seed: state)
    }
  }
}

/// Sebastiano Vigna's SplitMix64: one 64-bit state, good mixing.
public struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// Starts a stream.
  public init(state: UInt64) { self.state = state }

  /// The next number of the sequence.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The first bytes of a stream.
  public static func bytes(_ count: Int, state: UInt64) -> [UInt8] {
    var generator = SplitMix64(state: state)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next().littleEndian) { bytes.append(contentsOf: $0) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

extension UUID {
  fileprivate static func random(using generator: inout SplitMix64) -> UUID {
    var bytes = [UInt8]()
    for word in [generator.next(), generator.next()] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
