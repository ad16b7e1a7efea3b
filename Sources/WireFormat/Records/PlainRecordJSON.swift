internal import Basics
public import CloudModel

extension [UInt8] {
  /// Appends a record as a plain object (`cli.md` §4).
  public mutating func append(plain record: Record) {
    append(text: "{\"recordName\":")
    append(jsonString: record.name.text)
    append(text: ",\"recordType\":\"")
    append(text: record.type.text)
    append(text: "\",\"zone\":")
    append(jsonString: record.zone.text)
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

  /// Appends tag, dates and users, each with a comma before it.
  private mutating func appendSystem(_ record: Record) {
    if let tag = record.changeTag {
      append(text: ",\"changeTag\":")
      append(jsonString: tag.text)
    }
    append(",\"created\":{\"at\":\"", record.created)
    append(",\"modified\":{\"at\":\"", record.modified)
  }

  private mutating func append(_ head: String, _ stamp: Record.Stamp?) {
    guard let stamp else { return }
    append(text: head)
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

  /// Appends a record as `export` writes it: what plain JSON cannot tell the type of is written
  /// with it, so that an import makes the same record (`cli.md` §5).
  public mutating func append(
    exported record: Record, types: [FieldName: FieldType], withSystem: Bool
  ) {
    append(text: "{\"recordName\":")
    append(jsonString: record.name.text)
    append(text: ",\"recordType\":\"")
    append(text: record.type.text)
    append(text: "\",\"zone\":")
    append(jsonString: record.zone.text)
    append(name: "parent", record.parent)
    if withSystem { appendSystem(record) }
    append(text: ",\"fields\":{")
    var isFirst = true
    for entry in record.fields.entries {
      append(key: entry.name, isFirst: &isFirst)
      if let type = entry.value.typeToWrite(types[entry.name]) {
        append(text: "{\"value\":")
        append(plain: entry.value)
        append(text: ",\"type\":\"")
        append(text: type.schemaName)
        append(text: "\"}")
      } else {
        append(plain: entry.value)
      }
    }
    append(text: "}}")
  }
}

extension FieldValue {
  /// The type that must stand beside the value in plain JSON; nil where its shape tells it.
  func typeToWrite(_ special: FieldType?) -> FieldType? {
    if let special, special.isEncrypted || special.base == .number { return special }
    switch self {
    case .string, .int64, .double, .location, .reference: return nil
    case .timestamp, .bytes, .asset: return type
    case .list(let members):
      guard let first = members.first else { return special ?? FieldType(.string, isList: true) }
      switch first {
      case .timestamp, .bytes, .asset: return type
      default: return nil
      }
    }
  }
}

/// Writes records as `export` does, from views; the same bytes as `append(exported:)`.
public struct ExportedRecordWriter {
  /// What was learned of the type and zone of the last record, as most often of the next one.
  private var last: RecordView?
  /// `","recordType":"TYPE","zone":"ZONE"`, which follows the name.
  private var middle: [UInt8] = []
  private var types: [FieldType] = []
  /// `,"name":` of each of its fields, one behind the other, and where each ends.
  private var keys: [UInt8] = []
  private var keyEnds: [Int] = []

  /// Makes a writer; it remembers the keys of a type.
  public init() {}

  /// Appends a record.
  public mutating func append(_ view: RecordView, to bytes: inout [UInt8]) {
    if view !== last { learn(view) }
    bytes.append(text: "{\"recordName\":")
    bytes.append(jsonUTF8: view.name)
    bytes.append(contentsOf: middle)
    bytes.append(name: "parent", view.parent)
    bytes.append(text: ",\"fields\":{")
    var comma = 1
    var keyStart = 0
    for place in view.values.indices {
      let keyEnd = keyEnds[place]
      defer { keyStart = keyEnd }
      if case .none = view.values[place] { continue }
      bytes.append(contentsOf: keys[(keyStart + comma)..<keyEnd])
      comma = 0
      Self.append(view.values[place], types[place], to: &bytes)
    }
    bytes.append(text: "}}")
  }

  private mutating func learn(_ view: RecordView) {
    last = view
    middle.removeAll()
    middle.append(text: ",\"recordType\":\"\(view.schema.name.text)\",\"zone\":")
    middle.append(jsonString: view.zone.text)
    types = view.schema.fields.map(\.type)
    keys.removeAll()
    keyEnds.removeAll()
    for field in view.schema.fields {
      keys.append(text: ",\"\(field.name.text)\":")
      keyEnds.append(keys.count)
    }
  }

  private static func append(
    _ value: RecordView.Value, _ type: FieldType, to bytes: inout [UInt8]
  ) {
    let written: FieldType?
    switch value {
    case .none: return
    case .text, .plainList, .references: written = type.isEncrypted ? type : nil
    case .value(let value): written = value.typeToWrite(type)
    }
    if written != nil { bytes.append(text: "{\"value\":") }
    switch value {
    case .none: break
    case .text(let text): bytes.append(jsonUTF8: text)
    case .plainList(let text): bytes.append(contentsOf: text)
    case .references(let names): append(references: names, to: &bytes)
    case .value(let value): bytes.append(plain: value)
    }
    if let written {
      bytes.append(text: ",\"type\":\"")
      bytes.append(text: written.schemaName)
      bytes.append(text: "\"}")
    }
  }
}

extension ExportedRecordWriter {
  /// Makes an object of each name, which stands there as it has to be written.
  private static func append(references names: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    var place = 0
    while place < names.count {
      guard names[place] == quote else {
        bytes.append(names[place])
        place += 1
        continue
      }
      let start = place
      place += 1
      while place < names.count, names[place] != quote {
        place += names[place] == UInt8(ascii: "\\") ? 2 : 1
      }
      place = min(place + 1, names.count)
      bytes.append(text: "{\"recordName\":")
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: names[start..<place]))
      bytes.append(text: ",\"action\":\"NONE\"}")
    }
  }
}

extension RecordTypeSchema {
  /// The types by field, for `append(exported:)`.
  public var typesByField: [FieldName: FieldType] {
    Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.type) })
  }
}
