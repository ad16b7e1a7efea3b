internal import Basics
public import CloudModel
internal import FieldCodecs

/// Writes a fixture as canonical text: databases, zones and records in a fixed order, one record
/// per line, so that equal stores give equal texts, and differences are those of records.
public struct FixtureWriter {
  /// Returns how the contents of an asset are written: as a member of an object, and its value.
  public typealias AssetText = (Asset) throws -> (key: String, value: String)

  private let asset: AssetText
  private var database: String?
  private var zoneCount = 0
  private var recordCount = 0

  /// Creates a writer that uses a function to write assets.
  public init(asset: @escaping AssetText) { self.asset = asset }

  /// Begins the text, up to the records.
  public func begin(container: ContainerID, schema: String?, to bytes: inout [UInt8]) {
    bytes.append(text: "{ \"container\": ")
    bytes.append(jsonString: container.text)
    if let schema {
      bytes.append(text: ",\n  \"schema\": ")
      bytes.append(jsonString: schema)
    }
    bytes.append(text: ",\n  \"databases\": {")
  }

  /// Begins a zone of a database, or of another account's if `account` is given.
  public mutating func append(
    _ zone: ZoneID, in scope: DatabaseScope, of account: Account? = nil, to bytes: inout [UInt8]
  ) {
    let database = account.map { "\(scope.name):\($0.name)" } ?? scope.name
    if database != self.database {
      if self.database != nil {
        endZone(&bytes)
        bytes.append(text: " } },")
      }
      self.database = database
      zoneCount = 0
      bytes.append(text: "\n    ")
      bytes.append(jsonString: database)
      bytes.append(text: ": { \"zones\": {")
    }
    if zoneCount > 0 {
      endZone(&bytes)
      bytes.append(UInt8(ascii: ","))
    }
    zoneCount += 1
    recordCount = 0
    bytes.append(text: "\n      ")
    bytes.append(jsonString: zone.text)
    bytes.append(text: ": { \"records\": [")
  }

  /// Appends a record of the zone; `dangling` contains its missing targets. Throws what the
  /// function for assets throws.
  public mutating func append(
    _ record: Record, types: [FieldName: FieldType], dangling: [RecordName],
    to bytes: inout [UInt8]
  ) throws {
    bytes.append(text: recordCount == 0 ? "\n        " : ",\n        ")
    recordCount += 1
    bytes.append(text: "{\"recordName\":")
    bytes.append(jsonString: record.name.text)
    bytes.append(text: ",\"recordType\":\"")
    bytes.append(text: record.type.text)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(name: "parent", record.parent)
    bytes.append(text: ",\"fields\":{")
    var isFirst = true
    for entry in record.fields.entries {
      bytes.append(key: entry.name, isFirst: &isFirst)
      // The source of an asset implies its type.
      let type = entry.value.assets.isEmpty ? entry.value.typeToWrite(types[entry.name]) : nil
      if type != nil { bytes.append(text: "{\"value\":") }
      try append(entry.value, dangling, to: &bytes)
      if let type { bytes.append(text: ",\"type\":\"\(type.schemaName)\"}") }
    }
    bytes.append(text: "}}")
  }

  /// Ends the text with the entries other than records. Throws what the function for assets throws.
  public func end(_ entries: FixtureEntries, _ bytes: inout [UInt8]) throws {
    if database != nil {
      endZone(&bytes)
      bytes.append(text: " } }")
    }
    bytes.append(text: " }")
    for kind in FixtureEntries.written { try append(entries, kind, &bytes) }
    bytes.append(text: " }\n")
  }

  private func append<Entry: WrittenFixtureEntry>(
    _ entries: FixtureEntries, _ kind: Entry.Type, _ bytes: inout [UInt8]
  ) throws {
    let (open, close) = kind.isNamed ? ("{", "}") : ("[", "]")
    let members = try entries[kind].map { ($0.value.name, try $0.value.json(asset)) }
    append(kind.key, open, close, members, &bytes)
  }

  /// Appends a key and its members, one per line; nothing if there are none.
  private func append(
    _ key: String, _ open: String, _ close: String, _ members: [(String?, JSONValue)],
    _ bytes: inout [UInt8]
  ) {
    if members.isEmpty { return }
    bytes.append(text: ",\n  \"\(key)\": \(open)")
    for (index, (name, value)) in members.enumerated() {
      bytes.append(text: index == 0 ? "\n    " : ",\n    ")
      if let name {
        bytes.append(jsonString: name)
        bytes.append(text: ": ")
      }
      bytes.append(json: value)
    }
    bytes.append(text: " \(close)")
  }

  private func endZone(_ bytes: inout [UInt8]) { bytes.append(text: " ] }") }

  private func append(
    _ value: FieldValue, _ dangling: [RecordName], to bytes: inout [UInt8]
  ) throws {
    switch value {
    case .asset(let asset):
      let (key, text) = try self.asset(asset)
      bytes.append(text: "{\"\(key)\":")
      bytes.append(jsonString: text)
      bytes.append(UInt8(ascii: "}"))
    case .reference(let reference) where dangling.contains(reference.name):
      bytes.append(plain: value)
      bytes.removeLast()
      bytes.append(text: ",\"dangling\":true}")
    case .list(let members) where members.contains(where: \.isWrittenOtherwise):
      bytes.append(UInt8(ascii: "["))
      for index in members.indices {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        try append(members[index], dangling, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .list:
      bytes.append(plain: value)
    }
  }
}

extension FieldValue {
  /// Whether fixtures may write it differently from exports.
  fileprivate var isWrittenOtherwise: Bool {
    if case .asset = self { return true }
    if case .reference = self { return true }
    return false
  }
}
