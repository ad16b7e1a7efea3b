internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import Testing

@testable internal import WireFormat

/// The values of requests of Web Services (W4.2, W0.10).
@Suite struct WireFieldTests {
  private func read(_ text: String) throws -> WireField {
    try WireField(try JSONParser.parse(text))
  }

  @Test("W4.2: what an answer writes of a value, a request reads as the same value and type")
  func roundTrip() throws {
    var random = RandomRecords(seed: 57)
    for _ in 0..<500 {
      let record = random.next()
      let types = Dictionary(
        uniqueKeysWithValues: record.fields.entries.compactMap { entry in
          // A list of numbers of both kinds is in no store.
          entry.value.isUniform ? entry.value.type.map { (entry.name, $0) } : nil
        })
      var bytes: [UInt8] = []
      bytes.append(wire: record, types: types)
      let fields = try JSONParser.parse(String(decoding: bytes, as: UTF8.self))["fields"]
      for entry in record.fields.entries where types[entry.name] != nil {
        let json = try #require(fields?[entry.name.text])
        let field = try WireField(json)
        #expect(field.type == types[entry.name])
        var again: [UInt8] = []
        var copy = record
        copy.fields = RecordFields()
        copy.fields[entry.name] = field.value
        again.append(wire: copy, types: types)
        let second = try JSONParser.parse(String(decoding: again, as: UTF8.self))["fields"]
        #expect(second?[entry.name.text]?.text == json.text)
      }
    }
  }

  @Test("W0.10: a date is whole milliseconds; a number without a type is INT64 or DOUBLE")
  func numbers() throws {
    #expect(
      try read(#"{"value":1500,"type":"TIMESTAMP"}"#).value
        == .timestamp(Timestamp(milliseconds: 1500)))
    #expect(throws: ValueReadingError.self) { try read(#"{"value":1.5,"type":"TIMESTAMP"}"#) }
    #expect(try read(#"{"value":1500}"#).value == .int64(1500))
    #expect(try read(#"{"value":1.5}"#).value == .double(1.5))
    #expect(
      try read(#"{"value":"9007199254740993","type":"INT64"}"#).value
        == .int64(9_007_199_254_740_993))
  }

  @Test("W3.9: null clears a field; an empty list of no known type is an empty list")
  func nothing() throws {
    let cleared = try read(#"{"value":null,"type":"STRING"}"#)
    #expect(cleared.value == nil && cleared.type == FieldType(.string))
    for type in ["UNKNOWN_LIST", "EMPTY_LIST"] {
      let field = try read(#"{"value":[],"type":"\#(type)"}"#)
      #expect(field.value == .list([]) && field.type == nil)
    }
  }

  @Test(
    "the service's words for values that do not have their type (W0.10; openradar 23687098)",
    arguments: [
      (#"{"value":"x","type":"TIMESTAMP"}"#, "Invalid value, expected type TIMESTAMP."),
      (
        #"{"value":["x"],"type":"STRING"}"#,
        "Invalid value, expected type STRING but actual value was a list with objects of class "
          + "java.lang.String"
      ),
      (#"{"value":["x"],"type":"LIST"}"#, "Unexpected input: unknown type 'LIST'"),
      (#"{"value":"x","isEncrypted":true}"#, "an encrypted value must have a type"),
      (#""x""#, "a field must be an object with a value, not a string"),
    ])
  func faults(_ text: String, _ reason: String) throws {
    do {
      _ = try read(text)
      Issue.record("\(text) was read")
    } catch let error as ValueReadingError { #expect(error.message == reason) }
  }
}

extension FieldValue {
  /// Whether the members of a list have one type.
  var isUniform: Bool {
    guard case .list(let members) = self else { return true }
    return members.allSatisfy { $0.type == members[0].type }
  }
}
