// The standard library decomposes texts, as canonical equivalence demands, but shows it only to
// those who ask for its Unicode interface by name.
@_spi(_Unicode) internal import Swift

/// The letters below diacritics.
public enum Diacritics {
  /// The letter without its diacritics; itself where it has none.
  public static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    let parts = String(scalar)._nfd.map { $0 }
    let isLetterWithMarks = parts.dropFirst().allSatisfy {
      $0.properties.generalCategory == .nonspacingMark
    }
    return isLetterWithMarks ? parts.first ?? scalar : scalar
  }
}
