internal import Basics
internal import CloudModel

/// REFERENCE: the target's name and an action; the target's zone is the record's zone.
enum ReferenceCodec: FieldCodec {
  static let columns = [CodecColumn("", "TEXT"), CodecColumn(".action", "INTEGER")]

  static func write(_ value: Reference, to cells: inout some CellWriter) {
    cells.text(value.name.text)
    cells.integerOrNull(Int64(value.action.rawValue))
  }

  static func read(_ row: some CellReader, at place: Int) -> Reference? {
    let action = Reference.Action(rawValue: Int(row.value(place + 1).int64)) ?? .none
    return Reference(RecordName(stored: row.value(place).text), action: action)
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.text(row.value(place).utf8)
    cells.integerOrNull(row.value(place + 1).int64)
  }

  /// The name, for SQL to read, or `[name, action]`.
  static func append(member value: Reference, to text: inout [UInt8]) {
    if value.action == .none {
      text.append(jsonString: value.name.text)
    } else {
      text.append(json: .array([.string(value.name.text), .int(Int64(value.action.rawValue))]))
    }
  }

  static func value(member json: JSONValue) -> Reference? {
    if let name = json.string { return Reference(RecordName(stored: name)) }
    guard let parts = json.array, parts.count == 2, case .string(let name) = parts[0],
      case .int(let number) = parts[1], let action = Reference.Action(rawValue: Int(number))
    else { return nil }
    return Reference(RecordName(stored: name), action: action)
  }

  static func text(_ value: Reference) -> String? { nil }

  static func value(text: String) -> Reference? {
    (try? RecordName(text)).map { Reference($0) }
  }

  static func append(plain value: Reference, to bytes: inout [UInt8]) {
    bytes.append(text: "{\"recordName\":")
    bytes.append(jsonString: value.name.text)
    bytes.append(text: ",\"action\":\"")
    bytes.append(text: value.action.name)
    bytes.append(text: "\"}")
  }

  static func wire(_ value: Reference) -> JSONValue {
    .object(
      [
        JSONMember("recordName", .string(value.name.text)),
        JSONMember("action", .string(value.action.name)),
      ] + (value.zone.map { [JSONMember("zoneID", $0.wireJSON)] } ?? []))
  }

  static func value(wire json: JSONValue) -> Reference? {
    guard let text = json["recordName"]?.string, let name = try? RecordName(text) else {
      return nil
    }
    let zone = json["zoneID"].flatMap { try? ZoneID(json: $0) }
    guard let action = json["action"]?.string else { return Reference(name, in: zone) }
    return Reference.Action(name: action).map { Reference(name, in: zone, action: $0) }
  }

  static func value(tool json: JSONValue) -> Reference? {
    if let name = json.string { return value(text: name) }
    guard let text = json["recordName"]?.string, let name = try? RecordName(text) else {
      return nil
    }
    let zone = (json["zone"] ?? json["zoneID"]).flatMap { try? ZoneID(plain: $0) }
    guard let action = json["action"]?.string else { return Reference(name, in: zone) }
    return Reference.Action(name: action).map { Reference(name, in: zone, action: $0) }
  }

  static func size(_ value: Reference) -> Int { value.name.text.utf8.count + 1 }
}

// MARK: Plain JSON

extension ReferenceCodec {
  /// Whether an object with these keys is a reference.
  static func isMeant(by keys: Set<String>) -> Bool { keys.contains("recordName") }

  /// Reads plain JSON.
  static func value(plain members: [JSONMember]) throws(ValueReadingError) -> Reference {
    var name: RecordName?
    var zone: ZoneID?
    var action = Reference.Action.none
    for member in members {
      switch (member.name, member.value) {
      case ("recordName", .string(let text)): name = try? RecordName(text)
      case ("action", .string(let text)):
        guard let known = Reference.Action(name: text) else {
          throw ValueReadingError("a reference's action must be NONE, DELETE_SELF or VALIDATE")
        }
        action = known
      case ("zone", .string), ("zoneID", .object): zone = try ZoneID(plain: member.value)
      default: throw ValueReadingError("unknown key '\(member.name)' in a reference")
      }
    }
    guard let name else {
      throw ValueReadingError("the reference's recordName is not a valid record name")
    }
    return Reference(name, in: zone, action: action)
  }
}
