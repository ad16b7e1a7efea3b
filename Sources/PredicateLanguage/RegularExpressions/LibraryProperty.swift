internal import Basics
internal import Synchronization

/// The sets of the properties that only the library's own expressions tell: scripts, ages and
/// others without a property of `Unicode.Scalar.Properties`.
enum LibraryProperty {
  /// All sets that were found: each takes the library a walk through all characters.
  private static let found = Mutex<[String: ScalarSet]>([:])

  /// The set of what may stand in `\p{…}`, as in `Script=Han`; nil where the library knows none.
  static func set(_ name: String) -> ScalarSet? {
    guard name.utf8.allSatisfy(isPlain) else { return nil }
    return found.withLock { found in
      if let known = found[name] { return known }
      guard let pattern = try? Regex("\\p{\(name)}+") else { return nil }
      let set = ScalarSet(ranges(of: pattern.matchingSemantics(.unicodeScalar)))
      found[name] = set
      return set
    }
  }

  /// Whether a byte may be part of a name; none of these ends the library's `\p{`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case 0x30...0x39: true
    default: [UInt8](" -./=_".utf8).contains(byte)
    }
  }

  private static func ranges(of pattern: Regex<AnyRegexOutput>) -> [ClosedRange<UInt32>] {
    let text = String(String.UnicodeScalarView(assigned))
    return text.ranges(of: pattern).compactMap { range in
      let scalars = text.unicodeScalars[range]
      guard let first = scalars.first, let last = scalars.last else { return nil }
      return first.value...last.value
    }
  }

  /// The character of a name in the Unicode Character Database; nil for none.
  static func scalar(named name: String) -> Unicode.Scalar? {
    let name = name.uppercased()
    return assigned.first { $0.properties.name == name }
  }

  /// All characters of the planes that have any (Unicode 17), but for private ones.
  private static var assigned: some Sequence<Unicode.Scalar> {
    let planes: [ClosedRange<UInt32>] = [0...0x33FFF, 0xE0000...0xE01EF]
    return planes.lazy.joined().lazy.compactMap(Unicode.Scalar.init)
  }
}
