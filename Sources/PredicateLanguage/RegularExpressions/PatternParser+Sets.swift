/// Sets of characters, in brackets and as escapes.
extension PatternParser {
  /// What stands behind `[`, up to its `]`.
  mutating func set() throws(Fault) -> ScalarSet {
    try descend()
    defer { ascend() }
    let isInverted = accept("^")
    var whole = ScalarSet.none
    var isFirst = true
    while true {
      if !isFirst || peek() != "]", accept("]") { break }
      if accept("&&") {
        whole = whole.intersection(try rest())
        break
      }
      if accept("--") {
        whole = whole.subtracting(try operand())
      } else {
        whole = whole.union(try operand())
      }
      isFirst = false
    }
    if flags.ignoresCase { whole = whole.ignoringCase }
    return isInverted ? whole.inverted : whole
  }

  /// What stands behind `&&` in a set, up to its `]`.
  private mutating func rest() throws(Fault) -> ScalarSet {
    var whole = ScalarSet.none
    while !accept("]") {
      if accept("&&") { return whole.intersection(try rest()) }
      whole = whole.union(try operand())
    }
    return whole
  }

  /// A set in a set, an escape, a character or a range of them.
  private mutating func operand() throws(Fault) -> ScalarSet {
    if accept("[:") { return try posix() }
    if accept("[") { return try set() }
    if peek() == "\\" {
      let start = place
      place += 1
      if let set = try setEscape() { return set }
      place = start
    }
    let first = try member()
    guard peek() == "-", let after = peek(1), after != "]", after != "-", after != "[" else {
      return ScalarSet(first.value...first.value)
    }
    place += 1
    let last = try member()
    guard first <= last else { throw fault("the greater character of a range stands first") }
    return ScalarSet(first.value...last.value)
  }

  private mutating func member() throws(Fault) -> Unicode.Scalar {
    let scalar = try next()
    return scalar == "\\" ? try scalarEscape() : scalar
  }

  private mutating func posix() throws(Fault) -> ScalarSet {
    let isInverted = accept("^")
    var name = ""
    while !accept(":]") { name.unicodeScalars.append(try next()) }
    guard let set = ScalarSet(property: name) else { throw fault("unknown property \(name)") }
    return isInverted ? set.inverted : set
  }

  /// The set that the escape behind a backslash stands for; nil, and nothing read, for another.
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
    guard let set = ScalarSet(property: isInverted ? String(name.dropFirst()) : name) else {
      throw fault("unknown property \(name)")
    }
    return isInverted ? set.inverted : set
  }

  /// The character that the escape behind a backslash stands for.
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
    case "u": return try code(digits: 4...4, radix: 16)
    case "U": return try code(digits: 8...8, radix: 16)
    case "x":
      guard accept("{") else { return try code(digits: 2...2, radix: 16) }
      let code = try code(digits: 1...6, radix: 16)
      guard accept("}") else { throw fault("'}' is missing") }
      return code
    default:
      // Letters mean something, or may some day.
      guard !scalar.isASCII || !scalar.properties.isAlphabetic else {
        throw fault("unknown escape \\\(scalar)")
      }
      return scalar
    }
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
