/// Sets of characters, in brackets and as escapes.
extension PatternParser {
  /// Parses a set after `[`, up to its `]`.
  mutating func set() throws(Fault) -> ScalarSet {
    try descend()
    defer { ascend() }
    let isInverted = accept("^")
    var parts = Parts()
    var isFirst = true
    while isFirst && peek() == "]" || !accept("]") {
      isFirst = false
      if accept("&&") {
        parts = Parts(sets: [parts.whole.intersection(try rest())])
        break
      }
      if accept("--") {
        var removed = Parts()
        try read(&removed)
        parts = Parts(sets: [parts.whole.subtracting(removed.whole)])
      } else {
        try read(&parts)
      }
    }
    let whole = flags.ignoresCase ? parts.whole.ignoringCase : parts.whole
    return isInverted ? whole.inverted : whole
  }

  /// The parts of a set: mostly characters and ranges.
  private struct Parts {
    var ranges: [ClosedRange<UInt32>] = []
    var sets: [ScalarSet] = []

    var whole: ScalarSet {
      sets.reduce(ranges.isEmpty ? .none : ScalarSet(ranges)) { $0.union($1) }
    }
  }

  /// Parses the rest of a set after `&&`, up to its `]`.
  private mutating func rest() throws(Fault) -> ScalarSet {
    try descend()
    defer { ascend() }
    var parts = Parts()
    while !accept("]") {
      if accept("&&") { return parts.whole.intersection(try rest()) }
      try read(&parts)
    }
    return parts.whole
  }

  /// Parses a nested set, an escape, a character or a range.
  private mutating func read(_ parts: inout Parts) throws(Fault) {
    if accept("[:") { return parts.sets.append(try posix()) }
    if accept("[") { return parts.sets.append(try set()) }
    if peek() == "\\" {
      let start = place
      place += 1
      if let set = try setEscape() { return parts.sets.append(set) }
      place = start
    }
    let first = try member()
    guard peek() == "-", let after = peek(1), after != "]", after != "-", after != "[" else {
      return parts.ranges.append(first.value...first.value)
    }
    place += 1
    let last = try member()
    guard first <= last else { throw fault("the range is in reverse order") }
    parts.ranges.append(first.value...last.value)
  }

  private mutating func member() throws(Fault) -> Unicode.Scalar {
    let scalar = try next()
    return scalar == "\\" ? try scalarEscape() : scalar
  }

  private mutating func posix() throws(Fault) -> ScalarSet {
    let isInverted = accept("^")
    var name = ""
    while !accept(":]") { name.unicodeScalars.append(try next()) }
    let set = try property(named: name)
    return isInverted ? set.inverted : set
  }

  /// The set for the escape after a backslash; nil, reading nothing, for other escapes.
  mutating func setEscape() throws(Fault) -> ScalarSet? {
    let start = place
    switch try next() {
    case "d": return .digits
    case "D": return ScalarSet.digits.inverted
    case "w": return .words
    case "W": return ScalarSet.words.inverted
    case "s": return .blanks
    case "S": return ScalarSet.blanks.inverted
    case "h": return .horizontalBlanks
    case "H": return ScalarSet.horizontalBlanks.inverted
    case "v": return .lineEnds
    case "V": return ScalarSet.lineEnds.inverted
    case "p": return try property()
    case "P": return try property().inverted
    default:
      place = start
      return nil
    }
  }

  private mutating func property() throws(Fault) -> ScalarSet {
    var name = ""
    if accept("{") {
      while !accept("}") { name.unicodeScalars.append(try next()) }
    } else {
      name.unicodeScalars.append(try next())
    }
    let isInverted = name.hasPrefix("^")
    let set = try property(named: isInverted ? String(name.dropFirst()) : name)
    return isInverted ? set.inverted : set
  }

  /// The set of a property, with all forms of its letters if case is ignored: added before
  /// inversion, or the inverted set would contain them.
  private mutating func property(named name: String) throws(Fault) -> ScalarSet {
    try lookUp(name)
    guard let set = ScalarSet(property: name) else { throw fault("unknown property \(name)") }
    return flags.ignoresCase ? set.ignoringCase : set
  }

  /// Notes a name that may require testing all characters; many of them would take too long.
  private mutating func lookUp(_ name: String) throws(Fault) {
    lookedUp.insert(name)
    guard lookedUp.count <= Self.mostNames else {
      throw fault("more than \(Self.mostNames) names of properties and characters")
    }
  }

  /// The character for the escape after a backslash.
  mutating func scalarEscape() throws(Fault) -> Unicode.Scalar {
    let scalar = try next()
    switch scalar {
    case "t": return "\t"
    case "n": return "\n"
    case "r": return "\r"
    case "f": return "\u{0C}"
    case "a": return "\u{07}"
    case "e": return "\u{1B}"
    case "c": return Unicode.Scalar(UInt8(try next().value & 0x1F))
    case "0": return try code(digits: 1...3, radix: 8)
    case "N": return try namedScalar()
    case "u": return try code(digits: 4...4, radix: 16)
    case "U": return try code(digits: 8...8, radix: 16)
    case "x":
      guard accept("{") else { return try code(digits: 2...2, radix: 16) }
      let code = try code(digits: 1...6, radix: 16)
      guard accept("}") else { throw fault("'}' is missing") }
      return code
    default:
      // Letters have a meaning, or may get one.
      guard !scalar.isASCII || !scalar.properties.isAlphabetic else {
        throw fault("unknown escape \\\(scalar)")
      }
      return scalar
    }
  }

  /// The character whose name is in braces.
  private mutating func namedScalar() throws(Fault) -> Unicode.Scalar {
    guard accept("{") else { throw fault("'{' is missing") }
    var name = ""
    while !accept("}") { name.unicodeScalars.append(try next()) }
    try lookUp(name)
    guard let scalar = LibraryProperty.scalar(named: name) else {
      throw fault("no character is named \(name)")
    }
    return scalar
  }

  private mutating func code(
    digits: ClosedRange<Int>, radix: Int
  ) throws(Fault) -> Unicode.Scalar {
    var text = ""
    while text.utf8.count < digits.upperBound, let scalar = peek(),
      Character(scalar).isASCII, Int(String(scalar), radix: radix) != nil
    {
      text.unicodeScalars.append(scalar)
      place += 1
    }
    guard text.utf8.count >= digits.lowerBound,
      let scalar = UInt32(text, radix: radix).flatMap(Unicode.Scalar.init)
    else { throw fault("no character has this code") }
    return scalar
  }
}
