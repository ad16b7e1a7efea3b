/// The functions of predicates, a fixed table (P1.4); the raw values are canonical.
public enum Function: String, Sendable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  /// For two integers, the quotient without its fraction.
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
  /// Of the whole population.
  case standardDeviation = "stddev"
  case sqrt
  /// With base 10.
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
  /// Its argument; in Core Data a hint not to use an index.
  case withoutIndex = "noindex:"
  /// The words of a string, with the option letters of the second argument.
  case tokenize = "tokenize:using:"
  /// `x[FIRST]`, `x[LAST]`, `x[SIZE]`, `x[2]`.
  case first = "[FIRST]"
  case last = "[LAST]"
  case size = "[SIZE]"
  case item = "[]"
  /// `x.@count` and similar operators.
  case countOf = ".@count"
  case sumOf = ".@sum"
  case minOf = ".@min"
  case maxOf = ".@max"
  case averageOf = ".@avg"
  case unionOf = ".@unionOfObjects"
  case distinctUnionOf = ".@distinctUnionOfObjects"
  /// The time of the query, the same for all its records.
  case now
  /// A random number from 0 to 1, the same for all records of a query.
  case random
  /// A random integer from 0 to below the argument, the same for all records of a query.
  case randomBelow = "randomn:"
  /// Seconds since 2001 as a date.
  case date = "NSDate"
  case number = "NSNumber"
  case string = "NSString"

  /// How a function is written.
  public enum Form: Sendable {
    /// Between its two arguments.
    case infix
    /// As `name(x)`.
    case call
    /// As `CAST(x, "NSDate")`.
    case cast
    /// After its argument, in brackets.
    case postfix
    /// After its argument, as a key that begins with `@`.
    case collectionOperator
  }

  /// The notation, and the number of arguments.
  private var shape: (form: Form, argumentCount: Int) {
    switch self {
    case .add, .subtract, .multiply, .divide, .raise: (.infix, 2)
    case .modulus, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .tokenize:
      (.call, 2)
    case .onesComplement, .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation,
      .sqrt, .log, .ln, .exp, .floor, .ceiling, .abs, .trunc, .uppercase, .lowercase, .length,
      .withoutIndex, .randomBelow:
      (.call, 1)
    case .now, .random: (.call, 0)
    case .date, .number, .string: (.cast, 1)
    case .first, .last, .size: (.postfix, 1)
    case .item: (.postfix, 2)
    case .countOf, .sumOf, .minOf, .maxOf, .averageOf, .unionOf, .distinctUnionOf:
      (.collectionOperator, 1)
    }
  }

  /// The notation.
  public var form: Form { shape.form }

  /// The number of arguments.
  public var argumentCount: Int { shape.argumentCount }

  /// The function with a name in a predicate's text; nil for none. The last colon may be missing.
  public init?(name: String) {
    if let function = Self.otherNames[name] {
      self = function
      return
    }
    let bare = name.hasSuffix(":") ? String(name.dropLast()) : name
    guard
      let function = Self(rawValue: name) ?? Self(rawValue: bare) ?? Self(rawValue: bare + ":"),
      function.form == .call
    else { return nil }
    self = function
  }

  /// Other names in `NSExpression`, and the name of `tokenize` in CloudKit's documentation.
  private static let otherNames: [String: Function] = [
    "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply,
    "divide:by:": .divide, "raise:toPower:": .raise, "objectFrom:withIndex:": .item,
    "tokenize": .tokenize, "randomn": .randomBelow,
  ]

  /// The function for a method in `FUNCTION(x, "method")`; nil for a method not in the table. Apple
  /// calls any method, which lets a predicate run code.
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
