/// Unpredictable bytes for tokens and secrets. Never seeded.
public enum SystemRandom {
  /// Returns some bytes of the system's generator.
  public static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
  }
}
