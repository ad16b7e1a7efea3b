/// The contents of a record's file; only the bytes are kept (R6.1).
public struct Asset: Sendable, Hashable {
  /// The SHA-256 of the bytes, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// The number of bytes.
  public var size: Int64

  /// Creates an asset. Nil if `sha256` is not such a hash or the size is negative.
  public init?(sha256: String, size: Int64) {
    guard sha256.utf8.count == 64, size >= 0,
      sha256.utf8.allSatisfy({ $0.isDigitByte || ($0 >= 0x61 && $0 <= 0x66) })
    else { return nil }
    self.sha256 = sha256
    self.size = size
  }
}

extension FieldValue {
  /// The assets in the value or its members.
  public var assets: [Asset] {
    if case .asset(let asset) = self { return [asset] }
    // The members of a list have the same type.
    guard case .list(let members) = self, case .asset? = members.first else { return [] }
    return members.flatMap(\.assets)
  }
}
