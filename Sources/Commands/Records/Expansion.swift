internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

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
    guard format.frame == .cells else {
      throw CommandError(
        "--expand cannot be used with format \(format.rawValue)", .usage,
        hint: "use table, line, csv or tsv")
    }
    try FieldsOption.check(names, of: schema)
    for name in names where !schema.contains(where: { $0.isReference(name) }) {
      let isList = schema.contains { $0.field(name)?.type == FieldType(.reference, isList: true) }
      throw CommandError(
        "--expand: '\(name)' is \(isList ? "a list of references" : "not a reference")", .usage,
        hint: isList ? "--expand follows single references" : nil)
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
        guard let target = Self.place(field, record).flatMap({ found[$0] }) else { continue }
        for entry in target.fields.entries {
          let column = "\(field.key).\(entry.name.key)"
          if !columns.contains(column) { columns.append(column) }
        }
      }
    }
    self.columns = columns
    targets = found
  }

  private static func place(_ field: FieldName, _ record: Record) -> Place? {
    guard case .reference(let reference)? = record.fields[field] else { return nil }
    return Place(name: reference.name, zone: record.zone)
  }

  private static func places(_ fields: [FieldName], _ records: [Record]) -> Set<Place> {
    Set(records.flatMap { record in fields.compactMap { place($0, record) } })
  }

  /// The value of a key path in a record; nil for other keys.
  func value(_ key: String, _ record: Record) -> FieldValue? {
    for field in fields where key.hasPrefix(field.key + ".") {
      let rest = String(key.dropFirst(field.key.count + 1))
      let target = Self.place(field, record).flatMap { targets[$0] }
      return target.flatMap { RecordOutput.value(rest, $0) }
    }
    return nil
  }
}

extension RecordTypeSchema {
  fileprivate func isReference(_ name: String) -> Bool {
    field(name)?.type == FieldType(.reference)
  }
}
