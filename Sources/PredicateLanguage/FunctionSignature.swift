internal import CloudModel

/// The types of a function's arguments and value (P1.4).
struct FunctionSignature {
  /// The types of its arguments; the second one of `tokenize` and `item` is checked elsewhere.
  var takes: Domain
  /// The type that an argument's bare text is parsed as; nil for the other side's.
  var reads: FieldType?
  /// The type of its value.
  var gives: Result

  fileprivate init(_ takes: Domain, reads: FieldType?, gives: Result) {
    (self.takes, self.reads, self.gives) = (takes, reads, gives)
  }

  /// The types of arguments.
  enum Domain {
    case anything
    case number
    case wholeNumber
    /// Numbers, or lists of them.
    case numbers
    case listOfNumbers
    case list
    /// Ordered values, or lists of them.
    case ordered
    case listOfOrdered
    case string
    /// Values that can be read as a date or a number.
    case measurable
    /// Values that can be written as a string.
    case printable

    /// Whether it contains a type.
    func has(_ type: FieldType) -> Bool {
      let isNumber = [.int64, .double, .number].contains(type.base)
      return switch self {
      case .anything: true
      case .number: isNumber && !type.isList
      case .wholeNumber: type == FieldType(.int64) || type == FieldType(.number)
      case .numbers: isNumber
      case .listOfNumbers: isNumber && type.isList
      case .list: type.isList
      case .ordered: FieldType(type.base).orderFamily != nil
      case .listOfOrdered: type.isList && FieldType(type.base).orderFamily != nil
      case .string: type == FieldType(.string)
      case .measurable:
        !type.isList && (isNumber || type.base == .string || type.base == .timestamp)
      case .printable:
        type.base == .reference || !type.isList && (isNumber || type.base == .string)
      }
    }
  }

  /// The type of a function's value.
  enum Result {
    case type(FieldType)
    /// The type of its argument.
    case argument
    /// The type of a member of its argument.
    case member
    /// The type of one of several arguments, or of a member of a list.
    case extreme
    /// The type of its argument's members.
    case members
    /// Several values of one type.
    case values
    /// A string, or a list of strings for a list.
    case text
  }
}

extension Function {
  /// Its signature: one row for each function.
  var signature: FunctionSignature {
    let (number, string) = (FieldType(.number), FieldType(.string))
    return switch self {
    case .add, .subtract, .multiply, .divide, .raise, .modulus, .sqrt, .log, .ln, .exp, .floor,
      .ceiling, .abs, .trunc, .randomBelow, .random:
      FunctionSignature(.number, reads: number, gives: .type(number))
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      FunctionSignature(.wholeNumber, reads: number, gives: .type(number))
    case .sum, .average, .median, .standardDeviation:
      FunctionSignature(.numbers, reads: number, gives: .type(number))
    case .mode: FunctionSignature(.numbers, reads: number, gives: .values)
    case .sumOf, .averageOf: FunctionSignature(.listOfNumbers, reads: number, gives: .type(number))
    case .min, .max: FunctionSignature(.ordered, reads: nil, gives: .extreme)
    case .minOf, .maxOf: FunctionSignature(.listOfOrdered, reads: nil, gives: .extreme)
    case .count, .size, .countOf: FunctionSignature(.list, reads: number, gives: .type(number))
    case .unionOf, .distinctUnionOf: FunctionSignature(.list, reads: number, gives: .members)
    case .first, .last, .item: FunctionSignature(.list, reads: nil, gives: .member)
    case .withoutIndex: FunctionSignature(.anything, reads: nil, gives: .argument)
    case .uppercase, .lowercase: FunctionSignature(.string, reads: string, gives: .type(string))
    case .length: FunctionSignature(.string, reads: string, gives: .type(number))
    case .tokenize:
      FunctionSignature(
        .string, reads: string, gives: .type(FieldType(.string, isList: true)))
    case .now: FunctionSignature(.number, reads: number, gives: .type(FieldType(.timestamp)))
    case .date: FunctionSignature(.measurable, reads: string, gives: .type(FieldType(.timestamp)))
    case .number: FunctionSignature(.measurable, reads: string, gives: .type(number))
    case .string: FunctionSignature(.printable, reads: string, gives: .text)
    }
  }
}
