internal import Basics

/// A value of the key-value store, as in a property list (kvs-documents.md A2). The types stay
/// distinct: `1`, `true` and `1.0` are three values.
public enum PropertyListValue: Sendable, Equatable {
  /// A string.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A whole number above the largest Int64.
  case unsigned(UInt64)
  /// A real number, always finite.
  case double(Double)
  /// A boolean.
  case bool(Bool)
  /// A date.
  case date(Timestamp)
  /// Bytes.
  case data([UInt8])
  /// An ordered list of values.
  case array([PropertyListValue])
  /// Values with unique keys, in byte order of the keys.
  case dictionary([Member])

  /// A key and value of a dictionary.
  public struct Member: Sendable, Equatable {
    /// The key.
    public let key: String
    /// The value.
    public let value: PropertyListValue

    /// Creates a member.
    public init(_ key: String, _ value: PropertyListValue) { (self.key, self.value) = (key, value) }
  }

  /// The types of values.
  public enum Kind: String, Sendable, CaseIterable {
    case string, integer, double, bool, date, data, array, dictionary

    /// The type with a name, which may also be a field type's name.
    public init?(typed name: String) {
      switch name {
      case "int", "int64": self = .integer
      case "timestamp": self = .date
      case "bytes": self = .data
      case "list": self = .array
      case "dict": self = .dictionary
      default: self.init(rawValue: name)
      }
    }
  }

  /// The type of the value.
  public var kind: Kind {
    switch self {
    case .string: .string
    case .integer, .unsigned: .integer
    case .double: .double
    case .bool: .bool
    case .date: .date
    case .data: .data
    case .array: .array
    case .dictionary: .dictionary
    }
  }

  /// The value as a typed getter returns it: numbers and booleans convert to each other as NSNumber
  /// does, without a fraction to an integer. Nil for a value of another type.
  public func converted(to kind: Kind) -> PropertyListValue? {
    switch (kind, self) {
    case (.integer, .unsigned(let number)): .integer(Int64(bitPattern: number))
    case (.integer, .double(let number)): .integer(Int64(saturating: number))
    case (.integer, .bool(let isTrue)): .integer(isTrue ? 1 : 0)
    case (.double, .integer(let number)): .double(Double(number))
    case (.double, .unsigned(let number)): .double(Double(number))
    case (.double, .bool(let isTrue)): .double(isTrue ? 1 : 0)
    case (.bool, .integer(let number)): .bool(number != 0)
    case (.bool, .unsigned): .bool(true)
    case (.bool, .double(let number)): .bool(number != 0)
    default: self.kind == kind ? self : nil
    }
  }

  /// A dictionary of members in any order; if a key occurs twice, the later one wins.
  public static func dictionary(of members: [Member]) -> PropertyListValue {
    var all: [Member] = []
    // Sorting keeps the order of equal keys.
    for member in members.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      if let last = all.last, utf8Equal(last.key, member.key) { all.removeLast() }
      all.append(member)
    }
    return .dictionary(all)
  }

  /// The bytes that the value counts towards the quota: those of strings and data, 8 for a number
  /// or a date, 1 for a boolean, and the sum for containers, including the keys of dictionaries
  /// (kvs-documents.md A1; Apple does not document it).
  public var size: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .integer, .unsigned, .double, .date: 8
    case .bool: 1
    case .array(let items): items.reduce(0) { $0 + $1.size }
    case .dictionary(let members): members.reduce(0) { $0 + $1.key.utf8.count + $1.value.size }
    }
  }
}

extension Int64 {
  /// A real number without its fraction; the nearest integer if it does not fit.
  fileprivate init(saturating number: Double) {
    self = Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }
}
