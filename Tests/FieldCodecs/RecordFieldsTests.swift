internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import Testing

/// The values of a record against a dictionary (M4.3: the order of keys is fixed; M4.9: by bytes).
@Suite struct RecordFieldsTests {
  private static let names = [
    "a", "A", "ab", "a_b", "aB", "b", "Z", "z", "a1", "a10", "a2", "aa", "Aa", "aA", "z9",
  ]

  @Test("after any changes it has the dictionary's values, in the order of the names' bytes")
  func model() {
    for seed in 0..<40 {
      var random = SplitMix64(state: UInt64(seed))
      var fields = RecordFields()
      var model: [String: FieldValue] = [:]
      for _ in 0..<60 {
        let name = Self.names[Int(random.next() % UInt64(Self.names.count))]
        let value = random.next() % 3 == 0 ? nil : FieldValue.int64(Int64(random.next() % 100))
        fields[FieldName(stored: name)] = value
        model[name] = value
        #expect(fields[FieldName(stored: name)] == value)
      }
      let keys = model.keys.sorted(by: utf8Precedes)
      #expect(fields.entries.map(\.name.text) == keys)
      #expect(fields.entries.map(\.value) == keys.compactMap { model[$0] })
      for name in Self.names { #expect(fields[FieldName(stored: name)] == model[name]) }
      #expect(fields == RecordFields(sorted: fields.entries))
    }
  }

  @Test("two records with the same values are equal, in whatever order they were set")
  func order() {
    var (forwards, backwards) = (RecordFields(), RecordFields())
    for name in Self.names { forwards[FieldName(stored: name)] = .string(name) }
    for name in Self.names.reversed() { backwards[FieldName(stored: name)] = .string(name) }
    #expect(forwards == backwards)
  }

  @Test("R3.4.8: the size counts names and values, but not the bytes of assets")
  func size() throws {
    var fields = RecordFields()
    #expect(fields.size == 0)
    fields[FieldName(stored: "text")] = .string("é")
    #expect(fields.size == 6)
    let asset = try #require(Asset(sha256: String(repeating: "0", count: 64), size: 1 << 30))
    fields[FieldName(stored: "file")] = .asset(asset)
    #expect(fields.size == 10)
    fields[FieldName(stored: "list")] = .list([.bytes([1, 2, 3]), .bytes([])])
    #expect(fields.size == 17)
    fields[FieldName(stored: "n")] = .int64(0)
    #expect(fields.size == 26)
  }
}
