internal import Basics
public import CloudModel

extension FieldValue {
  /// The values that can be compared with one another.
  public enum Family: Sendable {
    case number
    case string
    case timestamp
    case bytes
    case location
    case reference
    case asset
    case list
  }

  /// The family of the value.
  public var family: Family {
    switch self {
    case .int64, .double: .number
    case .string: .string
    case .timestamp: .timestamp
    case .bytes: .bytes
    case .location: .location
    case .reference: .reference
    case .asset: .asset
    case .list: .list
    }
  }

  /// Equality in predicates: numbers by value, references by name (R5.13), strings by their bytes;
  /// values of different families are never equal.
  public func matches(_ other: FieldValue) -> Bool {
    switch (self, other) {
    case (.reference(let a), .reference(let b)): utf8Equal(a.name.text, b.name.text)
    case (.location(let a), .location(let b)):
      a.latitude == b.latitude && a.longitude == b.longitude
    case (.int64, .double), (.double, .int64), (.double, .double): order(to: other) == 0
    default: self == other
    }
  }

  /// Negative, zero or positive for two values with an order; nil if they have none.
  public func order(to other: FieldValue) -> Int? {
    switch (self, other) {
    case (.int64(let a), .int64(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.double(let a), .double(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.int64(let a), .double(let b)): compare(a, b)
    case (.double(let a), .int64(let b)): -compare(b, a)
    case (.string(let a), .string(let b)): utf8Compare(a, b)
    case (.timestamp(let a), .timestamp(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.reference(let a), .reference(let b)): utf8Compare(a.name.text, b.name.text)
    default: nil
    }
  }
}

/// Compares an integer and a real number by their exact values.
private func compare(_ a: Int64, _ b: Double) -> Int {
  if b >= 0x1p63 { return -1 }
  if b < -0x1p63 { return 1 }
  let whole = Int64(b.rounded(.towardZero))
  if a != whole { return a < whole ? -1 : 1 }
  let fraction = b - b.rounded(.towardZero)
  return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
}

extension FieldType.Base {
  /// The family of its values.
  public var family: FieldValue.Family {
    switch self {
    case .string: .string
    case .int64, .double, .number: .number
    case .timestamp: .timestamp
    case .bytes: .bytes
    case .location: .location
    case .reference: .reference
    case .asset: .asset
    }
  }
}
