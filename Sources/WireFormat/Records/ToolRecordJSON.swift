public import Basics
public import CloudModel

// The record JSON of Apple's cktool (L5 and L6): every value under a name of
// its type, `{"type":"stringType","value":…}`.

extension [UInt8] {
  /// Appends a record as cktool prints it. `types` tells encrypted fields, and empty lists.
  public mutating func append(tool record: Record, types: [FieldName: FieldType]) {
    append(json: record.toolJSON(types))
  }
}

extension Record {
  fileprivate func toolJSON(_ types: [FieldName: FieldType]) -> JSONValue {
    var members = [
      JSONMember("recordName", .string(name.text)), JSONMember("recordType", .string(type.text)),
      JSONMember("recordChangeTag", .string(changeTag?.text ?? "")),
    ]
    for (name, stamp) in [("created", created), ("modified", modified)] {
      guard let stamp else { continue }
      members.append(
        JSONMember(
          name,
          .object([
            JSONMember("timestamp", .string(stamp.at.text)),
            JSONMember("userRecordName", .string(stamp.by.text)),
            JSONMember("deviceId", .string(stamp.device.name)),
          ])))
    }
    let values = fields.entries.map { entry in
      JSONMember(entry.name.text, entry.value.toolJSON(types[entry.name]))
    }
    members.append(JSONMember("fields", .object(values)))
    if let parent {
      members.append(
        JSONMember("parent", .object([JSONMember("recordName", .string(parent.text))])))
    }
    members.append(JSONMember("zone", zone.wireJSON))
    return .object(members)
  }
}

extension FieldValue {
  fileprivate func toolJSON(_ type: FieldType?) -> JSONValue {
    var shown = self.type ?? type ?? FieldType(.string, isList: true)
    shown.isEncrypted = type?.isEncrypted ?? false
    return .object([JSONMember("type", .string(shown.toolName)), JSONMember("value", toolValue)])
  }

  private var toolValue: JSONValue {
    switch self {
    case .string(let text): .string(text)
    case .int64(let number): .int(number)
    case .double(let number): .double(number)
    case .timestamp(let time): .string(time.text)
    case .bytes(let bytes): .string(Base64.encode(bytes))
    case .location(let place):
      .object([
        JSONMember("latitude", .double(place.latitude)),
        JSONMember("longitude", .double(place.longitude)),
      ])
    case .reference(let reference):
      .object([
        JSONMember("recordName", .string(reference.name.text)),
        JSONMember("action", .string(reference.action.name)),
      ])
    case .asset(let asset):
      .object([
        JSONMember("fileChecksum", .string(asset.sha256)), JSONMember("size", .int(asset.size)),
      ])
    case .list(let members): .array(members.map(\.toolValue))
    }
  }
}

extension FieldType {
  private static let toolBases: [(base: Base, name: String)] = [
    (.string, "string"), (.int64, "int64"), (.double, "double"), (.timestamp, "timestamp"),
    (.location, "location"), (.bytes, "bytes"), (.reference, "reference"), (.asset, "asset"),
  ]

  /// The type's name in cktool: `stringType`, `int64ListType`, `encryptedStringType`.
  fileprivate var toolName: String {
    let name = Self.toolBases.first { $0.base == base }?.name ?? "double"
    let plain = isEncrypted ? "encrypted" + name.prefix(1).uppercased() + name.dropFirst() : name
    return plain + (isList ? "ListType" : "Type")
  }

  /// Reads a type's name in cktool. Nil when it is none.
  public init?(toolName text: String) {
    for (base, _) in Self.toolBases {
      for isList in [false, true] {
        for isEncrypted in [false, true] where !isEncrypted || Self.canEncrypt(base) {
          let type = FieldType(base, isList: isList, isEncrypted: isEncrypted)
          if type.toolName == text {
            self = type
            return
          }
        }
      }
    }
    return nil
  }
}

/// A value as cktool takes it: an asset is the key of a file that is named beside it.
public enum ToolValue {
  /// A value.
  case value(FieldValue)
  /// The keys of files; several for a list.
  case files([String], isList: Bool)

  /// Reads the value of a field of a type; nil when it is none.
  public init?(_ json: JSONValue, as type: FieldType) {
    if type.base == .asset {
      let keys = type.isList ? json.array?.compactMap(\.string) : json.string.map { [$0] }
      guard let keys, !type.isList || keys.count == json.array?.count else { return nil }
      self = .files(keys, isList: type.isList)
      return
    }
    guard type.isList else {
      guard let value = Self.single(json, type.base) else { return nil }
      self = .value(value)
      return
    }
    guard let members = json.array else { return nil }
    let values = members.compactMap { Self.single($0, type.base) }
    guard values.count == members.count else { return nil }
    self = .value(.list(values))
  }

  private static func single(_ json: JSONValue, _ base: FieldType.Base) -> FieldValue? {
    switch (base, json) {
    case (.string, .string(let text)): .string(text)
    case (.int64, .int(let number)): .int64(number)
    case (.double, .double(let number)): .double(number)
    case (.double, .int(let number)): .double(Double(number))
    case (.timestamp, .string(let text)): Timestamp(toolText: text).map { .timestamp($0) }
    case (.timestamp, .int(let number)): Timestamp(given: number).map { .timestamp($0) }
    case (.bytes, .string(let text)): Base64.decode(text).map { .bytes($0) }
    case (.location, .object): place(json).map { .location($0) }
    case (.reference, .string(let name)): try? .reference(Reference(RecordName(name)))
    case (.reference, .object): reference(json).map { .reference($0) }
    default: nil
    }
  }

  private static func place(_ json: JSONValue) -> Location? {
    guard let latitude = json["latitude"]?.number, let longitude = json["longitude"]?.number else {
      return nil
    }
    return Location(latitude: latitude, longitude: longitude)
  }

  private static func reference(_ json: JSONValue) -> Reference? {
    guard let text = json["recordName"]?.string, let name = try? RecordName(text) else {
      return nil
    }
    let zone = try? (json["zone"] ?? json["zoneID"]).flatMap { try PlainJSONReader.zone($0) }
    guard let action = json["action"]?.string else { return Reference(name, in: zone) }
    return Reference.Action(name: action).map { Reference(name, in: zone, action: $0) }
  }
}

extension Timestamp {
  /// Reads a date as cktool takes it: ISO 8601, `2021-04-28 17:05`, `04/28/2021`,
  /// `04/28/2021, 17:05` and `04/28/2021, 5:05 pm`; without a zone it is UTC (M1.14).
  public init?(toolText text: String) {
    if let time = Self.iso(text) {
      self = time
      return
    }
    let words = text.replacingCommas.split(separator: " ")
    guard let first = words.first else { return nil }
    var date = String(first)
    let parts = first.split(separator: "/")
    if parts.count == 3 { date = "\(parts[2])-\(parts[0].padded)-\(parts[1].padded)" }
    guard words.count > 1 else {
      guard parts.count == 3, let time = Self.iso(date) else { return nil }
      self = time
      return
    }
    let clock = words[1].split(separator: ":")
    guard words.count <= 3, clock.count == 2, var hour = Int(clock[0]) else { return nil }
    if words.count == 3 {
      guard (1...12).contains(hour) else { return nil }
      switch words[2].lowercased() {
      case "am": hour %= 12
      case "pm": hour = hour % 12 + 12
      default: return nil
      }
    }
    guard let time = Self.iso("\(date)T\("\(hour)"[...].padded):\(clock[1])") else { return nil }
    self = time
  }

  private static func iso(_ text: String) -> Timestamp? {
    guard case .timestamp(let time)? = FieldValue(text: text, as: .timestamp), Int64(text) == nil
    else { return nil }
    return time
  }
}

extension Substring {
  fileprivate var padded: String { count == 1 ? "0\(self)" : String(self) }
}

extension String {
  fileprivate var replacingCommas: String { String(map { $0 == "," ? " " : $0 }) }
}
