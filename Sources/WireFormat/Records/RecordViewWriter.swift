internal import Basics
public import CloudModel
internal import FieldCodecs

/// Writes records from views: for exports the same bytes as `append(exported:)`, or as plain JSON
/// the same as `append(plain:)`.
public final class RecordViewWriter {
  private let isExport: Bool
  /// The shape of the last record, usually also that of the next one.
  private var last: RecordView.Shape?
  /// `","recordType":"TYPE","zone":"ZONE"`, which follows the name.
  private var middle: [UInt8] = []
  private var types: [FieldType] = []
  /// `,"name":` of each of its fields, one after the other, and where each ends.
  private var keys: [UInt8] = []
  private var keyEnds: [Int] = []

  /// The text of the last date and user, usually also those of the next ones.
  private var stamp: (at: Int64, by: UserRecordName, text: [UInt8])?

  /// Whether it has not written any record yet.
  public var isUnused: Bool { last == nil }

  /// Creates a writer for exports, or for plain JSON with the system fields.
  public init(isExport: Bool) { self.isExport = isExport }

  /// Appends a record.
  public func append(_ view: RecordView, to bytes: inout [UInt8]) {
    if view.shape !== last { learn(view.shape) }
    bytes.append(text: "{\"recordName\":")
    bytes.append(jsonUTF8: view.name)
    bytes.append(contentsOf: middle)
    bytes.append(name: "parent", view.parent)
    if !isExport, let system = view.system { append(system, to: &bytes) }
    bytes.append(text: ",\"fields\":{")
    let values = view.values
    keys.withUnsafeBytes { keys in
      var comma = 1
      var keyStart = 0
      for place in values.indices {
        let keyEnd = keyEnds[place]
        defer { keyStart = keyEnd }
        if case .none = values[place] { continue }
        bytes.append(
          contentsOf: UnsafeRawBufferPointer(rebasing: keys[(keyStart + comma)..<keyEnd]))
        comma = 0
        append(values[place], types[place], to: &bytes)
      }
    }
    bytes.append(text: "}}")
  }

  private func append(_ system: RecordView.System, to bytes: inout [UInt8]) {
    bytes.append(name: "share", system.share)
    bytes.append(text: ",\"changeTag\":\"")
    ChangeTag.append(system.sequence, to: &bytes)
    bytes.append(text: "\",\"created\":")
    append(system.created, to: &bytes)
    bytes.append(text: ",\"modified\":")
    append(system.modified, to: &bytes)
  }

  private func append(
    _ moment: (at: Int64, by: UserRecordName), to bytes: inout [UInt8]
  ) {
    if let stamp, stamp.at == moment.at, stamp.by == moment.by {
      return bytes.append(contentsOf: stamp.text)
    }
    var text: [UInt8] = []
    text.append(stamp: Record.Stamp(at: Timestamp(milliseconds: moment.at), by: moment.by))
    bytes.append(contentsOf: text)
    stamp = (moment.at, moment.by, text)
  }

  private func learn(_ shape: RecordView.Shape) {
    last = shape
    middle.removeAll()
    middle.append(text: ",\"recordType\":\"\(shape.schema.name.text)\",")
    middle.append(recordZone: shape.zone)
    types = shape.schema.fields.map(\.type)
    keys.removeAll()
    keyEnds.removeAll()
    for field in shape.schema.fields {
      keys.append(text: ",\"\(field.name.text)\":")
      keyEnds.append(keys.count)
    }
  }

  private func append(
    _ value: RecordView.Value, _ type: FieldType, to bytes: inout [UInt8]
  ) {
    let written: FieldType?
    switch value {
    case .none: return
    case _ where !isExport: written = nil
    case .text, .plainList, .references: written = type.isEncrypted ? type : nil
    case .value(let value): written = value.typeToWrite(type)
    }
    if written != nil { bytes.append(text: "{\"value\":") }
    switch value {
    case .none: break
    case .text(let text): bytes.append(jsonUTF8: text)
    case .plainList(let text): bytes.append(contentsOf: text)
    case .references(let names): Self.append(references: names, to: &bytes)
    case .value(let value): bytes.append(plain: value)
    }
    if let written {
      bytes.append(text: ",\"type\":\"")
      bytes.append(text: written.schemaName)
      bytes.append(text: "\"}")
    }
  }
}

extension RecordViewWriter {
  /// Writes an object for each name; the names are already escaped.
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
