// The standard library decomposes strings, as canonical equivalence requires, but exposes that only
// through its Unicode interface, imported by name.
@_spi(_Unicode) internal import Swift

/// Removes diacritics from letters.
public enum Diacritics {
  /// The letter without its diacritics; itself if it has none.
  public static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    let parts = String(scalar)._nfd.map { $0 }
    let isLetterWithMarks = parts.dropFirst().allSatisfy {
      $0.properties.generalCategory == .nonspacingMark
    }
    return isLetterWithMarks ? parts.first ?? scalar : scalar
  }
}
