internal import Basics
internal import CloudModel
internal import TestSupport
internal import Testing

@testable internal import WireFormat

/// Requests and answers of the service (`CKDB_CONFORMANCE/wire`): every record is read, and an
/// answer's record is written as the service wrote it.
@Suite struct WireConformanceTests {
  @Test(
    "W3, W4: all records are read, with their zones and deletions",
    arguments: Conformance.files("wire"))
  func read(_ path: String) throws {
    let json = try Conformance.parse(bytes(path))
    let drafts = try drafts(path)
    let operations = json["operations"]?.array ?? []
    let records = try json["records"]?.array ?? operations.map { try #require($0["record"]) }
    #expect(drafts.map(\.name) == records.map { $0["recordName"]?.string })
    #expect(drafts.map(\.type) == records.map { $0["recordType"]?.string })
    let zone = json["zoneID"]?["zoneName"]?.string
    #expect(drafts.allSatisfy { $0.zone == zone })
    for (draft, record) in zip(drafts, records) {
      guard case .object(let fields)? = record["fields"] else {
        #expect(draft.isDeletion && draft.fields.isEmpty)
        continue
      }
      #expect(!draft.isDeletion && draft.fields.map(\.name.text) == fields.map(\.name))
      #expect(draft.fields.allSatisfy { $0.value != nil })
    }
  }

  @Test("W4.1, W4.2: an answer's record is written the same", arguments: Conformance.files("wire"))
  func written(_ path: String) throws {
    let json = try Conformance.parse(bytes(path))
    for (draft, seen) in zip(try drafts(path), json["records"]?.array ?? []) {
      if draft.isDeletion { continue }
      var record = Record(
        name: RecordName(stored: try #require(draft.name)),
        type: RecordType(stored: try #require(draft.type)), zone: .defaultZone)
      record.created = try stamp(seen["created"])
      record.modified = try stamp(seen["modified"])
      var types: [FieldName: FieldType] = [:]
      for field in draft.fields {
        record.fields[field.name] = field.value
        types[field.name] = field.type
      }
      var bytes: [UInt8] = []
      bytes.append(wire: record, types: types)
      let written = try Conformance.parse(bytes)
      // A record in the default zone has no zone on the service; the expiration is Photos' own.
      let other: Set = ["recordChangeTag", "expirationTime", "zoneType"]
      #expect(
        written.without("zoneID").sorted(without: other) == seen.sorted(without: other))
    }
  }

  /// The bytes of a file. Their publisher replaced encrypted bytes by names, which are encoded.
  private func bytes(_ path: String) throws -> [UInt8] {
    let encrypted = #/"value": "([A-Z_0-9]+)",\s+"type": "ENCRYPTED_BYTES"/#
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    return Array(
      text.replacing(encrypted) { match in
        "\"value\": \"\(Base64.encode(Array(match.1.utf8)))\", \"type\": \"ENCRYPTED_BYTES\""
      }.utf8)
  }

  private func drafts(_ path: String) throws -> [RecordDraft] {
    let directory = try TemporaryDirectory()
    let copy = "\(directory.path)/records.json"
    try FileHandle(create: copy).writeAll(bytes(path))
    let records = RecordFileReader(try FileHandle(openRegular: copy), .json)
    var reader = RecordReader()
    var drafts: [RecordDraft] = []
    while let item = try records.next() { drafts.append(try reader.draft(of: item)) }
    return drafts
  }

  private func stamp(_ json: JSONValue?) throws -> Record.Stamp {
    guard case .int(let time)? = json?["timestamp"] else { throw NoStamp() }
    return Record.Stamp(
      at: Timestamp(milliseconds: time),
      by: UserRecordName(stored: try #require(json?["userRecordName"]?.string)),
      on: try Device(#require(json?["deviceID"]?.string)))
  }

  private struct NoStamp: Error {}
}

extension JSONValue {
  /// The object without one of its members.
  fileprivate func without(_ name: String) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != name })
  }
}
