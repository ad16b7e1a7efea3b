/// A source of randomness: the system, or a seed for reproducible results.
public enum Randomness: Sendable, Equatable {
  /// The system's generator.
  case system
  /// A separate stream for each purpose, derived from one seed.
  case seeded(UInt64)

  /// A random UUID (version 4) in upper case; with a seed, the same seed and purpose always give
  /// the same UUID.
  public func uuid(purpose: [String]) -> String {
    switch self {
    case .system:
      var generator = SystemRandomNumberGenerator()
      return Self.uuid(using: &generator)
    case .seeded(let seed):
      var generator = SplitMix64(state: Self.mix(seed, purpose))
      return Self.uuid(using: &generator)
    }
  }

  /// A UUID of random bits except for its version and variant (RFC 9562, §5.4).
  private static func uuid(using generator: inout some RandomNumberGenerator) -> String {
    let high = generator.next() & ~0xF000 | 0x4000
    let low = generator.next() & (1 << 62 - 1) | 1 << 63
    let digits: StaticString = "0123456789ABCDEF"
    return String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for number in 0..<32 {
        if number == 8 || number == 12 || number == 16 || number == 20 {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let word = number < 16 ? high : low
        text[place] = digits.utf8Start[Int(word >> UInt64(60 - number % 16 * 4) & 15)]
        place += 1
      }
      return place
    }
  }

  /// The number for a seed and a purpose; nil without a seed.
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

  /// Returns the next number of the sequence.
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
