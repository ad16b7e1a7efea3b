/// Parses a regular expression.
struct PatternParser {
  typealias Fault = RegularExpression.Fault

  private let scalars: [Unicode.Scalar]
  var place = 0
  var flags: Flags
  private var depth = 0
  private var captureCount = 0
  private var names: [String: Int] = [:]
  /// The names of properties and characters so far.
  var lookedUp: Set<String> = []

  /// The flags of `(?ims)`.
  struct Flags {
    var ignoresCase = false
    var isMultiline = false
    var dotIsAny = false
    var ignoresBlanks = false
  }

  private static let deepest = 100
  /// The limit of different property and character names: each may take a tenth of a second.
  static let mostNames = 16
  /// The maximum of a repeat's counts.
  private static let mostTimes = 10_000

  static func parse(_ pattern: String, ignoresCase: Bool) throws(Fault) -> PatternNode {
    var parser = PatternParser(pattern, Flags(ignoresCase: ignoresCase))
    let node = try parser.choice()
    guard parser.isAtEnd else { throw parser.fault("unmatched ')'") }
    return node
  }

  private init(_ pattern: String, _ flags: Flags) {
    scalars = Array(pattern.unicodeScalars)
    self.flags = flags
  }

  // MARK: Scalars

  var isAtEnd: Bool { place >= scalars.count }

  func peek(_ offset: Int = 0) -> Unicode.Scalar? {
    place + offset < scalars.count ? scalars[place + offset] : nil
  }

  mutating func next() throws(Fault) -> Unicode.Scalar {
    guard let scalar = peek() else { throw fault("unexpected end") }
    place += 1
    return scalar
  }

  mutating func accept(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard scalars[min(place, scalars.count)...].starts(with: wanted) else { return false }
    place += wanted.count
    return true
  }

  func fault(_ message: String) -> Fault {
    Fault(message: "invalid regular expression at character \(place + 1): \(message)")
  }

  mutating func descend() throws(Fault) {
    depth += 1
    if depth > Self.deepest { throw fault("nested more than 100 levels deep") }
  }

  mutating func ascend() { depth -= 1 }

  // MARK: Structure

  private mutating func choice() throws(Fault) -> PatternNode {
    try descend()
    defer { ascend() }
    let outside = flags
    defer { flags = outside }
    var parts = [try sequence()]
    while accept("|") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(Fault) -> PatternNode {
    var parts: [PatternNode] = []
    while let scalar = peek(), scalar != "|", scalar != ")" {
      if flags.ignoresBlanks, skipBlank(scalar) { continue }
      guard let node = try atom() else { continue }
      parts.append(try repeated(node))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// Skips a blank or a comment of `(?x)`.
  private mutating func skipBlank(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "#" {
      while let scalar = peek(), !ScalarSet.lineEnds.contains(scalar.value) {
        _ = scalar
        place += 1
      }
      return true
    }
    guard scalar.properties.isWhitespace else { return false }
    place += 1
    return true
  }

  private mutating func repeated(_ node: PatternNode) throws(Fault) -> PatternNode {
    guard var times = try times() else { return node }
    if accept("?") { times.kind = .lazy } else if accept("+") { times.kind = .possessive }
    if try self.times() != nil { throw fault("nothing to repeat") }
    return .repetition(node, times)
  }

  private mutating func times() throws(Fault) -> PatternNode.Repetition? {
    if accept("*") { return .init(least: 0, most: nil) }
    if accept("+") { return .init(least: 1, most: nil) }
    if accept("?") { return .init(least: 0, most: 1) }
    guard peek() == "{" else { return nil }
    place += 1
    guard let least = try number() else { throw fault("a number must follow '{'") }
    var most: Int? = least
    if accept(",") { most = try number() }
    guard accept("}") else { throw fault("'}' is missing") }
    if let most, most < least { throw fault("the repeat's limits are in reverse order") }
    return .init(least: least, most: most)
  }

  private mutating func number() throws(Fault) -> Int? {
    var value: Int?
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      value = (value ?? 0) * 10 + Int(scalar.value - 48)
      if value ?? 0 > Self.mostTimes { throw fault("a number above \(Self.mostTimes)") }
      place += 1
    }
    return value
  }

  /// A repeatable item; nil for a flag group.
  private mutating func atom() throws(Fault) -> PatternNode? {
    let scalar = try next()
    switch scalar {
    case "(": return try group()
    case "[": return .set(try set())
    case ".":
      return .set(flags.dotIsAny ? ScalarSet.none.inverted : ScalarSet.lineEnds.inverted)
    case "^": return .assertion(flags.isMultiline ? .lineStart : .textStart)
    case "$": return .assertion(flags.isMultiline ? .lineEnd : .lastLineEnd)
    case "\\": return try escape()
    case "*", "+", "?", "{":
      place -= 1
      throw fault("nothing to repeat")
    default: return literal(scalar)
    }
  }

  func literal(_ scalar: Unicode.Scalar) -> PatternNode {
    guard flags.ignoresCase else { return .scalar(scalar.value) }
    let forms = Set(ScalarSet.forms(of: scalar) + [scalar.value])
    if forms.count == 1 { return .scalar(scalar.value) }
    return .set(ScalarSet { forms.contains($0.value) }.ignoringCase)
  }

  // MARK: Groups

  private mutating func group() throws(Fault) -> PatternNode? {
    guard accept("?") else {
      captureCount += 1
      let number = captureCount
      return .capture(try closed(), number)
    }
    if accept(":") { return try closed() }
    if accept(">") { return .atomic(try closed()) }
    if accept("=") { return .look(try closed(), isAhead: true, isNegative: false) }
    if accept("!") { return .look(try closed(), isAhead: true, isNegative: true) }
    if accept("<=") { return .look(try closed(), isAhead: false, isNegative: false) }
    if accept("<!") { return .look(try closed(), isAhead: false, isNegative: true) }
    if accept("#") {
      while try next() != ")" {}
      return nil
    }
    if accept("<") {
      let name = try name(until: ">")
      captureCount += 1
      let number = captureCount
      names[name] = number
      return .capture(try closed(), number)
    }
    return try flagGroup()
  }

  private mutating func closed() throws(Fault) -> PatternNode {
    let node = try choice()
    guard accept(")") else { throw fault("')' is missing") }
    return node
  }

  private mutating func name(until end: Unicode.Scalar) throws(Fault) -> String {
    var name = ""
    while true {
      let scalar = try next()
      if scalar == end { break }
      guard scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) else {
        throw fault("a name can only have letters and digits")
      }
      name.unicodeScalars.append(scalar)
    }
    if name.isEmpty { throw fault("a name is empty") }
    return name
  }

  /// `(?i)` for the rest of the group, `(?i:…)` for a separate group.
  private mutating func flagGroup() throws(Fault) -> PatternNode? {
    let outside = flags
    var isOn = true
    while true {
      switch try next() {
      case "i": flags.ignoresCase = isOn
      case "m": flags.isMultiline = isOn
      case "s": flags.dotIsAny = isOn
      case "x": flags.ignoresBlanks = isOn
      case "-": isOn = false
      case ")": return nil
      case ":":
        let node = try closed()
        flags = outside
        return node
      default:
        place -= 1
        throw fault("unknown group")
      }
    }
  }

  // MARK: Escapes

  private mutating func escape() throws(Fault) -> PatternNode {
    let start = place
    switch try next() {
    case "A": return .assertion(.textStart)
    case "z": return .assertion(.textEnd)
    case "Z": return .assertion(.lastLineEnd)
    case "b": return .assertion(.wordBoundary)
    case "B": return .assertion(.noWordBoundary)
    case "Q": return quotation()
    case "R":
      let pair = PatternNode.sequence([.scalar(0x0D), .scalar(0x0A)])
      return .atomic(.choice([pair, .set(.lineEnds)]))
    case "X": return .cluster
    case "k":
      guard accept("<") else { throw fault("'<' is missing") }
      let name = try name(until: ">")
      guard let number = names[name] else { throw fault("no group is named \(name)") }
      return .reference(number, ignoresCase: flags.ignoresCase)
    case "1"..."9":
      place = start
      return .reference(try groupNumber(), ignoresCase: flags.ignoresCase)
    default:
      place = start
      if let set = try setEscape() { return .set(flags.ignoresCase ? set.ignoringCase : set) }
      return literal(try scalarEscape())
    }
  }

  /// The number of a group, with as many digits as there are groups for.
  private mutating func groupNumber() throws(Fault) -> Int {
    var number = 0
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      let next = number * 10 + Int(scalar.value - 48)
      if next > captureCount { break }
      number = next
      place += 1
    }
    if number == 0 { throw fault("no such group") }
    return number
  }

  /// `\Q…\E`: literal text.
  private mutating func quotation() -> PatternNode {
    var parts: [PatternNode] = []
    while let scalar = peek() {
      if accept("\\E") { break }
      parts.append(literal(scalar))
      place += 1
    }
    return .sequence(parts)
  }
}
