internal import Basics
internal import CloudModel

/// Makes texts equal that differ in case (`[c]`) or diacritics (`[d]`) alone.
struct TextFolding {
  let ignoresCase: Bool
  let ignoresDiacritics: Bool

  init(_ options: Comparison.Options) {
    let isNormalized = options.contains(.normalized)
    ignoresCase = options.contains(.caseInsensitive) && !isNormalized
    ignoresDiacritics = options.contains(.diacriticInsensitive) && !isNormalized
  }

  var isIdentity: Bool { !ignoresCase && !ignoresDiacritics }

  func fold(_ value: FieldValue) -> FieldValue {
    switch value {
    case .string(let text): .string(fold(text))
    case .list(let members): .list(members.map(fold))
    default: value
    }
  }

  func fold(_ text: String) -> String {
    if let folded = foldASCII(text) { return folded }
    var folded = ""
    for scalar in text.unicodeScalars {
      guard ignoresDiacritics, !scalar.isASCII else {
        append(scalar, to: &folded)
        continue
      }
      // Marks that stand alone in the text, as in decomposed letters.
      if scalar.properties.generalCategory == .nonspacingMark { continue }
      append(Diacritics.base(of: scalar), to: &folded)
    }
    return folded
  }

  /// A text of ASCII alone, which most are; nil for another.
  private func foldASCII(_ text: String) -> String? {
    if isIdentity { return text }
    let folded = text.utf8.withContiguousStorageIfAvailable { bytes -> String? in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      if !ignoresCase { return text }
      return String(unsafeUninitializedCapacity: bytes.count) { copy in
        for (index, byte) in bytes.enumerated() {
          copy[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        return bytes.count
      }
    }
    return folded ?? nil
  }

  private func append(_ scalar: Unicode.Scalar, to text: inout String) {
    guard ignoresCase else { return text.unicodeScalars.append(scalar) }
    // The dotless i is a letter of its own for case folding, which has no locale.
    if scalar == "\u{131}" { return text.unicodeScalars.append(scalar) }
    // By way of capitals: that joins all forms of a letter, as full case folding does.
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        text += upper.properties.lowercaseMapping
      }
    }
  }
}
