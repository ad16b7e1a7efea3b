public import Basics
public import CloudModel
public import FieldCodecs

/// Reads plain JSON as values; the type is implied by the shape (M5), or written with the value:
/// `{"value":…,"type":"TIMESTAMP"}`.
public enum PlainJSONReader {
  /// A value and the type that was written with it.
  public struct Reading: Sendable {
    /// The value; nil for null.
    public var value: FieldValue?
    /// The written type.
    public var type: FieldType?
  }

  /// Reads a field's value.
  public static func read(_ json: JSONValue) throws(ValueReadingError) -> Reading {
    if case .object(let members) = json, members.contains(where: { $0.name == "value" }) {
      return try typed(members)
    }
    return Reading(value: try value(json), type: nil)
  }

  private static func typed(_ members: [JSONMember]) throws(ValueReadingError) -> Reading {
    var json = JSONValue.null
    var type: FieldType?
    var isEncrypted = false
    for member in members {
      switch member.name {
      case "value": json = member.value
      case "isEncrypted": isEncrypted = member.value == .bool(true)
      case "type":
        type = try known(member.value)
      default: throw ValueReadingError("unknown key '\(member.name)' next to 'value'")
      }
    }
    guard var type else {
      // The service refuses it, too: it would be ENCRYPTED_BYTES (W4.2).
      if isEncrypted { throw ValueReadingError("an encrypted value must have a type") }
      return Reading(value: try value(json), type: nil)
    }
    if isEncrypted { type.isEncrypted = true }
    return Reading(value: try value(json, as: type), type: type)
  }

  /// Reads a written type; nil for the lists whose type the service does not know (W3.9).
  private static func known(_ json: JSONValue) throws(ValueReadingError) -> FieldType? {
    let name = json.string ?? ""
    if name == "UNKNOWN_LIST" || name == "EMPTY_LIST" { return nil }
    if let type = FieldType(schemaName: name) ?? FieldType(wireName: name) { return type }
    throw ValueReadingError("\(json.text) is not a type of the schema language")
  }

  /// Reads a value by its shape.
  private static func value(_ json: JSONValue) throws(ValueReadingError) -> FieldValue? {
    switch json {
    case .null: return nil
    case .bool(let flag): return .int64(flag ? 1 : 0)
    case .int(let number): return .int64(number)
    case .double(let number): return .double(number)
    case .outOfRange: throw ValueReadingError("the number fits neither INT64 nor DOUBLE")
    case .string(let text): return .string(text)
    case .array(let items):
      var members: [FieldValue] = []
      members.reserveCapacity(items.count)
      for item in items {
        if case .array = item { throw ValueReadingError("a list cannot be a member of a list") }
        guard let member = try value(item) else {
          throw ValueReadingError("null cannot be a member of a list")
        }
        members.append(member)
      }
      return .list(members)
    case .object(let members): return try FieldValue(plain: members)
    }
  }

  /// Reads a value of a known type.
  public static func value(
    _ json: JSONValue, as type: FieldType
  ) throws(ValueReadingError) -> FieldValue? {
    guard let value = try value(json) else { return nil }
    if let read = value.reread(as: type) { return read }
    if case .list(let members) = value, members.isEmpty, type.isList { return value }
    if value.type?.isList == type.isList, value.hasPlainType(type.base) {
      return value.converted(to: type.base)
    }
    if !type.isList, case .list(let members) = value {
      throw ValueReadingError(
        "Invalid value, expected type \(type.valueTypeName) but actual value was a list with "
          + "objects of class \(members.first.map(\.javaClass) ?? "java.lang.Object")")
    }
    throw ValueReadingError("expected \(type.schemaName), found \(json.kind)")
  }
}

extension FieldValue {
  /// The service's name for a value of this kind (W4).
  fileprivate var javaClass: String {
    switch self {
    case .string: "java.lang.String"
    case .int64: "java.lang.Long"
    case .double: "java.lang.Double"
    case .timestamp, .bytes, .location, .reference, .asset, .list: "java.lang.Object"
    }
  }

  /// Whether the value's shape in plain JSON is allowed for a type.
  fileprivate func hasPlainType(_ base: FieldType.Base) -> Bool {
    guard let own = type?.base else { return true }
    switch (own, base) {
    case (.int64, .double), (.int64, .number), (.double, .number): return true
    default: return own == base
    }
  }

  /// Converts integers to real numbers if the type requires it.
  fileprivate func converted(to base: FieldType.Base) -> FieldValue {
    switch (self, base) {
    case (.int64(let number), .double): .double(Double(number))
    case (.list(let members), .double): .list(members.map { $0.converted(to: base) })
    default: self
    }
  }
}
