internal import Basics
internal import CloudModel
internal import SchemaLanguage
internal import Testing

/// The layout of Apple's exporter (L3).
@Suite struct SchemaPrinterTests {
  @Test("L3: roles first, then types and fields in byte order, padded, then grants")
  func layout() throws {
    let text = """
      DEFINE SCHEMA create role viewer; create role Editor;
      record type "a" ("grant" string sortable queryable, "Z" list<encrypted double>,
        grant write to "_creator", grant write, read to viewer, grant create to Editor,
        "___modTime" timestamp sortable);
      record type Empty ("___etag" string);
      """
    let expected = """
      DEFINE SCHEMA

          CREATE ROLE Editor;
          CREATE ROLE viewer;

          RECORD TYPE Empty (
              "___createTime" TIMESTAMP,
              "___createdBy"  REFERENCE,
              "___etag"       STRING,
              "___modTime"    TIMESTAMP,
              "___modifiedBy" REFERENCE,
              "___recordID"   REFERENCE
          );

          RECORD TYPE a (
              Z               LIST<ENCRYPTED DOUBLE>,
              "___createTime" TIMESTAMP,
              "___createdBy"  REFERENCE,
              "___etag"       STRING,
              "___modTime"    TIMESTAMP SORTABLE,
              "___modifiedBy" REFERENCE,
              "___recordID"   REFERENCE,
              "grant"         STRING QUERYABLE SORTABLE,
              GRANT CREATE TO Editor,
              GRANT WRITE TO "_creator",
              GRANT READ, WRITE TO viewer
          );

      """
    #expect(SchemaPrinter.text(try SchemaParser.parse(text)) == expected)
    #expect(SchemaPrinter.text(try SchemaParser.parse(expected)) == expected)
    #expect(SchemaPrinter.text(Schema()) == "DEFINE SCHEMA\n")
  }

  @Test("any schema reads back the same, and prints the same", arguments: 0..<200)
  func roundTrip(seed: Int) throws {
    var random = SplitMix64(state: UInt64(seed))
    let schema = Self.schema(&random)
    let text = SchemaPrinter.text(schema)
    let again = try SchemaParser.parse(text)
    #expect(again == schema)
    #expect(SchemaPrinter.text(again) == text)
  }

  private static func schema(_ random: inout SplitMix64) -> Schema {
    func number(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let words = [
      "a", "B", "grant", "list", "CD_x", "z9", "Queryable", "to", "role", "aVeryLongName",
    ]
    let roles = ["editor", "Big role", "queryable"].filter { _ in number(2) == 0 }
      .map { SecurityRole(stored: $0) }
    let types = words.filter { _ in number(3) == 0 }.map { name in
      var type = RecordTypeSchema(name: RecordType(stored: name), fields: [], grants: Grants())
      for word in words.sorted(by: utf8Precedes) where number(2) == 0 {
        let base = FieldType.Base.allCases[number(FieldType.Base.allCases.count)]
        let preference = FieldType.NumberPreference.allCases.randomElement(using: &random)
        let fieldType = FieldType(
          base, isList: number(3) == 0, isEncrypted: FieldType.canEncrypt(base) && number(3) == 0,
          preference: base == .number && number(2) == 0 ? preference : nil)
        let indexes = FieldIndexes(rawValue: number(8)).intersection(fieldType.allowedIndexes)
        type.fields.append(
          FieldSchema(name: FieldName(stored: word), type: fieldType, indexes: indexes))
      }
      for key in SystemKey.allCases where key.schemaName != nil && number(4) == 0 {
        type.systemIndexes[key] = [.queryable, number(2) == 0 ? .sortable : .queryable]
      }
      for role in roles + [.world, .icloud, .creator] where number(2) == 0 {
        type.grants[role] = Permissions(rawValue: number(8))
      }
      return type
    }
    return Schema(roles: roles, types: types)
  }
}
