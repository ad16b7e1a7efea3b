internal import Basics
internal import CloudModel
internal import FieldCodecs

// The keys of a fixture (cli.md §7): plain JSON, or `{"value","type"}` if that does not imply the
// type. `"pending": true` marks a key that iCloud does not have yet; null is a removed key.
extension FixtureKeyValues: WrittenFixtureEntry {
  static let key = "keyValue"
  var name: String? { place.text }

  func json(_ source: FixtureWriter.AssetText) -> JSONValue {
    let waiting = Set(pending.map { Array($0.utf8) })
    var members = values.map { member in
      let json = Self.json(member.value)
      return JSONMember(
        member.key, waiting.contains(Array(member.key.utf8)) ? Self.pending(json) : json)
    }
    let known = Set(values.map { Array($0.key.utf8) })
    for key in pending where !known.contains(Array(key.utf8)) {
      members.append(JSONMember(key, Self.pending(.null)))
    }
    return .object(members.sorted { utf8Precedes($0.name, $1.name) })
  }

  private static func pending(_ json: JSONValue) -> JSONValue {
    let isTyped = json["value"] != nil
    let members: [JSONMember] =
      if isTyped, case .object(let members) = json { members } else { [.init("value", json)] }
    return .object(members + [.init("pending", .bool(true))])
  }

  private static func json(_ value: PropertyListValue) -> JSONValue {
    switch value {
    case .string, .integer, .unsigned, .double, .bool: return value.plain
    case .date, .data:
      return .object([.init("value", value.plain), .init("type", .string(value.kind.rawValue))])
    case .array(let items): return .array(items.map(json))
    case .dictionary(let members):
      let object = JSONValue.object(members.map { .init($0.key, json($0.value)) })
      // A dictionary with a key "value" would be parsed as a value with its type.
      guard object["value"] != nil else { return object }
      return .object([
        .init("value", object), .init("type", .string(PropertyListValue.Kind.dictionary.rawValue)),
      ])
    }
  }

  /// Parses keys. Throws `invalidArguments`.
  init(_ name: String, _ json: JSONValue) throws(CloudError) {
    let place = try FixturePlace(name)
    self.init(on: place.device, of: place.owner, [])
    guard case .object(let members) = json else {
      throw CloudError(
        .invalidArguments, "an entry of 'keyValue' must be an object, not \(json.kind)")
    }
    for member in members {
      let isPending = Self.isTyped(member.value) && member.value["pending"] == .bool(true)
      if isPending, device == nil {
        throw CloudError(.invalidArguments, "\(member.name): only a device can have pending keys")
      }
      if isPending { pending.append(member.name) }
      if isPending, member.value["value"] == .null { continue }
      do throws(ValueReadingError) {
        values.append(.init(member.name, try Self.value(member.value)))
      } catch {
        throw CloudError(.invalidArguments, "\(member.name): \(error.message)")
      }
    }
    guard case .dictionary(let sorted) = PropertyListValue.dictionary(of: values),
      sorted.count == values.count
    else { throw CloudError(.invalidArguments, "a key appears twice") }
    values = sorted
    pending.sort(by: utf8Precedes)
  }

  private static func isTyped(_ json: JSONValue) -> Bool {
    guard case .object(let members) = json, json["value"] != nil else { return false }
    return members.allSatisfy { ["value", "type", "pending"].contains($0.name) }
  }

  private static func value(_ json: JSONValue) throws(ValueReadingError) -> PropertyListValue {
    if isTyped(json), let value = json["value"] {
      guard let name = json["type"] else { return try self.value(value) }
      guard let kind = name.string.flatMap({ PropertyListValue.Kind(typed: $0) }) else {
        throw ValueReadingError("unknown type \(name.text)")
      }
      return try self.value(value, kind)
    }
    switch json {
    case .array(let items):
      var values: [PropertyListValue] = []
      for item in items { values.append(try value(item)) }
      return .array(values)
    case .object(let members): return try dictionary(members)
    case .null, .outOfRange, .bool, .int, .double, .string:
      guard let value = PropertyListValue(plain: json) else {
        throw ValueReadingError("null and numbers out of range are not valid values")
      }
      return value
    }
  }

  private static func dictionary(
    _ members: [JSONMember]
  ) throws(ValueReadingError) -> PropertyListValue {
    var values: [PropertyListValue.Member] = []
    for member in members { values.append(.init(member.name, try value(member.value))) }
    return .dictionary(of: values)
  }

  private static func value(
    _ json: JSONValue, _ kind: PropertyListValue.Kind
  ) throws(ValueReadingError) -> PropertyListValue {
    switch (kind, json) {
    case (.double, .int(let number)): return .double(Double(number))
    case (.date, .string(let text)):
      if let time = Timestamp(text) { return .date(time) }
    case (.data, .string(let text)):
      if let bytes = Base64.decode(text) { return .data(bytes) }
    case (.dictionary, .object(let members)): return try dictionary(members)
    case (.string, _), (.integer, _), (.double, _), (.bool, _), (.array, _), (.date, _),
      (.data, _), (.dictionary, _):
      let value = try value(json)
      if value.kind == kind { return value }
    }
    throw ValueReadingError("expected the type \(kind.rawValue)")
  }
}
