internal import Synchronization

/// The letters below diacritics. The standard library tells which texts are canonically equal
/// but not how a letter decomposes, so that the parts are looked for.
public enum Diacritics {
  private static let known = Mutex<[Unicode.Scalar: Unicode.Scalar]>([:])

  /// The letter without its diacritics; itself where it has none.
  public static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard composed.contains(where: { $0.contains(scalar.value) }) else { return scalar }
    if let base = known.withLock({ $0[scalar] }) { return base }
    let base = search(scalar)
    known.withLock { $0[scalar] = base }
    return base
  }

  /// Where letters with diacritics stand: Latin, Greek, Cyrillic.
  private static let composed: [ClosedRange<UInt32>] = [
    0xC0...0x24F, 0x386...0x3CE, 0x400...0x4FF, 0x1E00...0x1FFF,
  ]

  private static let letters: [Unicode.Scalar] = [
    0x41...0x5A, 0x61...0x7A, 0x391...0x3A9, 0x3B1...0x3C9, 0x410...0x44F, 0x456...0x456,
  ].joined().compactMap { Unicode.Scalar($0 as UInt32) }

  private static let marks: [Unicode.Scalar] = [
    0x300...0x304, 0x306...0x30C, 0x30F...0x30F, 0x311...0x311, 0x313...0x314, 0x31B...0x31B,
    0x323...0x328, 0x32D...0x32E, 0x330...0x331, 0x342...0x342, 0x345...0x345,
  ].joined().compactMap { Unicode.Scalar($0 as UInt32) }

  private static func search(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let whole = String(scalar)
    for letter in letters {
      for mark in marks where whole == text([letter, mark]) { return letter }
    }
    for letter in letters where "aeiouyAEIOUYαεηιουωΑΕΗΙΟΥΩ".unicodeScalars.contains(letter) {
      for first in marks {
        for second in marks {
          if whole == text([letter, first, second]) { return letter }
          if scalar.value < 0x1F00 { continue }
          for third in marks where whole == text([letter, first, second, third]) { return letter }
        }
      }
    }
    return scalar
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }
}
