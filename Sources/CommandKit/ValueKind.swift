/// A kind of value on the command line: how it is parsed, its placeholder in help, and its
/// candidates for completion.
public struct ValueKind<Value: Sendable>: Sendable {
  /// The word that stands for the value in help: `NAME`.
  public let placeholder: String
  /// The candidates for completion.
  public let candidates: Candidates
  /// Whether it usually contains blanks, at which a shell splits it unless it is quoted.
  public let isPhrase: Bool
  /// Reads a word.
  public let parse: @Sendable (String) throws(ValueError) -> Value

  /// Describes a kind of value.
  public init(
    _ placeholder: String, candidates: Candidates = .none, isPhrase: Bool = false,
    parse: @escaping @Sendable (String) throws(ValueError) -> Value
  ) {
    self.placeholder = placeholder
    self.candidates = candidates
    self.isPhrase = isPhrase
    self.parse = parse
  }
}

/// The completion candidates for a word.
public enum Candidates: Sendable, Equatable {
  /// Anything.
  case none
  /// One of these words.
  case words([String])
  /// A file.
  case files
  /// A directory.
  case directories
  /// The program's answers to a question: zones, record types, names.
  case question(String)
}

/// The reason why a word is not a valid value.
public struct ValueError: Error, Sendable {
  /// The reason, as a sentence without the period.
  public let message: String
  /// How to fix it.
  public let hint: String?

  /// The error of the rule that rejects a well-formed word: bad data, not a usage error.
  public let refusal: (any Error)?

  /// Gives a reason, a hint and the error of a rule.
  public init(_ message: String, hint: String? = nil, refusal: (any Error)? = nil) {
    self.message = message
    self.hint = hint
    self.refusal = refusal
  }
}

extension ValueKind where Value == String {
  /// Any text.
  public static func text(
    _ placeholder: String, candidates: Candidates = .none, isPhrase: Bool = false
  ) -> ValueKind<String> {
    ValueKind(placeholder, candidates: candidates, isPhrase: isPhrase) {
      (word) throws(ValueError) in word
    }
  }

  /// The path of a file; `-` is standard input or output.
  public static let file = ValueKind<String>.text("FILE", candidates: .files)

  /// The path of a directory.
  public static let directory = ValueKind<String>.text("DIR", candidates: .directories)
}

extension ValueKind where Value: FixedWidthInteger {
  /// A whole number of at least `minimum`.
  public static func count(_ placeholder: String, atLeast minimum: Value) -> ValueKind {
    ValueKind(placeholder) { (word) throws(ValueError) in
      guard let number = Value(word), number >= minimum else {
        throw ValueError("expected a whole number of \(minimum) or more, found '\(word)'")
      }
      return number
    }
  }
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
  /// One of the cases of an enumeration, by its raw value.
  ///
  /// Inlining specializes it; generic code would look up the conformances at each start.
  @inline(__always)
  public static func choice(_ placeholder: String) -> ValueKind<Value> {
    let words = Value.allCases.map { $0.rawValue }
    return ValueKind(placeholder, candidates: .words(words)) { (word) throws(ValueError) in
      if let value = Value(rawValue: word) { return value }
      throw ValueError.unknown(word, among: words)
    }
  }
}
