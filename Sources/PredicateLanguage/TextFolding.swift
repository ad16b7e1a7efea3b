internal import Basics
internal import CloudModel

/// Folds strings so that they are equal if they differ only in case (`[c]`) or diacritics (`[d]`).
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
    if case .string(let text) = value { return .string(fold(text)) }
    if case .list(let members) = value { return .list(members.map(fold)) }
    return value
  }

  func fold(_ text: String) -> String {
    if let folded = foldASCII(text) { return folded }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    let known = Self.known[ignoresCase ? ignoresDiacritics ? 2 : 1 : 0]
    for scalar in text.unicodeScalars {
      let value = Int(scalar.value)
      if value < known.count {
        bytes.append(contentsOf: known[value])
      } else {
        bytes.append(contentsOf: fold(scalar).utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The folded letters of Latin scripts, as UTF-8: without diacritics, without case, without both.
  /// A table, because Unicode's properties take a hundred times as long.
  private static let known: [[[UInt8]]] = [
    TextFolding([.diacriticInsensitive]), TextFolding([.caseInsensitive]),
    TextFolding([.caseInsensitive, .diacriticInsensitive]),
  ].map { folding in
    (0..<0x250 as Range<UInt32>).map { value in
      Unicode.Scalar(value).map { Array(folding.fold($0).utf8) } ?? []
    }
  }

  private func fold(_ scalar: Unicode.Scalar) -> String {
    var folded = ""
    guard ignoresDiacritics, !scalar.isASCII else {
      append(scalar, to: &folded)
      return folded
    }
    // Separate marks, as in decomposed letters.
    if scalar.properties.generalCategory == .nonspacingMark { return folded }
    append(Diacritics.base(of: scalar), to: &folded)
    return folded
  }

  /// Folds an all-ASCII string, the usual case; nil for others.
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
    NameFolding.appendLowercase(of: scalar, to: &text)
  }
}
