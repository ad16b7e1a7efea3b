/// The functions of predicates, a fixed table (`predicates.md` §1.4); raw values are canonical.
public enum Function: String, Sendable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  /// Of two integers the quotient without its fraction.
  case divide = "/"
  case raise = "**"
  case modulus = "modulus:by:"
  case sum
  case count
  case min
  case max
  case average
  case median
  case sqrt
  /// To the base 10.
  case log
  case ln
  case exp
  case floor
  case ceiling
  case abs
  case trunc
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case length = "length:"
  /// `x[FIRST]`, `x[LAST]`, `x[SIZE]`, `x[2]`.
  case first = "[FIRST]"
  case last = "[LAST]"
  case size = "[SIZE]"
  case item = "[]"
  /// `x.@count` and its kin.
  case countOf = ".@count"
  case sumOf = ".@sum"
  case minOf = ".@min"
  case maxOf = ".@max"
  case averageOf = ".@avg"
  /// The moment of the query, the same for all its records.
  case now
  /// Seconds since 2001 as a date.
  case date = "NSDate"
  case number = "NSNumber"
  case string = "NSString"

  /// Whether it stands between its two arguments.
  public var isInfix: Bool {
    switch self {
    case .add, .subtract, .multiply, .divide, .raise: true
    default: false
    }
  }

  /// Whether it is written as `CAST(x, "NSDate")`.
  public var isCast: Bool {
    switch self {
    case .date, .number, .string: true
    default: false
    }
  }

  /// Whether it stands behind its argument.
  public var isPostfix: Bool {
    switch self {
    case .first, .last, .size, .item, .countOf, .sumOf, .minOf, .maxOf, .averageOf: true
    default: false
    }
  }

  /// How many arguments it takes.
  public var argumentCount: Int {
    switch self {
    case .now: 0
    case .item, .modulus: 2
    default: isInfix ? 2 : 1
    }
  }

  /// The function of a name in a predicate's text; nil for none.
  public init?(name: String) {
    switch name {
    case "add:to:": self = .add
    case "from:subtract:": self = .subtract
    case "multiply:by:": self = .multiply
    case "divide:by:": self = .divide
    case "raise:toPower:": self = .raise
    case "uppercase": self = .uppercase
    case "lowercase": self = .lowercase
    case "length": self = .length
    default:
      let bare = name.hasSuffix(":") ? String(name.dropLast()) : name
      guard let function = Self(rawValue: name) ?? Self(rawValue: bare), !function.isInfix,
        !function.isCast, !function.isPostfix
      else { return nil }
      self = function
    }
  }
}
