internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `--expand FIELD`: the fields of the records that a reference leads to, as `artist.name`.
struct Expansion {
  static let expand = Option(
    "expand", nil, ValueKind<String>.text("FIELD", candidates: .question("fields")), repeats: true,
    "Also print the fields of the record that a reference points to")

  /// The joined columns: key paths of two keys.
  let columns: [String]
  private let fields: [FieldName]
  private let targets: [Place: Record]

  private struct Place: Hashable {
    let name: RecordName
    let zone: ZoneID
  }

  /// Fetches the records that some refer to; nil without fields to expand. Throws `CloudError`,
  /// `CommandError` for a field that is not a reference and for formats without columns.
  init?(
    _ arguments: Arguments, _ records: [Record], _ schema: [RecordTypeSchema],
    _ format: OutputFormat, _ database: CloudDatabase
  ) throws {
    let names = arguments.all(Self.expand)
    if names.isEmpty { return nil }
    guard format.frame == .cells || format.isJSON && !format.needsSchema else {
      throw CommandError(
        "--expand cannot be used with format \(format.rawValue)", .usage,
        hint: "use table, line, csv, tsv, json, jsonl or page")
    }
    try FieldsOption.check(names, of: schema)
    for name in names where !schema.contains(where: { $0.refers(name) }) {
      throw CommandError("--expand: '\(name)' is not a reference", .usage)
    }
    fields = names.map { FieldName(key: $0) }
    var found: [Place: Record] = [:]
    for place in Self.places(fields, records) {
      if case .record(let record)? = try database.fetch([place.name], in: place.zone).first {
        found[place] = record
      }
    }
    var columns: [String] = []
    for field in fields {
      for record in records {
        for target in Self.places(field, record).compactMap({ found[$0] }) {
          for entry in target.fields.entries {
            let column = "\(field.key).\(entry.name.key)"
            if !columns.contains(column) { columns.append(column) }
          }
        }
      }
    }
    self.columns = columns
    targets = found
  }

  /// The records that a field refers to: one, or those of a list.
  private static func places(_ field: FieldName, _ record: Record) -> [Place] {
    let values: [FieldValue] =
      switch record.fields[field] {
      case .list(let members)?: members
      case let value?: [value]
      case nil: []
      }
    return values.compactMap { value in
      guard case .reference(let reference) = value else { return nil }
      return Place(name: reference.name, zone: record.zone)
    }
  }

  private static func places(_ fields: [FieldName], _ records: [Record]) -> Set<Place> {
    Set(records.flatMap { record in fields.flatMap { places($0, record) } })
  }

  /// The value of a key path in a record; for a list the values of its records, without those that
  /// have none. Nil for other keys.
  func value(_ key: String, _ record: Record) -> FieldValue? {
    for field in fields where key.hasPrefix(field.key + ".") {
      let rest = String(key.dropFirst(field.key.count + 1))
      let found = Self.places(field, record).compactMap { targets[$0] }
      let values = found.compactMap { RecordOutput.value(rest, $0) }
      guard case .list? = record.fields[field] else { return values.first }
      return .list(
        values.flatMap { value in if case .list(let all) = value { all } else { [value] } })
    }
    return nil
  }

  /// Appends the members of `expanded`: the record of each field, or the records of a list; null
  /// for a missing one.
  func append(of record: Record, to bytes: inout [UInt8]) {
    var hasBegun = false
    for field in fields {
      guard let value = record.fields[field] else { continue }
      if hasBegun { bytes.append(UInt8(ascii: ",")) }
      hasBegun = true
      bytes.append(jsonString: field.text)
      bytes.append(UInt8(ascii: ":"))
      let isList = if case .list = value { true } else { false }
      if isList { bytes.append(UInt8(ascii: "[")) }
      for (index, place) in Self.places(field, record).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        if let target = targets[place] {
          bytes.append(plain: target)
        } else {
          bytes.append(text: "null")
        }
      }
      if isList { bytes.append(UInt8(ascii: "]")) }
    }
  }
}

extension RecordTypeSchema {
  fileprivate func refers(_ name: String) -> Bool { field(name)?.type.base == .reference }
}
