internal import Basics
internal import CloudModel
internal import Glibc
internal import WireFormat

/// Readers of records.
enum RecordTargets {
  /// A file with the input, which fits into a pipe.
  private static func file(_ bytes: [UInt8]) -> FileHandle? {
    var ends: [Int32] = [0, 0]
    guard bytes.count < 60_000, pipe(&ends) == 0 else { return nil }
    let source = FileHandle(descriptor: ends[0], path: "input", closesAtEnd: true)
    let target = FileHandle(descriptor: ends[1], path: "input", closesAtEnd: true)
    return (try? target.writeAll(bytes)) != nil ? source : nil
  }

  static func records(_ bytes: [UInt8]) {
    var reader = RecordReader()
    for line in bytes.split(separator: 0x0A) {
      let draft = Array(line).withUnsafeBytes {
        try? reader.read($0, at: TextPosition(line: 1, column: 1))
      }
      guard let draft else { continue }
      roundTrip(draft)
    }
  }

  /// Checks that a record is written and read again as the same.
  private static func roundTrip(_ draft: RecordDraft) {
    guard let name = draft.name, let type = draft.type, (try? RecordType(type)) != nil,
      draft.fields.allSatisfy({ (try? FieldName($0.name.text)) != nil })
    else { return }
    var record = Record(
      name: RecordName(stored: name), type: RecordType(stored: type),
      zone: ZoneID(stored: draft.zone ?? "_defaultZone"))
    var types: [FieldName: FieldType] = [:]
    for field in draft.fields {
      record.fields[field.name] = field.value
      types[field.name] = field.value?.type
    }
    var written: [UInt8] = []
    written.append(exported: record, types: types, withSystem: false)
    var reader = RecordReader()
    let again = written.withUnsafeBytes {
      try? reader.read($0, at: TextPosition(line: 1, column: 1))
    }
    // Names that no store has may be refused; a record that is read must be the same.
    guard let again else { return }
    var other = Record(name: record.name, type: record.type, zone: record.zone)
    for field in again.fields { other.fields[field.name] = field.value }
    var rewritten: [UInt8] = []
    rewritten.append(exported: other, types: types, withSystem: false)
    FuzzTarget.law(
      rewritten == written,
      "\(String(decoding: written, as: UTF8.self)) → \(String(decoding: rewritten, as: UTF8.self))")
  }

  static func page(_ bytes: [UInt8]) {
    guard let page = try? RemotePage(bytes) else { return }
    guard let json = bytes.withUnsafeBytes({ try? JSONParser.parse($0) }) else { return }
    var count = json["records"]?.array?.count { $0.isObject } ?? 0
    let zone = json["zones"]?.array?.first { $0.isObject }
    count += zone?["records"]?.array?.count { $0.isObject } ?? 0
    let read = page.records.count + page.failures.count
    FuzzTarget.law(read == count, "\(count) objects are read as \(read) records: \(json.text)")
  }

  static func csv(_ bytes: [UInt8]) {
    guard let first = bytes.first, let file = file(Array(bytes.dropFirst())) else { return }
    let records = RecordFileReader(file, first & 1 == 0 ? .csv : .tsv)
    var reader = RecordReader(schemas: [schema], defaultType: schema.name)
    while let item = try? records.next() { rewrite(try? reader.draft(of: item)) }
  }

  private static let schema = RecordTypeSchema(
    name: RecordType(stored: "Note"),
    fields: FieldType.Base.allCases.map { base in
      FieldSchema(
        name: FieldName(stored: "\(base)"), type: FieldType(base), indexes: [])
    })

  static func propertyList(_ bytes: [UInt8]) {
    var reader = RecordReader()
    for text in (try? PropertyListRecords.read(bytes)) ?? [] {
      rewrite(try? reader.draft(of: .record(text)))
    }
  }

  /// Checks that a draft reads back from its line of JSON.
  private static func rewrite(_ draft: RecordDraft?) {
    guard let draft else { return }
    var line: [UInt8] = []
    line.append(draft)
    var reader = RecordReader()
    let again = line.withUnsafeBytes {
      try? reader.read($0, at: TextPosition(line: 1, column: 1))
    }
    let text = String(decoding: line, as: UTF8.self)
    FuzzTarget.law(again != nil, "not read again: \(text)")
    FuzzTarget.law(
      again?.name == draft.name && again?.type == draft.type
        && again?.fields.map(\.name) == draft.fields.map(\.name)
        && again?.fields.map(\.value) == draft.fields.map(\.value),
      "another record: \(text)")
  }
}

extension JSONValue {
  fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
