internal import Basics
internal import CloudModel
internal import FieldCodecs

/// Reads one value of a fixture: replaces fixture-only notation, and reads the rest as usual (M4,
/// M5).
struct FixtureValue {
  let conditions: FixtureResolver.Conditions
  /// Identifies the record, to choose its random values.
  let purpose: [String]
  /// The base of relative paths.
  let directory: String
  private(set) var sources: [Asset: AssetSource] = [:]
  private(set) var isDangling = false
  private(set) var usesNow = false
  private var randomCount = 0

  init(conditions: FixtureResolver.Conditions, purpose: [String], directory: String) {
    self.conditions = conditions
    self.purpose = purpose
    self.directory = directory
  }

  /// Reads the value of a field of a known or unknown type. Throws `ValueReadingError`, and
  /// `CloudError` for the contents of assets.
  mutating func read(
    _ field: FieldText, as type: FieldType?
  ) throws -> PlainJSONReader.Reading {
    if field.isCell, case .string(let text) = field.value {
      return PlainJSONReader.Reading(value: try cell(text, field, type), type: nil)
    }
    let type = field.value.writtenType ?? type
    let place = field.name.text
    guard case .object(var members) = field.value,
      let index = members.firstIndex(where: { $0.name == "value" })
    else { return try PlainJSONReader.read(rewritten(field.value, type, place)) }
    members[index].value = try rewritten(members[index].value, type, place)
    return try PlainJSONReader.read(.object(members))
  }

  private mutating func cell(
    _ text: String, _ field: FieldText, _ type: FieldType?
  ) throws -> FieldValue {
    if text.hasPrefix("{") || text.hasPrefix("["), type?.base != .string,
      let json = try? JSONParser.parse(text)
    {
      let plain = try rewritten(json, type, field.name.text)
      if plain != json || type?.base == .asset {
        let reading = try PlainJSONReader.read(plain)
        if let value = reading.value { return value }
      }
    }
    if let type, type.base == .timestamp, RelativeTime.isMeant(by: text) {
      return .timestamp(try moment(text))
    }
    return try TextCell.value(of: text, as: type)
  }

  // MARK: Fixture-only notation

  private mutating func rewritten(
    _ json: JSONValue, _ type: FieldType?, _ field: String
  ) throws -> JSONValue {
    switch json {
    case .string(let text) where type?.base == .timestamp && RelativeTime.isMeant(by: text):
      return .string(try moment(text).text)
    case .array(let items):
      return .array(try items.map { try rewritten($0, type, field) })
    case .object(let members):
      if let source = try assetSource(members, field) {
        let asset = try conditions.asset(source)
        sources[asset] = source
        return .object([
          JSONMember("sha256", .string(asset.sha256)), JSONMember("size", .int(asset.size)),
        ])
      }
      guard json["recordName"] != nil, let mark = json["dangling"] else { return json }
      guard case .bool(let flag) = mark else {
        throw ValueReadingError("'dangling' of a reference must be true or false")
      }
      isDangling = isDangling || flag
      return .object(members.filter { $0.name != "dangling" })
    case .null, .bool, .int, .double, .outOfRange, .string: return json
    }
  }

  private mutating func moment(_ text: String) throws(ValueReadingError) -> Timestamp {
    usesNow = true
    guard let moment = RelativeTime.moment(text, now: conditions.now) else {
      throw ValueReadingError(
        "'\(text.truncated(toColumns: 40))' is not a time: now, or now-3d with ms, s, m, h, d or w")
    }
    return moment
  }

  /// Returns the source of an asset's contents; nil for another object.
  private mutating func assetSource(
    _ members: [JSONMember], _ field: String
  ) throws(ValueReadingError) -> AssetSource? {
    let known: Set = ["file", "text", "base64", "random"]
    guard let first = members.first, known.contains(first.name) else { return nil }
    guard members.count == 1 else {
      throw ValueReadingError("unknown key '\(members[1].name)' in an asset")
    }
    switch (first.name, first.value) {
    case ("file", .string(let path)):
      return .file(path: FileSystem.path(path, in: directory))
    case ("text", .string(let text)): return .bytes(Array(text.utf8))
    case ("base64", .string(let text)):
      guard let bytes = Base64.decode(text) else {
        throw ValueReadingError("the asset's base64 is not valid Base64")
      }
      return .bytes(bytes)
    case ("random", .int(let size)) where (0...Limits.assetSize).contains(size):
      randomCount += 1
      let randomness = Randomness.seeded(conditions.seed)
      let purpose = ["asset"] + purpose + [field, String(randomCount)]
      return .random(seed: randomness.number(purpose: purpose) ?? 0, size: Int(size))
    case ("random", _):
      throw ValueReadingError("'random' must be a number of bytes from 0 to \(Limits.assetSize)")
    default: throw ValueReadingError("'\(first.name)' of an asset must be a string")
    }
  }
}

extension JSONValue {
  /// The type written with a value.
  var writtenType: FieldType? {
    guard self["value"] != nil, case .string(let name)? = self["type"] else { return nil }
    return FieldType(schemaName: name) ?? FieldType(wireName: name)
  }
}

extension FieldMatcher {
  /// Parses the condition in an object; nil for an object that is a value.
  init?(_ members: [JSONMember]) throws(ValueReadingError) {
    let object = JSONValue.object(members)
    let allowed: [String]
    switch members.first?.name {
    case "any":
      guard object["any"] == .bool(true) else { throw ValueReadingError("'any' must be true") }
      allowed = ["any"]
      self = .any
    case "approximately":
      guard let number = object["approximately"]?.number else {
        throw ValueReadingError("'approximately' must be a number")
      }
      guard let span = (object["within"] ?? .double(1e-6)).number, span >= 0 else {
        throw ValueReadingError("'within' must be a number of 0 or more")
      }
      allowed = ["approximately", "within"]
      self = .approximately(number, within: span)
    case "matches":
      guard let pattern = object["matches"]?.string else {
        throw ValueReadingError("'matches' must be a regular expression as a string")
      }
      allowed = ["matches"]
      self = .matches(pattern)
    case "sha256" where object["size"] == nil:
      guard let hash = object["sha256"]?.string, Asset(sha256: hash, size: 0) != nil else {
        throw ValueReadingError("'sha256' must be 64 lower-case hexadecimal digits")
      }
      allowed = ["sha256"]
      self = .assetHash(hash)
    default: return nil
    }
    if let other = members.first(where: { !allowed.contains($0.name) }) {
      throw ValueReadingError("unknown key '\(other.name)' next to '\(allowed[0])'")
    }
  }
}
