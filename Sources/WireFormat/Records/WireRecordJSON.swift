public import Basics
public import CloudModel
internal import FieldCodecs

/// The form of records in Web Services (W4): every value with its type, dates in milliseconds,
/// zones as objects.
public struct WireRecordForm: Sendable {
  /// Whether numbers are written as strings, for clients whose numbers are not exact.
  public var writesNumbersAsStrings = false
  /// The JSON of the record's zone as an answer names it; the owner of own zones is left out
  /// otherwise.
  public var zone: [UInt8]?
  /// What is added to the dictionary of an asset: `downloadURL`.
  public var asset: (@Sendable (Asset) -> [JSONMember])?

  /// The form of an export: without what only a server knows.
  public init() {}
}

extension [UInt8] {
  /// Appends a record as a Web Services dictionary. `types` identifies encrypted fields.
  public mutating func append(
    wire record: Record, types: [FieldName: FieldType], _ form: WireRecordForm = WireRecordForm(),
    also others: [JSONMember] = []
  ) {
    let zone = form.zone ?? Array(record.zone.wireJSON.text.utf8)
    append(literal: "{\"recordName\":")
    append(jsonString: record.name.text)
    append(literal: ",\"recordType\":")
    append(jsonString: record.type.text)
    append(literal: ",\"fields\":{")
    var isFirst = true
    for entry in record.fields.entries {
      if !isFirst { append(UInt8(ascii: ",")) }
      isFirst = false
      append(jsonString: entry.name.text)
      append(UInt8(ascii: ":"))
      append(wire: entry.value, types[entry.name], of: record, zone, form)
    }
    // Answers always have it; only Apple's own plug-ins put something into it.
    append(literal: "},\"pluginFields\":{}")
    append(wireName: "parent", record.parent)
    append(wireName: "share", record.share)
    if let tag = record.changeTag {
      append(literal: ",\"recordChangeTag\":")
      append(jsonString: tag.text)
    }
    append(stamp: ",\"created\":{\"timestamp\":", record.created)
    append(stamp: ",\"modified\":{\"timestamp\":", record.modified)
    append(literal: ",\"deleted\":false,\"zoneID\":")
    append(contentsOf: zone)
    for member in others {
      append(UInt8(ascii: ","))
      append(jsonString: member.name)
      append(UInt8(ascii: ":"))
      append(json: member.value)
    }
    append(UInt8(ascii: "}"))
  }

  private mutating func append(wireName key: String, _ name: RecordName?) {
    guard let name else { return }
    append(text: ",\"\(key)\":{\"recordName\":")
    append(jsonString: name.text)
    append(UInt8(ascii: "}"))
  }

  private mutating func append(stamp beginning: StaticString, _ stamp: Record.Stamp?) {
    guard let stamp else { return }
    append(literal: beginning)
    append(jsonInt: stamp.at.milliseconds)
    append(literal: ",\"userRecordName\":")
    append(jsonString: stamp.by.text)
    append(literal: ",\"deviceID\":")
    append(jsonString: stamp.device.name)
    append(UInt8(ascii: "}"))
  }

  private mutating func append(
    wire value: FieldValue, _ type: FieldType?, of record: Record, _ zone: [UInt8],
    _ form: WireRecordForm
  ) {
    let known = value.type ?? type ?? FieldType(.string, isList: true)
    var (name, isEncrypted) = (known.wireName, type?.isEncrypted == true)
    if isEncrypted, known == FieldType(.bytes) {
      (name, isEncrypted) = ("ENCRYPTED_BYTES", false)
    } else if type?.base == .number {
      name = known.isList ? "NUMBER_LIST" : "NUMBER_\(name)"
    }
    append(literal: "{\"value\":")
    append(value, of: record, zone, form)
    append(literal: ",\"type\":\"")
    append(text: name)
    append(text: isEncrypted ? "\",\"isEncrypted\":true}" : "\"}")
  }

  /// Appends a value in a form, on which only some kinds of values depend.
  private mutating func append(
    _ value: FieldValue, of record: Record, _ zone: [UInt8], _ form: WireRecordForm
  ) {
    switch value {
    case .int64, .double:
      let quote = UInt8(ascii: "\"")
      if form.writesNumbersAsStrings { append(quote) }
      append(json: value.wireValue(in: record.zone))
      if form.writesNumbersAsStrings { append(quote) }
    case .asset(let asset):
      let json = value.wireValue(in: record.zone)
      guard case .object(let members) = json, let more = form.asset else {
        return append(json: json)
      }
      append(json: .object(members + more(asset)))
    case .reference(let reference) where reference.zone == nil:
      append(literal: "{\"recordName\":")
      append(jsonString: reference.name.text)
      append(text: ",\"action\":\"\(reference.action.name)\",\"zoneID\":")
      append(contentsOf: zone)
      append(UInt8(ascii: "}"))
    case .list(let items):
      append(jsonList: items, "[", "]") { $0.append($1, of: record, zone, form) }
    case .string(let text): append(jsonString: text)
    case .timestamp, .bytes, .location, .reference:
      append(json: value.wireValue(in: record.zone))
    }
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
  var wireName: String {
    let name = base == .asset ? "ASSETID" : base.rawValue
    return isList ? "\(name)_LIST" : name
  }
}
