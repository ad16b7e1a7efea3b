internal import Basics
internal import CloudModel
internal import Testing

@testable internal import WireFormat

/// Answers of another server, as a client reads them (web-services.md, §3 to §5).
@Suite struct RemotePageTests {
  private func page(_ text: String) throws -> RemotePage { try RemotePage(Array(text.utf8)) }

  private func record(_ text: String) throws -> RemoteRecord {
    try #require(try page(#"{"records":[\#(text)]}"#).records.first)
  }

  @Test("W4.2: a client reads what a server writes of a record")
  func roundTrip() throws {
    var random = RandomRecords(seed: 61)
    for _ in 0..<300 {
      let record = random.next()
      let entries = record.fields.entries.filter { $0.value.isUniform && $0.value.assets.isEmpty }
      var plain = record
      plain.fields = RecordFields(sorted: entries)
      let types = Dictionary(
        uniqueKeysWithValues: entries.compactMap { entry in
          entry.value.type.map { (entry.name, $0) }
        })
      var bytes = Array(#"{"records":["#.utf8)
      bytes.append(wire: plain, types: types)
      let read = try RemotePage(bytes + Array("]}".utf8))
      let found = try #require(read.records.first)
      #expect(read.failures.isEmpty)
      #expect(found.draft.name == record.name.text && found.draft.type == record.type.text)
      #expect(found.draft.parent == record.parent?.text)
      #expect(found.draft.changeTag == record.changeTag?.text)
      var again = plain
      again.fields = RecordFields()
      for field in found.draft.fields { again.fields[field.name] = field.value }
      var (one, other): ([UInt8], [UInt8]) = ([], [])
      one.append(wire: plain, types: types)
      other.append(wire: again, types: types)
      #expect(String(decoding: one, as: UTF8.self) == String(decoding: other, as: UTF8.self))
    }
  }

  @Test("a record as the service writes it, with keys that only it knows")
  func serviceRecord() throws {
    let read = try record(
      """
      {"recordName":"A1","recordType":"Note","fields":{
        "title":{"value":"Milk","type":"STRING"},
        "count":{"value":2,"type":"INT64"},
        "ratio":{"value":2,"type":"DOUBLE"},
        "at":{"value":1714521600000,"type":"TIMESTAMP"},
        "secret":{"value":"s","type":"STRING","isEncrypted":true},
        "bytes":{"value":"aGk=","type":"ENCRYPTED_BYTES"},
        "to":{"value":{"recordName":"B","zoneID":{"zoneName":"Z","ownerRecordName":"_x",
          "zoneType":"REGULAR_CUSTOM_ZONE"},"action":"DELETE_SELF"},"type":"REFERENCE"}},
       "pluginFields":{},"recordChangeTag":"k1a2",
       "created":{"timestamp":1714521600001,"userRecordName":"_u","deviceID":"1"},
       "modified":{"timestamp":1714521600002,"userRecordName":"_v","deviceID":"iPad"},
       "deleted":false,"zoneID":{"zoneName":"Z","ownerRecordName":"_x"},
       "parent":{"recordName":"B"},"stableUrl":{"routingKey":"0c"},"expirationTime":12,
       "chainProtectionInfo":{"bytes":"AA==","pcsChangeTag":"1"},"newKey":[{"a":1}]}
      """)
    #expect(read.draft.changeTag == "k1a2" && read.draft.parent == "B")
    #expect(read.created?.by.text == "_u")
    #expect(read.modified?.at.milliseconds == 1_714_521_600_002)
    let fields = Dictionary(uniqueKeysWithValues: read.draft.fields.map { ($0.name.text, $0) })
    #expect(fields["count"]?.value == .int64(2) && fields["ratio"]?.value == .double(2))
    #expect(fields["at"]?.value == .timestamp(Timestamp(milliseconds: 1_714_521_600_000)))
    #expect(fields["secret"]?.type == FieldType(.string, isEncrypted: true))
    #expect(fields["bytes"]?.type == FieldType(.bytes, isEncrypted: true))
    guard case .reference(let reference)? = fields["to"]?.value else {
      Issue.record("no reference")
      return
    }
    #expect(reference.zone == nil && reference.action == .deleteSelf)
  }

  @Test("an asset: its checksum is a name, and its address may have a placeholder (§7)")
  func asset() throws {
    let read = try record(
      """
      {"recordName":"A","recordType":"P","fields":{
        "file":{"value":{"fileChecksum":"AQfoo+/=","size":12,"referenceChecksum":"AQb","wrappingKey":
          "k","downloadURL":"https://cvws.icloud-content.com/B/x/${f}?o=1"},"type":"ASSETID"},
        "files":{"value":[{"fileChecksum":"a","size":1},{"fileChecksum":"b","size":2}],
          "type":"ASSETID_LIST"}}}
      """)
    #expect(read.draft.fields.isEmpty)
    #expect(read.assets.map(\.isList) == [false, true])
    let url = "https://cvws.icloud-content.com/B/x/${f}?o=1"
    #expect(read.assets[0].files == [RemoteFile(checksum: "AQfoo+/=", size: 12, url: url)])
    #expect(read.assets[1].files.map(\.checksum) == ["a", "b"])
  }

  @Test("W10.3: the feed of a zone, with a deletion that names no type")
  func feed() throws {
    let read = try page(
      """
      {"zones":[{"zoneID":{"zoneName":"PrimarySync","ownerRecordName":"_a","zoneType":
        "REGULAR_CUSTOM_ZONE"},"records":[{"recordName":"gone","recordType":null,"deleted":true,
        "recordChangeTag":"b3"}],"syncToken":"AQAAAAAAArKjf//////////fSxWSKv5JfZ34edrt875d",
        "moreComing":true}]}
      """)
    #expect(read.records.map(\.draft.isDeletion) == [true])
    #expect(read.members.map(\.name) == ["zoneID", "syncToken", "moreComing"])
  }

  @Test("items that failed are apart from records, with every code")
  func failures() throws {
    let read = try page(
      """
      {"records":[{"recordName":"A","reason":"Record not found","serverErrorCode":"NOT_FOUND"},
       {"recordName":"B","serverErrorCode":"A_NEW_CODE","retryAfter":3},
       {"recordName":"C","recordType":"N","fields":{"x":{"value":1,"type":"COLOUR"}}},
       {"recordName":"D","recordType":"N","fields":{}}]}
      """)
    #expect(read.records.map(\.draft.name) == ["D"])
    #expect(read.failures.count == 3)
    guard case .record(let error) = read.failures[2] else {
      Issue.record("no fault")
      return
    }
    #expect(error.recordName == "C" && error.message.contains("x: Unexpected input"))
  }

  @Test("W10.7, W3.9: empty lists of both kinds")
  func emptyLists() throws {
    let read = try record(
      """
      {"recordName":"A","recordType":"N","fields":{"a":{"value":[],"type":"STRING_LIST"},
       "b":{"value":[],"type":"UNKNOWN_LIST"},"c":{"value":null,"type":"STRING"}}}
      """)
    #expect(
      read.draft.fields.map(\.type) == [FieldType(.string, isList: true), nil, FieldType(.string)])
    #expect(read.draft.fields.map(\.value) == [.list([]), .list([]), nil])
  }

  @Test(
    "what is not an answer is refused",
    arguments: ["", "[]", "{", #"{"records":[}"#, #"{"records":[]}x"#, "<html>", #"{"a":1,"a":2}"#])
  func malformed(_ text: String) {
    #expect(throws: (any Error).self) { try page(text) }
  }
}
