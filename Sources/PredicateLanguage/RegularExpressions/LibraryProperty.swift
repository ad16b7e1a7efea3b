internal import Basics

/// The character sets of properties available only through the library's own expressions: scripts,
/// ages and others missing in `Unicode.Scalar.Properties`.
enum LibraryProperty {
  /// The sets found so far: for each the library must test all characters.
  private static let found = Locked<[String: ScalarSet]>([:])

  /// The set named in `\p{…}`, such as `Script=Han`; nil if the library does not know it.
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
    let alike = Dictionary(uniqueKeysWithValues: uniform.map { ($0.lowerBound, $0) })
    var ranges: [ClosedRange<UInt32>] = []
    for range in allScalars.ranges(of: pattern) {
      for scalar in allScalars.unicodeScalars[range] {
        if let all = alike[scalar.value] {
          ranges.append(all)
        } else if let last = ranges.last, last.upperBound + 1 == scalar.value {
          ranges[ranges.count - 1] = last.lowerBound...scalar.value
        } else {
          ranges.append(scalar.value...scalar.value)
        }
      }
    }
    return ranges
  }

  /// The character with a name in the Unicode Character Database; nil for none.
  static func scalar(named name: String) -> Unicode.Scalar? {
    let name = name.uppercased()
    for value in assigned.joined() {
      if let scalar = Unicode.Scalar(value), scalar.properties.name == name { return scalar }
    }
    return nil
  }

  /// The planes with named characters (Unicode 17), in full, including unassigned ones.
  private static let assigned: [ClosedRange<UInt32>] = [0...0x33FFF, 0xE0000...0xE01EF]
  /// Ranges whose characters have identical properties: unassigned, ignorable, private.
  private static let uniform: [ClosedRange<UInt32>] =
    [0x34000...0x3FFFD] + (4...13).map { $0 << 16...($0 << 16 | 0xFFFD) }
    + [0xE01F0...0xE0FFF, 0xE1000...0xEFFFD, 0xF0000...0xFFFFD, 0x100000...0x10FFFD]
  private static let noncharacters: [ClosedRange<UInt32>] =
    (3...16).map { ($0 << 16 | 0xFFFE)...($0 << 16 | 0xFFFF) }

  /// All characters as one text, with only the first of each uniform range.
  private static let allScalars = String(
    String.UnicodeScalarView(
      [assigned, uniform.map { $0.lowerBound...$0.lowerBound }, noncharacters]
        .joined().joined().lazy.compactMap(Unicode.Scalar.init)))
}
