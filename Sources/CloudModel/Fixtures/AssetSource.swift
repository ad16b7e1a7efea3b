/// Where the contents of a fixture's asset come from.
public enum AssetSource: Sendable, Hashable {
  /// A file.
  case file(path: String)
  /// Bytes of the fixture itself.
  case bytes([UInt8])
  /// So many bytes of chance, always the same for a seed.
  case random(seed: UInt64, size: Int)
}
