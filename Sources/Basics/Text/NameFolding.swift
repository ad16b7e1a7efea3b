// Canonical decomposition is part of the standard library, in its Unicode interface, imported by
// name.
@_spi(_Unicode) internal import Swift

/// File names as compared by file systems that ignore case and normalization.
public enum NameFolding {
  /// A name in a form common to all its spellings, whether composed or decomposed, upper or lower
  /// case.
  public static func fold(_ name: String) -> String {
    if let folded = foldASCII(name) { return folded }
    var folded = ""
    for scalar in name._nfd { appendLowercase(of: scalar, to: &folded) }
    var decomposed = ""
    for scalar in folded._nfd { decomposed.unicodeScalars.append(scalar) }
    return decomposed
  }

  private static func foldASCII(_ name: String) -> String? {
    let folded = name.utf8.withContiguousStorageIfAvailable { bytes -> String? in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      return String(unsafeUninitializedCapacity: bytes.count) { copy in
        for (index, byte) in bytes.enumerated() {
          copy[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        return bytes.count
      }
    }
    return folded ?? nil
  }

  /// Appends a letter's lower-case form, via upper case, which unifies all its forms as full case
  /// folding does. The dotless i is a separate letter, because case folding has no locale.
  public static func appendLowercase(of scalar: Unicode.Scalar, to text: inout String) {
    if scalar == "\u{131}" { return text.unicodeScalars.append(scalar) }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        text += upper.properties.lowercaseMapping
      }
    }
  }
}
