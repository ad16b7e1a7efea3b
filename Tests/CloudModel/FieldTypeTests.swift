internal import CloudModel
internal import Testing

/// The types of fields and their names (R3.3, R7.3, L1).
@Suite struct FieldTypeTests {
  /// Every type that the schema language has.
  static let all: [FieldType] = FieldType.Base.allCases.flatMap { base in
    [false, true].flatMap { isList in
      [false, true].map { FieldType(base, isList: isList, isEncrypted: $0) }
    }
  }.filter { type in
    let isPlainOnly = [.asset, .reference, .number].contains(type.base)
    return !(type.isEncrypted && isPlainOnly) && !(type.isList && type.base == .number)
  }

  @Test("R3.3: every type reads back from its name in the schema language, in any case")
  func roundTrip() {
    #expect(Self.all.count == 29)
    for type in Self.all {
      #expect(FieldType(schemaName: type.schemaName) == type)
      #expect(FieldType(schemaName: type.schemaName.lowercased()) == type)
    }
    #expect(Set(Self.all.map(\.schemaName)).count == Self.all.count)
    #expect(FieldType(schemaName: "encrypted<string>") == FieldType(.string, isEncrypted: true))
    #expect(
      FieldType(.string, isList: true, isEncrypted: true).schemaName
        == "LIST<ENCRYPTED STRING>")
  }

  @Test(
    "R3.3: there are no lists of lists, and no encrypted types that CloudKit does not encrypt",
    arguments: [
      "", "STRINGS", "LIST", "LIST<>", "LIST<LIST<STRING>>", "LIST STRING", "STRING>", "<STRING>",
      "ENCRYPTED", "ENCRYPTED ASSET", "ENCRYPTED REFERENCE", "ENCRYPTED NUMBER",
      "ENCRYPTED LIST<STRING>", "ENCRYPTED ENCRYPTED STRING", "BOOLEAN", " STRING", "STRING ",
    ])
  func refused(_ name: String) {
    #expect(FieldType(schemaName: name) == nil)
  }

  @Test("schema-language: only ASCII letters spell a type")
  func foreignLetters() {
    for name in ["\u{17F}tring", "l\u{131}st<string>", "b\u{131}ytes"] {
      #expect(FieldType(schemaName: name) == nil, "\(name)")
    }
  }

  @Test("R3.4.6: the server's names of types: ASSETID, STRING_LIST")
  func valueTypeNames() {
    #expect(FieldType(.asset).valueTypeName == "ASSETID")
    #expect(FieldType(.string, isList: true).valueTypeName == "STRING_LIST")
    #expect(FieldType(.int64).valueTypeName == "INT64")
  }

  @Test("R3.3, R7.3: encrypted fields, assets and bytes have no index; lists cannot be sorted")
  func indexes() {
    for type in Self.all {
      let indexes = type.newFieldIndexes
      if type.isEncrypted || type.base == .asset || type.base == .bytes {
        #expect(indexes == [], "\(type.schemaName)")
      }
      #expect(!type.isList || !indexes.contains(.sortable))
      #expect(
        indexes.contains(.searchable) == (type.base == .string && !type.isEncrypted))
    }
    #expect(FieldType(.string).newFieldIndexes.words == ["QUERYABLE", "SEARCHABLE", "SORTABLE"])
    #expect(FieldType(.reference, isList: true).newFieldIndexes == [.queryable])
  }
}
