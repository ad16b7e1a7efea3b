public import Basics
public import CloudModel
internal import FieldCodecs

/// An operation of records/modify, as a client sends it.
public struct RemoteOperation: Sendable {
  /// What to do.
  public var kind: RecordOperation.Kind
  /// The record; only its name matters for a deletion.
  public var record: Record
  /// The fields of its type.
  public var fields: [FieldSchema]
  /// The tag of the version that the operation changes.
  public var tag: String?
  /// Fields whose values it removes.
  public var removed: [FieldName] = []
  /// Whether it leaves the asset fields out, so that they stay as they are.
  public var omitsAssets = false

  /// Creates an operation.
  public init(
    _ kind: RecordOperation.Kind, _ record: Record, fields: [FieldSchema] = [],
    tag: String? = nil
  ) {
    (self.kind, self.record, self.fields, self.tag) = (kind, record, fields, tag)
  }

  /// The type of a field; nil for an unknown one.
  fileprivate func type(of name: FieldName) -> FieldType? {
    fields.first { $0.name == name }?.type
  }
}

extension [UInt8] {
  /// Appends an operation. `uploaded` returns the dictionary that the server gave for the contents
  /// of an asset of a field.
  public mutating func append(
    _ operation: RemoteOperation, zone: [UInt8],
    uploaded: (FieldName, Asset) -> JSONValue? = { _, _ in nil }
  ) {
    let record = operation.record
    append(literal: "{\"operationType\":\"")
    append(text: operation.kind.rawValue)
    append(literal: "\",\"record\":{\"recordName\":")
    append(jsonString: record.name.text)
    if let tag = operation.tag {
      append(literal: ",\"recordChangeTag\":")
      append(jsonString: tag)
    }
    guard !operation.kind.isDeletion else { return append(literal: "}}") }
    append(literal: ",\"recordType\":")
    append(jsonString: record.type.text)
    if let parent = record.parent {
      append(literal: ",\"parent\":{\"recordName\":")
      append(jsonString: parent.text)
      append(UInt8(ascii: "}"))
    } else if operation.kind == .update {
      append(literal: ",\"parent\":null")
    }
    append(literal: ",\"fields\":{")
    var isFirst = true
    func begin(_ name: FieldName, _ bytes: inout [UInt8]) {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes.append(jsonString: name.text)
      bytes.append(literal: ":{\"value\":")
    }
    for entry in record.fields.entries {
      let type =
        entry.value.sentType ?? operation.type(of: entry.name) ?? FieldType(.string, isList: true)
      if type.base == .asset, operation.omitsAssets { continue }
      begin(entry.name, &self)
      append(entry.value, zone) { uploaded(entry.name, $0) }
      append(literal: ",\"type\":\"")
      append(text: type.wireName)
      append(literal: "\"}")
    }
    for name in operation.removed {
      if operation.omitsAssets, operation.type(of: name)?.base == .asset { continue }
      begin(name, &self)
      append(literal: "null")
      if let type = operation.type(of: name), type.base != .number {
        append(literal: ",\"type\":\"")
        append(text: type.wireName)
        append(UInt8(ascii: "\""))
      }
      append(UInt8(ascii: "}"))
    }
    append(literal: "}}}")
  }

  private mutating func append(
    _ value: FieldValue, _ zone: [UInt8], uploaded: (Asset) -> JSONValue?
  ) {
    switch value {
    case .asset(let asset): append(json: uploaded(asset) ?? value.wireValue(in: .defaultZone))
    case .reference(let reference):
      append(literal: "{\"recordName\":")
      append(jsonString: reference.name.text)
      append(text: ",\"action\":\"\(reference.action.name)\",\"zoneID\":")
      append(contentsOf: zone)
      append(UInt8(ascii: "}"))
    case .list(let items):
      append(jsonList: items, "[", "]") { $0.append($1, zone, uploaded: uploaded) }
    case .string(let text): append(jsonString: text)
    case .int64, .double, .timestamp, .bytes, .location:
      append(json: value.wireValue(in: .defaultZone))
    }
  }
}

extension FieldValue {
  /// The type that a request gives the value: a list of numbers of both kinds is one of DOUBLE.
  fileprivate var sentType: FieldType? {
    guard case .list(let items) = self, case .int64? = items.first,
      items.contains(where: { if case .double = $0 { true } else { false } })
    else { return type }
    return FieldType(.double, isList: true)
  }
}
