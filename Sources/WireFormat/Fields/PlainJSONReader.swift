public import Basics
public import CloudModel

/// Why a JSON value is no value of a field.
public struct ValueReadingError: Error, Sendable {
  /// The reason, as a sentence without its end.
  public let message: String

  init(_ message: String) { self.message = message }
}

/// Reads plain JSON as values: the shape tells the type (M5), or the type that is
/// written with it: `{"value":…,"type":"TIMESTAMP"}`.
public enum PlainJSONReader {
  /// A value and the type that was written with it.
  public struct Reading: Sendable {
    /// The value; nil for null.
    public var value: FieldValue?
    /// The written type.
    public var type: FieldType?
  }

  /// Reads a field's value. Throws `ValueReadingError`.
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
        guard case .string(let name) = member.value,
          let known = FieldType(schemaName: name) ?? FieldType(wireName: name)
        else {
          throw ValueReadingError("\(member.value.text) is no type of the schema language")
        }
        type = known
      default: throw ValueReadingError("unknown key '\(member.name)' beside 'value'")
      }
    }
    guard var type else { return Reading(value: try value(json), type: nil) }
    if isEncrypted { type.isEncrypted = true }
    return Reading(value: try value(json, as: type), type: type)
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
    case .object(let members): return try object(members)
    }
  }

  private static func object(_ members: [JSONMember]) throws(ValueReadingError) -> FieldValue {
    let names = Set(members.map(\.name))
    if names.contains("latitude") { return .location(try location(members)) }
    if names.contains("recordName") { return .reference(try reference(members)) }
    if names.contains("sha256") || names.contains("fileChecksum") {
      return .asset(try asset(members))
    }
    throw ValueReadingError(
      "an object is a value only as {latitude, longitude}, {recordName} or {value, type}")
  }

  private static func location(_ members: [JSONMember]) throws(ValueReadingError) -> Location {
    var numbers: [String: Double] = [:]
    var time: Timestamp?
    for member in members {
      switch member.value {
      case .int(let number) where member.name == "timestamp":
        time = try moment(number)
      case .int(let number): numbers[member.name] = Double(number)
      case .double(let number): numbers[member.name] = number
      case .string(let text) where member.name == "timestamp":
        guard let read = Timestamp(text) else { throw noMoment }
        time = read
      case .null: break
      case .bool, .outOfRange, .string, .array, .object:
        throw ValueReadingError("'\(member.name)' of a location is a number")
      }
    }
    guard let latitude = numbers.removeValue(forKey: "latitude"),
      let longitude = numbers.removeValue(forKey: "longitude"),
      var location = Location(latitude: latitude, longitude: longitude)
    else {
      throw ValueReadingError(
        "a location wants a latitude from -90 to 90 and a longitude from -180 to 180")
    }
    location.altitude = numbers.removeValue(forKey: "altitude")
    location.horizontalAccuracy = numbers.removeValue(forKey: "horizontalAccuracy")
    location.verticalAccuracy = numbers.removeValue(forKey: "verticalAccuracy")
    location.course = numbers.removeValue(forKey: "course")
    location.speed = numbers.removeValue(forKey: "speed")
    if let number = numbers.removeValue(forKey: "timestamp") {
      time = try moment(Int64(exactly: number.rounded()))
    }
    location.timestamp = time
    if let name = numbers.keys.sorted().first {
      throw ValueReadingError("unknown key '\(name)' of a location")
    }
    return location
  }

  private static let noMoment = ValueReadingError(
    "the location's timestamp must be a date in the years 0001 to 9999")

  private static func moment(_ milliseconds: Int64?) throws(ValueReadingError) -> Timestamp {
    guard let time = milliseconds.flatMap(Timestamp.init(given:)) else { throw noMoment }
    return time
  }

  private static func reference(
    _ members: [JSONMember]
  ) throws(ValueReadingError) -> Reference {
    var name: RecordName?
    var zone: ZoneID?
    var action = Reference.Action.none
    for member in members {
      switch (member.name, member.value) {
      case ("recordName", .string(let text)): name = try? RecordName(text)
      case ("action", .string(let text)):
        guard let known = Reference.Action(name: text) else {
          throw ValueReadingError("a reference's action is NONE, DELETE_SELF or VALIDATE")
        }
        action = known
      case ("zone", .string), ("zoneID", .object): zone = try self.zone(member.value)
      default: throw ValueReadingError("unknown key '\(member.name)' of a reference")
      }
    }
    guard let name else { throw ValueReadingError("the reference's recordName is no record name") }
    return Reference(name, in: zone, action: action)
  }

  /// The zone that a reference names: a text, or Web Services' object.
  static func zone(_ json: JSONValue) throws(ValueReadingError) -> ZoneID? {
    do throws(CloudError) {
      if let text = json.string { return try ZoneID(text) }
      return try ZoneID(json: json)
    } catch { throw ValueReadingError(error.message) }
  }

  private static func asset(_ members: [JSONMember]) throws(ValueReadingError) -> Asset {
    let object = JSONValue.object(members)
    guard case .string(let hash)? = object["sha256"] ?? object["fileChecksum"],
      case .int(let size)? = object["size"],
      let asset = Asset(sha256: hash, size: size)
    else { throw ValueReadingError("an asset is {sha256, size}") }
    return asset
  }

  /// Reads a value of a type that is known. Throws `ValueReadingError`.
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
  /// What the service, whose words these are, calls a value of this kind (W4).
  fileprivate var javaClass: String {
    switch self {
    case .string: "java.lang.String"
    case .int64: "java.lang.Long"
    case .double: "java.lang.Double"
    case .timestamp, .bytes, .location, .reference, .asset, .list: "java.lang.Object"
    }
  }

  /// Whether the value's shape in plain JSON may stand for a type.
  fileprivate func hasPlainType(_ base: FieldType.Base) -> Bool {
    guard let own = type?.base else { return true }
    switch (own, base) {
    case (.int64, .double), (.int64, .number), (.double, .number): return true
    default: return own == base
    }
  }

  /// Integers as real numbers where the type says so.
  fileprivate func converted(to base: FieldType.Base) -> FieldValue {
    switch (self, base) {
    case (.int64(let number), .double): .double(Double(number))
    case (.list(let members), .double): .list(members.map { $0.converted(to: base) })
    default: self
    }
  }
}

extension JSONValue {
  /// The number that the value is, as a real one.
  var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    case .null, .bool, .outOfRange, .string, .array, .object: nil
    }
  }
}
