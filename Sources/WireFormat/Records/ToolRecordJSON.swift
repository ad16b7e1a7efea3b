public import Basics
public import CloudModel
internal import FieldCodecs

// The record JSON of Apple's cktool (L5 and L6): every value with the name of its type,
// `{"type":"stringType","value":…}`.

extension [UInt8] {
  /// Appends a record as cktool prints it. `types` identifies encrypted fields and empty lists.
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

  /// Parses a type's name in cktool. Nil for other text.
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

/// A value as cktool reads it: an asset is the key of a separately named file.
public enum ToolValue {
  /// A value.
  case value(FieldValue)
  /// The keys of files; several for a list.
  case files([String], isList: Bool)

  /// Parses the value of a field of a type; nil if it is invalid.
  public init?(_ json: JSONValue, as type: FieldType) {
    if type.base == .asset {
      let keys = type.isList ? json.array?.compactMap(\.string) : json.string.map { [$0] }
      guard let keys, !type.isList || keys.count == json.array?.count else { return nil }
      self = .files(keys, isList: type.isList)
      return
    }
    guard type.isList else {
      guard let value = type.base.value(tool: json) else { return nil }
      self = .value(value)
      return
    }
    guard let members = json.array else { return nil }
    let values = members.compactMap { type.base.value(tool: $0) }
    guard values.count == members.count else { return nil }
    self = .value(.list(values))
  }
}
