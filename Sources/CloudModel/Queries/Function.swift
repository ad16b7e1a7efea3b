/// The functions of predicates, a fixed table (P1.4); raw values are canonical.
public enum Function: String, Sendable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  /// Of two integers the quotient without its fraction.
  case divide = "/"
  case raise = "**"
  case modulus = "modulus:by:"
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  case sum
  case count
  case min
  case max
  case average
  case median
  /// The most frequent values, as a list.
  case mode
  /// Of a whole population.
  case standardDeviation = "stddev"
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
  /// Its argument; in Core Data a hint to use no index.
  case withoutIndex = "noindex:"
  /// The words of a text, by the letters of its second argument.
  case tokenize = "tokenize:using:"
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
  case unionOf = ".@unionOfObjects"
  case distinctUnionOf = ".@distinctUnionOfObjects"
  /// The moment of the query, the same for all its records.
  case now
  /// A number from 0 to 1, the same for all records of a query.
  case random
  /// A whole number from 0 to below the argument, the same for all records of a query.
  case randomBelow = "randomn:"
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
    case .first, .last, .size, .item: true
    default: isCollectionOperator
    }
  }

  /// Whether it stands behind its argument as a key that begins with `@`.
  public var isCollectionOperator: Bool { rawValue.hasPrefix(".@") }

  /// How many arguments it takes.
  public var argumentCount: Int {
    switch self {
    case .now, .random: 0
    case .item, .modulus, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .tokenize:
      2
    default: isInfix ? 2 : 1
    }
  }

  /// The function of a name in a predicate's text; nil for none. A last colon may be missing.
  public init?(name: String) {
    if let function = Self.otherNames[name] {
      self = function
      return
    }
    let bare = name.hasSuffix(":") ? String(name.dropLast()) : name
    guard
      let function = Self(rawValue: name) ?? Self(rawValue: bare) ?? Self(rawValue: bare + ":"),
      !function.isInfix, !function.isCast, !function.isPostfix
    else { return nil }
    self = function
  }

  /// Further names of `NSExpression`, and the one that CloudKit's documents have for `tokenize`.
  private static let otherNames: [String: Function] = [
    "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply,
    "divide:by:": .divide, "raise:toPower:": .raise, "objectFrom:withIndex:": .item,
    "tokenize": .tokenize, "randomn": .randomBelow,
  ]

  /// The function that calls an object's method in `FUNCTION(x, "method")`; nil for a method
  /// that is not in the table: Apple's calls any, which lets a predicate run code.
  public init?(method: String) {
    switch method {
    case "uppercaseString": self = .uppercase
    case "lowercaseString": self = .lowercase
    case "length": self = .length
    case "count": self = .count
    case "firstObject": self = .first
    case "lastObject": self = .last
    case "objectAtIndex:": self = .item
    case "intValue", "integerValue", "longLongValue", "doubleValue", "floatValue": self = .number
    case "stringValue", "description": self = .string
    default: return nil
    }
  }
}
