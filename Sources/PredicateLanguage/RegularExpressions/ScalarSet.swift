/// A set of Unicode scalars.
struct ScalarSet: Sendable {
  /// The ASCII characters in it: bit `c` of two words.
  private let low: UInt64
  private let high: UInt64
  private let test: @Sendable (Unicode.Scalar) -> Bool

  init(_ test: @escaping @Sendable (Unicode.Scalar) -> Bool) {
    self.test = test
    var words: [UInt64] = [0, 0]
    for value in 0..<128 where test(Unicode.Scalar(UInt8(value))) {
      words[value >> 6] |= 1 << (value & 63)
    }
    (low, high) = (words[0], words[1])
  }

  init(_ range: ClosedRange<UInt32>) { self.init { range.contains($0.value) } }

  init(_ ranges: [ClosedRange<UInt32>]) {
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, last.upperBound >= range.lowerBound {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    let sorted = merged
    self.init { scalar in
      var (low, high) = (0, sorted.count)
      while low < high {
        let middle = (low + high) / 2
        if sorted[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
      }
      return low < sorted.count && sorted[low].contains(scalar.value)
    }
  }

  /// Whether the sets have no common character below U+3000.
  func isDisjoint(with other: ScalarSet) -> Bool {
    (0..<0x3000 as Range<UInt32>).allSatisfy { !contains($0) || !other.contains($0) }
  }

  @inline(__always)
  func contains(_ value: UInt32) -> Bool {
    if value < 64 { return low >> value & 1 == 1 }
    if value < 128 { return high >> (value - 64) & 1 == 1 }
    return Unicode.Scalar(value).map(test) ?? false
  }

  private func contains(_ scalar: Unicode.Scalar) -> Bool { contains(scalar.value) }

  func union(_ other: ScalarSet) -> ScalarSet {
    ScalarSet { contains($0) || other.contains($0) }
  }

  func intersection(_ other: ScalarSet) -> ScalarSet {
    ScalarSet { contains($0) && other.contains($0) }
  }

  func subtracting(_ other: ScalarSet) -> ScalarSet {
    ScalarSet { contains($0) && !other.contains($0) }
  }

  var inverted: ScalarSet { ScalarSet { !contains($0) } }

  /// The set with all case forms of its letters.
  var ignoringCase: ScalarSet {
    ScalarSet { scalar in
      contains(scalar) || Self.forms(of: scalar).contains { contains($0) }
    }
  }

  /// A scalar in lower and upper case, if those are single scalars.
  static func forms(of scalar: Unicode.Scalar) -> [UInt32] {
    let properties = scalar.properties
    return [properties.lowercaseMapping, properties.uppercaseMapping].compactMap { text in
      let scalars = text.unicodeScalars
      return scalars.count == 1 ? scalars.first?.value : nil
    }
  }

  // MARK: Escapes

  static let none = ScalarSet { _ in false }
  static let lineEnds = ScalarSet { scalar in
    switch scalar.value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
  static let digits = ScalarSet { $0.properties.generalCategory == .decimalNumber }
  static let blanks = ScalarSet { scalar in
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    default: (0x09...0x0D).contains(scalar.value) || scalar.value == 0x85
    }
  }
  static let horizontalBlanks = ScalarSet {
    $0.value == 0x09 || $0.properties.generalCategory == .spaceSeparator
  }
  static let words = ScalarSet { scalar in
    switch scalar.properties.generalCategory {
    case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark:
      true
    default: scalar.properties.isAlphabetic || scalar.value == 0x200C || scalar.value == 0x200D
    }
  }

  /// The set of a property named in `\p{…}` or `[:…:]`: a general category, a common property, a
  /// script, or another that the library knows; nil for an unknown name.
  init?(property name: String) {
    let word = name.lowercased().filter { $0 != "_" && $0 != " " && $0 != "-" }
    let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    let isCategory = parts.count == 1 || ["gc", "generalcategory"].contains(parts[0])
    if isCategory, parts.count <= 2, let categories = Self.categories[parts[parts.count - 1]] {
      self.init { categories.contains($0.properties.generalCategory.letters) }
    } else if let test = Self.properties[word] {
      self.init(test)
    } else if parts.count == 1, let script = LibraryProperty.set("Script=\(word)") {
      self = script
    } else if let set = LibraryProperty.set(name) {
      self = set
    } else {
      return nil
    }
  }

  private static let properties: [String: @Sendable (Unicode.Scalar) -> Bool] = [
    "any": { _ in true }, "ascii": { $0.isASCII },
    "alphabetic": { $0.properties.isAlphabetic }, "alpha": { $0.properties.isAlphabetic },
    "uppercase": { $0.properties.isUppercase }, "upper": { $0.properties.isUppercase },
    "lowercase": { $0.properties.isLowercase }, "lower": { $0.properties.isLowercase },
    "whitespace": { $0.properties.isWhitespace }, "space": { $0.properties.isWhitespace },
    "digit": { digits.contains($0) }, "word": { words.contains($0) },
    "alnum": { $0.properties.isAlphabetic || digits.contains($0) },
    "blank": { horizontalBlanks.contains($0) },
    "graph": { isGraphic($0) },
    "print": { isGraphic($0) || $0.properties.generalCategory == .spaceSeparator },
    "xdigit": { digits.contains($0) || $0.properties.isHexDigit },
    "emoji": { $0.properties.isEmoji }, "ideographic": { $0.properties.isIdeographic },
    "math": { $0.properties.isMath }, "dash": { $0.properties.isDash },
  ]

  /// Whether it is a visible character (UTS #18, annex C).
  private static func isGraphic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .unassigned: false
    default: !scalar.properties.isWhitespace
    }
  }

  /// General categories by name, as sets of two-letter ones.
  private static let categories: [String: Set<String>] = {
    let all = [
      "l": "lu ll lt lm lo", "m": "mn mc me", "n": "nd nl no", "p": "pc pd ps pe pi pf po",
      "s": "sm sc sk so", "z": "zs zl zp", "c": "cc cf cs co cn", "lc": "lu ll lt",
    ]
    var categories = all.mapValues { Set($0.split(separator: " ").map(String.init)) }
    for letters in all.values.flatMap({ $0.split(separator: " ") }) {
      categories[String(letters)] = [String(letters)]
    }
    let names = [
      "letter": "l", "casedletter": "lc", "uppercaseletter": "lu", "lowercaseletter": "ll",
      "titlecaseletter": "lt", "modifierletter": "lm", "otherletter": "lo", "mark": "m",
      "nonspacingmark": "mn", "spacingmark": "mc", "enclosingmark": "me", "number": "n",
      "decimalnumber": "nd", "letternumber": "nl", "othernumber": "no", "punctuation": "p",
      "punct": "p", "connectorpunctuation": "pc", "dashpunctuation": "pd",
      "openpunctuation": "ps", "closepunctuation": "pe", "initialpunctuation": "pi",
      "finalpunctuation": "pf", "otherpunctuation": "po", "symbol": "s", "mathsymbol": "sm",
      "currencysymbol": "sc", "modifiersymbol": "sk", "othersymbol": "so", "separator": "z",
      "spaceseparator": "zs", "lineseparator": "zl", "paragraphseparator": "zp", "other": "c",
      "control": "cc", "cntrl": "cc", "format": "cf", "privateuse": "co", "unassigned": "cn",
    ]
    for (name, short) in names { categories[name] = categories[short] }
    return categories
  }()
}

extension Unicode.GeneralCategory {
  /// The two letters of the category in the Unicode Character Database, in lower case.
  fileprivate var letters: String {
    switch self {
    case .uppercaseLetter: "lu"
    case .lowercaseLetter: "ll"
    case .titlecaseLetter: "lt"
    case .modifierLetter: "lm"
    case .otherLetter: "lo"
    case .nonspacingMark: "mn"
    case .spacingMark: "mc"
    case .enclosingMark: "me"
    case .decimalNumber: "nd"
    case .letterNumber: "nl"
    case .otherNumber: "no"
    case .connectorPunctuation: "pc"
    case .dashPunctuation: "pd"
    case .openPunctuation: "ps"
    case .closePunctuation: "pe"
    case .initialPunctuation: "pi"
    case .finalPunctuation: "pf"
    case .otherPunctuation: "po"
    case .mathSymbol: "sm"
    case .currencySymbol: "sc"
    case .modifierSymbol: "sk"
    case .otherSymbol: "so"
    case .spaceSeparator: "zs"
    case .lineSeparator: "zl"
    case .paragraphSeparator: "zp"
    case .control: "cc"
    case .format: "cf"
    case .surrogate: "cs"
    case .privateUse: "co"
    case .unassigned: "cn"
    @unknown default: "cn"
    }
  }
}
