/// A parsed predicate: the condition of a query on a record (P1).
public indirect enum Predicate: Sendable, Equatable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool, Span)
  /// All of two or more parts must be true.
  case and([Predicate], Span)
  /// One of two or more parts must be true.
  case or([Predicate], Span)
  /// The negation.
  case not(Predicate, Span)
  /// A comparison of two expressions.
  case comparison(Comparison)

  /// The position of the predicate in its text, including its parentheses.
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
  /// Calls `body` with every expression in the predicate, outer ones first.
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
  /// Whether it contains a key path, which leads to other records.
  public var hasPaths: Bool {
    var hasPaths = false
    visit { if case .path = $0 { hasPaths = true } }
    return hasPaths
  }

  /// Whether it uses the distance between two places.
  public var hasDistances: Bool {
    var hasDistances = false
    visit { if case .distance = $0 { hasDistances = true } }
    return hasDistances
  }
}

/// A range of a text, in UTF-8 bytes from its beginning.
public typealias Span = Range<Int>

/// A comparison of two expressions.
public struct Comparison: Sendable, Equatable {
  /// How many members of the left side must pass; nil if it is tested as a whole.
  public var quantifier: Quantifier?
  /// The left side.
  public var left: Expression
  /// The operator.
  public var operation: Operation
  /// How strings are compared.
  public var options: Options
  /// The right side.
  public var right: Expression
  /// The position of the whole comparison in its text.
  public var span: Span
  /// The position of its operator.
  public var operationSpan: Span

  /// Creates a comparison.
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
    /// At least one; also spelled `SOME`.
    case any = "ANY"
    /// All, even if there are none.
    case all = "ALL"
    /// None.
    case notOne = "NONE"
  }

  /// The options in `[cdnl]` after an operator (P1.1).
  public struct Options: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// The options of a bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `c`: ignores case.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `d`: ignores diacritics.
    public static let diacriticInsensitive = Options(rawValue: 2)
    /// `n`: both sides are already normalized; supersedes the two above.
    public static let normalized = Options(rawValue: 4)
    /// `l`: uses the locale's order; there is only one locale here.
    public static let localeSensitive = Options(rawValue: 8)

    /// The options and their letters, in the order of the canonical text.
    public static let letters: [(letter: Character, option: Options)] = [
      ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
      ("l", .localeSensitive),
    ]
  }

  /// The operators.
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
