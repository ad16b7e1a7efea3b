/// The source of an asset's contents in a fixture.
public enum AssetSource: Sendable, Hashable {
  /// A file.
  case file(path: String)
  /// Bytes of the fixture itself.
  case bytes([UInt8])
  /// Random bytes, always the same for a seed.
  case random(seed: UInt64, size: Int)
}
