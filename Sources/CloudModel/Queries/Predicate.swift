/// A parsed predicate: what a query asks of a record (P1).
public indirect enum Predicate: Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool, Span)
  /// All of two or more parts.
  case and([Predicate], Span)
  /// One of two or more parts.
  case or([Predicate], Span)
  /// The opposite.
  case not(Predicate, Span)
  /// A test of two expressions.
  case comparison(Comparison)

  /// Where the predicate is in its text, with the parentheses around it.
  public var span: Span {
    get {
      switch self {
      case .constant(_, let span), .and(_, let span), .or(_, let span), .not(_, let span): span
      case .comparison(let comparison): comparison.span
      }
    }
    set {
      switch self {
      case .constant(let value, _): self = .constant(value, newValue)
      case .and(let parts, _): self = .and(parts, newValue)
      case .or(let parts, _): self = .or(parts, newValue)
      case .not(let part, _): self = .not(part, newValue)
      case .comparison(var comparison):
        comparison.span = newValue
        self = .comparison(comparison)
      }
    }
  }
}

extension Predicate {
  /// Calls `body` with every expression that is in the predicate, the outer ones first.
  public func visit(_ body: (Expression) -> Void) {
    switch self {
    case .constant: break
    case .and(let parts, _), .or(let parts, _): for part in parts { part.visit(body) }
    case .not(let part, _): part.visit(body)
    case .comparison(let comparison):
      comparison.left.visit(body)
      comparison.right.visit(body)
    }
  }
}

extension Predicate {
  /// Whether a key path is in it, which leads to other records.
  public var hasPaths: Bool {
    var hasPaths = false
    visit { if case .path = $0 { hasPaths = true } }
    return hasPaths
  }

  /// Whether it asks for the distance of two places.
  public var hasDistances: Bool {
    var hasDistances = false
    visit { if case .distance = $0 { hasDistances = true } }
    return hasDistances
  }
}

/// A part of a text, in UTF-8 bytes from its beginning.
public typealias Span = Range<Int>

/// A test of two expressions.
public struct Comparison: Sendable {
  /// How many members of the left side must pass; nil where it is tested as a whole.
  public var quantifier: Quantifier?
  /// The left side.
  public var left: Expression
  /// The test.
  public var operation: Operation
  /// How texts are looked at.
  public var options: Options
  /// The right side.
  public var right: Expression
  /// Where the whole comparison is in its text.
  public var span: Span
  /// Where its operator is.
  public var operationSpan: Span

  /// Puts a comparison together.
  public init(
    quantifier: Quantifier? = nil, left: Expression, operation: Operation,
    options: Options = [], right: Expression, span: Span, operationSpan: Span
  ) {
    self.quantifier = quantifier
    self.left = left
    self.operation = operation
    self.options = options
    self.right = right
    self.span = span
    self.operationSpan = operationSpan
  }

  /// Whether it searches a record for words: `SELF CONTAINS 'words'`.
  public var isSearch: Bool {
    if case .record = left { operation == .contains } else { false }
  }

  /// How many members of a list must pass.
  public enum Quantifier: String, Sendable, CaseIterable {
    /// One; also spelled `SOME`.
    case any = "ANY"
    /// All, also of no members.
    case all = "ALL"
    /// Not one.
    case notOne = "NONE"
  }

  /// What `[cdnl]` after an operator says (P1.1).
  public struct Options: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// The options of some bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `c`: case does not matter.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `d`: diacritics do not matter.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `n`: both sides are normalized already: supersedes the two above.
    public static let normalized = Options(rawValue: 4)
    /// `l`: the locale's order; there is one locale here.
    public static let localeSensitive = Options(rawValue: 8)

    /// The options with their letters, in the order of the canonical text.
    public static let letters: [(letter: Character, option: Options)] = [
      ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
      ("l", .localeSensitive),
    ]
  }

  /// The tests.
  public enum Operation: String, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case between = "BETWEEN"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case tokenMatches = "TOKENMATCHES"
    case conformsTo = "UTI-CONFORMS-TO"
    case isType = "UTI-EQUALS"
  }
}
