internal import Basics
internal import CloudModel

/// The right side of MATCHES: a regular expression that the whole text must match
/// (`predicates.md` §1.5). Characters are Unicode scalars, a dot is any of them but a line's end.
struct RegularExpression {
  /// Why a pattern is none, or is refused.
  struct Fault: Error {
    var message: String
    var hint: String?
  }

  private let regex: Regex<AnyRegexOutput>
  private let diacritics: TextFolding?

  /// Bytes of a pattern.
  static let longestPattern = 16_384

  init(_ pattern: String, _ folding: TextFolding) throws(Fault) {
    guard pattern.utf8.count <= Self.longestPattern else {
      throw Fault(message: "the regular expression is longer than 16 KiB")
    }
    try RepeatCheck.check(pattern)
    diacritics = folding.ignoresDiacritics ? TextFolding([.diacriticInsensitive]) : nil
    do {
      let regex = try Regex(diacritics?.fold(pattern) ?? pattern)
        .matchingSemantics(.unicodeScalar)
      self.regex = folding.ignoresCase ? regex.ignoresCase() : regex
    } catch {
      throw Fault(message: "this is no regular expression: \(error)")
    }
  }

  /// Whether the whole text matches.
  func matches(_ text: String) throws -> Bool {
    try regex.wholeMatch(in: diacritics?.fold(text) ?? text) != nil
  }
}

/// Refuses regular expressions whose time may grow with a power of two of the text's length
/// (`reliability.md` T8): a repeat without bound within another, and a repeat of alternatives of
/// which one begins another.
struct RepeatCheck {
  /// A group that is being read.
  private struct Group {
    var alternatives: [[Unicode.Scalar]] = [[]]
    /// Whether a repeat without bound is in it.
    var hasRepeat = false
  }

  private var groups = [Group()]
  private var scalars: [Unicode.Scalar]
  private var place = 0
  /// What was read last: whether it has a repeat in it, or alternatives that begin alike.
  private var lastIsRisky = false

  private static let deepest = 100
  /// A repeat of so many times counts as one without bound.
  private static let many = 32

  static func check(_ pattern: String) throws(RegularExpression.Fault) {
    var check = RepeatCheck(scalars: Array(pattern.unicodeScalars))
    while check.place < check.scalars.count { try check.step() }
  }

  private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

  private mutating func step() throws(RegularExpression.Fault) {
    let scalar = scalars[place]
    place += 1
    switch scalar {
    case "\\":
      let next = place < scalars.count ? scalars[place] : "\\"
      place += 1
      // Text that is quoted as a whole.
      if next == "Q" { return skipQuotation() }
      take([scalar, next])
    case "[": takeClass()
    case "(":
      groups.append(Group())
      guard groups.count <= Self.deepest else {
        throw .init(message: "the regular expression is nested more than 100 levels deep")
      }
      openGroup()
    case ")" where groups.count > 1: closeGroup()
    case "|": groups[groups.count - 1].alternatives.append([])
    case "*", "+": try repeatLast(isUnbounded: true)
    case "?": break
    case "{":
      if let most = count() { try repeatLast(isUnbounded: most >= Self.many) } else { take(["{"]) }
    default: take([scalar])
    }
  }

  private mutating func take(_ text: [Unicode.Scalar]) {
    var group = groups[groups.count - 1]
    group.alternatives[group.alternatives.count - 1] += text
    groups[groups.count - 1] = group
    lastIsRisky = false
  }

  private mutating func skipQuotation() {
    while place < scalars.count {
      if scalars[place] == "\\", place + 1 < scalars.count, scalars[place + 1] == "E" {
        place += 2
        return
      }
      take([scalars[place]])
      place += 1
    }
  }

  private mutating func takeClass() {
    let start = place - 1
    if place < scalars.count, scalars[place] == "^" { place += 1 }
    if place < scalars.count, scalars[place] == "]" { place += 1 }
    var depth = 1
    while place < scalars.count, depth > 0 {
      switch scalars[place] {
      case "\\": place += 1
      case "[": depth += 1
      case "]": depth -= 1
      default: break
      }
      place += 1
    }
    place = min(place, scalars.count)
    take(Array(scalars[start..<place]))
  }

  /// What stands behind a parenthesis before the group's contents: `?:`, `?=`, `?<name>`.
  private mutating func openGroup() {
    guard place < scalars.count, scalars[place] == "?" else { return }
    place += 1
    if place < scalars.count, scalars[place] == "<" {
      while place < scalars.count, !">=!".unicodeScalars.contains(scalars[place]) { place += 1 }
    }
    while place < scalars.count, !":=!>)".unicodeScalars.contains(scalars[place]) { place += 1 }
    if place < scalars.count, scalars[place] != ")" { place += 1 }
  }

  private mutating func closeGroup() {
    guard let group = groups.popLast() else { return }
    let whole = group.alternatives.joined(separator: ["|"])
    take(["("] + whole + [")"])
    groups[groups.count - 1].hasRepeat = groups[groups.count - 1].hasRepeat || group.hasRepeat
    lastIsRisky = group.hasRepeat || Self.beginAlike(group.alternatives)
  }

  private static func beginAlike(_ alternatives: [[Unicode.Scalar]]) -> Bool {
    for (index, one) in alternatives.enumerated() {
      for (other, another) in alternatives.enumerated() where index != other {
        if another.starts(with: one) || one.first == "." { return true }
      }
    }
    return false
  }

  /// The most times of `{2,5}` behind its brace, which is read over; nil where it is none.
  private mutating func count() -> Int? {
    guard let end = scalars[place...].firstIndex(of: "}"), end > place else { return nil }
    let parts = scalars[place..<end].split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.map { part in Int(String(String.UnicodeScalarView(part))) }
    guard parts.count <= 2, numbers[0] != nil || parts.count == 2 && parts[0].isEmpty else {
      return nil
    }
    place = end + 1
    return parts.last?.isEmpty == true ? .max : numbers.last ?? nil
  }

  private mutating func repeatLast(isUnbounded: Bool) throws(RegularExpression.Fault) {
    // A second sign makes the repeat lazy or possessive, it does not repeat it.
    if place < scalars.count, scalars[place] == "?" || scalars[place] == "+" { place += 1 }
    guard isUnbounded else { return }
    if lastIsRisky {
      throw .init(
        message: "a repeat without bound stands within another, which may take forever",
        hint: "write the expression without a repeat in a repeat, as a+ for (a+)+, and without "
          + "alternatives in it that begin alike")
    }
    groups[groups.count - 1].hasRepeat = true
    lastIsRisky = true
  }
}
