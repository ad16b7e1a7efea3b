internal import Basics
public import CloudModel
internal import FieldCodecs

// The record dictionary of CloudKit Web Services (W4): every value with its type, dates in
// milliseconds, zones as objects.

extension [UInt8] {
  /// Appends a record as a Web Services dictionary. `types` identifies encrypted fields.
  public mutating func append(wire record: Record, types: [FieldName: FieldType]) {
    append(json: .object(record.wireMembers(types)))
  }
}

extension Record {
  fileprivate func wireMembers(_ types: [FieldName: FieldType]) -> [JSONMember] {
    var members = [
      JSONMember("recordName", .string(name.text)), JSONMember("recordType", .string(type.text)),
      JSONMember(
        "fields",
        .object(
          fields.entries.map { entry in
            JSONMember(entry.name.text, entry.value.wire(types[entry.name], in: zone))
          })),
      // Answers always have it; only Apple's own plug-ins put something into it.
      JSONMember("pluginFields", .object([])),
    ]
    if let parent { members.append(JSONMember("parent", Self.wireName(parent))) }
    if let share { members.append(JSONMember("share", Self.wireName(share))) }
    if let tag = changeTag { members.append(JSONMember("recordChangeTag", .string(tag.text))) }
    for (name, stamp) in [("created", created), ("modified", modified)] {
      guard let stamp else { continue }
      members.append(
        JSONMember(
          name,
          .object([
            JSONMember("timestamp", .int(stamp.at.milliseconds)),
            JSONMember("userRecordName", .string(stamp.by.text)),
            JSONMember("deviceID", .string(stamp.device.name)),
          ])))
    }
    members.append(JSONMember("deleted", .bool(false)))
    members.append(JSONMember("zoneID", zone.wireJSON))
    return members
  }

  private static func wireName(_ name: RecordName) -> JSONValue {
    .object([JSONMember("recordName", .string(name.text))])
  }
}

extension FieldValue {
  fileprivate func wire(_ type: FieldType?, in zone: ZoneID) -> JSONValue {
    let known = self.type ?? type ?? FieldType(.string, isList: true)
    var (name, isEncrypted) = (known.wireName, type?.isEncrypted == true)
    if isEncrypted, known == FieldType(.bytes) {
      (name, isEncrypted) = ("ENCRYPTED_BYTES", false)
    } else if type?.base == .number {
      name = known.isList ? "NUMBER_LIST" : "NUMBER_\(name)"
    }
    var members = [JSONMember("value", wireValue(in: zone)), JSONMember("type", .string(name))]
    if isEncrypted { members.append(JSONMember("isEncrypted", .bool(true))) }
    return .object(members)
  }
}

extension FieldType {
  /// Parses a type's name in Web Services: `STRING_LIST`, `ASSETID`, `ENCRYPTED_BYTES`,
  /// `NUMBER_INT64`. Nil for other text.
  init?(wireName: String) {
    let isList = wireName.hasSuffix("_LIST")
    let single = isList ? wireName.dropLast(5) : wireName[...]
    let isEncrypted = single.hasPrefix("ENCRYPTED_")
    let name = String(isEncrypted ? single.dropFirst(10) : single)
    let known: Base? =
      switch name {
      case "ASSETID": .asset
      case "NUMBER_INT64", "NUMBER_DOUBLE": .number
      default: Base(rawValue: name)
      }
    guard let base = known, !isEncrypted || Self.canEncrypt(base) else { return nil }
    self.init(base, isList: isList, isEncrypted: isEncrypted)
  }

  /// The type's name in Web Services.
  fileprivate var wireName: String {
    let name = base == .asset ? "ASSETID" : base.rawValue
    return isList ? "\(name)_LIST" : name
  }
}
