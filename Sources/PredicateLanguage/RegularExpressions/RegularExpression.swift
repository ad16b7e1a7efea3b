internal import CloudModel

/// The right side of MATCHES: a regular expression that must match the whole string (P1.5.9), in
/// the syntax of ICU's User Guide, "Regular Expressions", over Unicode scalars.
///
/// Used because the library's has no time limit, cannot be interrupted, overflows the stack on
/// nested classes and has no lookbehind.
public struct RegularExpression {
  /// The error for an invalid or refused pattern.
  public struct Fault: Error, Equatable {
    /// The reason, without a final period.
    public internal(set) var message: String
    /// A correction.
    public internal(set) var hint: String?
  }

  private let matcher: PatternMatcher
  private let diacritics: TextFolding?

  /// The maximum length of a pattern, in bytes.
  private static let longest = 16_384

  /// Parses a case-sensitive pattern.
  public init(_ pattern: String) throws(Fault) { try self.init(pattern, TextFolding([])) }

  init(_ pattern: String, _ folding: TextFolding) throws(Fault) {
    guard pattern.utf8.count <= Self.longest else {
      throw Fault(message: "the regular expression is longer than 16 KiB")
    }
    diacritics = folding.ignoresDiacritics ? TextFolding([.diacriticInsensitive]) : nil
    let node = try PatternParser.parse(
      diacritics?.fold(pattern) ?? pattern, ignoresCase: folding.ignoresCase)
    if node.isRepeatOfRepeats {
      throw Fault(
        message: "an unbounded repeat within another, which may take forever",
        hint: "write a+ for (a+)+; a possessive repeat, a++, may be inside another")
    }
    matcher = PatternMatcher(try PatternProgram(node))
  }

  /// Whether the whole text matches. Throws `Fault` if that takes too long.
  public func matches(_ text: String) throws(Fault) -> Bool {
    try matcher.matches(diacritics?.fold(text) ?? text)
  }
}
