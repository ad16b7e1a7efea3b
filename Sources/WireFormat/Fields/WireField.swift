public import Basics
public import CloudModel
public import FieldCodecs

/// A field of a record in Web Services, or the value of a filter: `{"value":…, "type":…,
/// "isEncrypted":…}`.
public struct WireField: Sendable {
  /// The value; nil removes it.
  public let value: FieldValue?
  /// The written type; nil if the schema decides, or the value's shape.
  public let type: FieldType?

  /// Reads a field. Unknown keys are ignored.
  public init(_ json: JSONValue) throws(ValueReadingError) {
    guard case .object(let members) = json, members.contains(where: { $0.name == "value" }) else {
      throw ValueReadingError("a field must be an object with a value, not \(json.kind)")
    }
    try self.init(
      json["value"] ?? .null, json["type"]?.string, isEncrypted: json["isEncrypted"] == .bool(true))
  }

  /// Reads the members of a field.
  init(_ value: JSONValue, _ type: String?, isEncrypted: Bool) throws(ValueReadingError) {
    guard let name = type, !Self.isUnknownList(name) else {
      // The service takes such a value for ENCRYPTED_BYTES (W10.8).
      if isEncrypted { throw ValueReadingError("an encrypted value must have a type") }
      self.value = try Self.value(byShapeOf: value)
      self.type = nil
      return
    }
    guard var type = FieldType(wireName: name) else {
      // `LIST` alone is refused by the service.
      throw ValueReadingError("Unexpected input: unknown type '\(name.visible)'")
    }
    if isEncrypted { type.isEncrypted = true }
    self.value = try Self.value(value, as: type)
    self.type = type
  }

  /// Empty lists are written with these types, which name no type (W3.9).
  private static func isUnknownList(_ name: String) -> Bool {
    name == "UNKNOWN_LIST" || name == "EMPTY_LIST"
  }

  private static func value(
    _ json: JSONValue, as type: FieldType
  ) throws(ValueReadingError) -> FieldValue? {
    if json == .null { return nil }
    guard type.isList else {
      if let value = type.base.value(wire: json) { return value }
      throw mismatch(json, type)
    }
    guard let items = json.array else { throw mismatch(json, type) }
    var members: [FieldValue] = []
    members.reserveCapacity(items.count)
    for item in items {
      guard let member = type.base.value(wire: item) else { throw mismatch(item, type) }
      members.append(member)
    }
    return .list(members)
  }

  private static func value(byShapeOf json: JSONValue) throws(ValueReadingError) -> FieldValue? {
    switch json {
    case .array(let items):
      var members: [FieldValue] = []
      for item in items {
        guard let member = try single(byShapeOf: item) else {
          throw ValueReadingError("null cannot be a member of a list")
        }
        members.append(member)
      }
      return .list(members)
    case .null, .bool, .int, .double, .outOfRange, .string, .object:
      return try single(byShapeOf: json)
    }
  }

  private static func single(byShapeOf json: JSONValue) throws(ValueReadingError) -> FieldValue? {
    let base: FieldType.Base
    switch json {
    case .null: return nil
    case .bool, .int: base = .int64
    case .double: base = .double
    case .string: base = .string
    case .outOfRange: throw ValueReadingError("the number fits neither INT64 nor DOUBLE")
    case .array: throw ValueReadingError("a list cannot be a member of a list")
    case .object:
      base =
        json["latitude"] != nil ? .location : json["fileChecksum"] != nil ? .asset : .reference
    }
    if let value = base.value(wire: json) { return value }
    throw ValueReadingError("Unexpected input: the value is no \(base.rawValue)")
  }

  /// In the service's words (web-services.md, §0 fact 10; openradar 23687098).
  private static func mismatch(_ json: JSONValue, _ type: FieldType) -> ValueReadingError {
    guard !type.isList, case .array(let items) = json else {
      return ValueReadingError("Invalid value, expected type \(type.valueTypeName).")
    }
    return ValueReadingError(
      "Invalid value, expected type \(type.valueTypeName) but actual value was a list with "
        + "objects of class \(items.first?.javaClass ?? "java.lang.Object")")
  }
}

extension JSONValue {
  /// The service's name for a value of this kind (W4).
  fileprivate var javaClass: String {
    switch self {
    case .string: "java.lang.String"
    case .int: "java.lang.Long"
    case .double: "java.lang.Double"
    case .null, .bool, .outOfRange, .array, .object: "java.lang.Object"
    }
  }
}
