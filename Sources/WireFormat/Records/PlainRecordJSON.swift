internal import Basics
public import CloudModel
internal import FieldCodecs

extension [UInt8] {
  /// Appends a record as a plain object (M4.3).
  public mutating func append(plain record: Record) {
    append(text: "{\"recordName\":")
    append(jsonString: record.name.text)
    append(text: ",\"recordType\":\"")
    append(text: record.type.text)
    append(text: "\",")
    append(recordZone: record.zone)
    append(name: "parent", record.parent)
    append(name: "share", record.share)
    appendSystem(record)
    append(text: ",\"fields\":{")
    var isFirst = true
    for entry in record.fields.entries {
      append(key: entry.name, isFirst: &isFirst)
      append(plain: entry.value)
    }
    append(text: "}}")
  }

  /// Appends tag, dates and users, each after a comma.
  private mutating func appendSystem(_ record: Record) {
    if let tag = record.changeTag {
      append(text: ",\"changeTag\":")
      append(jsonString: tag.text)
    }
    append(text: record.created == nil ? "" : ",\"created\":")
    let start = count
    append(stamp: record.created)
    let end = count
    append(text: record.modified == nil ? "" : ",\"modified\":")
    if record.modified == record.created {
      // Most records were never changed. A slice would share the buffer and thus copy all of it.
      append(contentsOf: Array(self[start..<end]))
    } else {
      append(stamp: record.modified)
    }
  }

  mutating func append(stamp: Record.Stamp?) {
    guard let stamp else { return }
    append(text: "{\"at\":\"")
    append(text: stamp.at.text)
    append(text: "\",\"by\":")
    append(jsonString: stamp.by.text)
    append(UInt8(ascii: "}"))
  }

  mutating func append(name key: String, _ name: RecordName?) {
    guard let name else { return }
    append(text: ",\"\(key)\":")
    append(jsonString: name.text)
  }

  mutating func append(key name: FieldName, isFirst: inout Bool) {
    append(text: isFirst ? "\"" : ",\"")
    append(text: name.text)
    append(text: "\":")
    isFirst = false
  }

  /// Appends a record as `export` writes it: types that plain JSON does not imply are written with
  /// the values, so that an import creates the same record (M5.8).
  public mutating func append(
    exported record: Record, types: [FieldName: FieldType], withSystem: Bool
  ) {
    append(text: "{\"recordName\":")
    append(jsonString: record.name.text)
    append(text: ",\"recordType\":\"")
    append(text: record.type.text)
    append(text: "\",")
    append(recordZone: record.zone)
    append(name: "parent", record.parent)
    if withSystem { appendSystem(record) }
    append(text: ",\"fields\":{")
    var isFirst = true
    for entry in record.fields.entries {
      append(key: entry.name, isFirst: &isFirst)
      append(typed: entry.value, as: types[entry.name])
    }
    append(text: "}}")
  }
}

extension FieldValue {
  /// The type to write with the value in plain JSON; nil if its shape implies it.
  func typeToWrite(_ special: FieldType?) -> FieldType? {
    if let special, special.isEncrypted || special.base == .number { return special }
    switch self {
    case .string, .int64, .double, .location, .reference: return nil
    case .timestamp, .bytes, .asset: return type
    case .list(let members):
      guard let first = members.first else { return special ?? FieldType(.string, isList: true) }
      switch first {
      case .timestamp, .bytes, .asset: return type
      case .string, .int64, .double, .location, .reference, .list: return nil
      }
    }
  }
}

extension RecordTypeSchema {
  /// The types by field, for `append(exported:)`.
  public var typesByField: [FieldName: FieldType] {
    Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.type) })
  }
}
