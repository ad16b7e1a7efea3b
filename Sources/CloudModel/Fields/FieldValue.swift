/// A value of a record's field (R3.3). A field without a value has no entry.
public enum FieldValue: Sendable, Equatable {
  case string(String)
  case int64(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case bytes([UInt8])
  // The larger values are indirect: most values are copied often, and should be small.
  indirect case location(Location)
  indirect case reference(Reference)
  indirect case asset(Asset)
  /// Members of one type, in order; an empty list has no type of its own (R3.4.4).
  case list([FieldValue])

  /// The type of the value; nil for an empty list.
  public var type: FieldType? {
    switch self {
    case .string: FieldType(.string)
    case .int64: FieldType(.int64)
    case .double: FieldType(.double)
    case .timestamp: FieldType(.timestamp)
    case .bytes: FieldType(.bytes)
    case .location: FieldType(.location)
    case .reference: FieldType(.reference)
    case .asset: FieldType(.asset)
    case .list(let members): (members.first?.type).map { FieldType($0.base, isList: true) }
    }
  }

  /// Whether two values are the same; texts are compared by bytes, numbers by bits.
  public static func == (left: FieldValue, right: FieldValue) -> Bool {
    switch (left, right) {
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.int64(let a), .int64(let b)): a == b
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.timestamp(let a), .timestamp(let b)): a == b
    case (.bytes(let a), .bytes(let b)): a == b
    case (.location(let a), .location(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    case (.asset(let a), .asset(let b)): a == b
    case (.list(let a), .list(let b)): a == b
    default: false
    }
  }
}
