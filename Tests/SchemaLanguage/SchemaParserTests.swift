internal import Basics
internal import CloudModel
internal import SchemaLanguage
internal import Testing

/// The schema language, and the errors of the parser (L1, L2, L4).
@Suite struct SchemaParserTests {
  private func type(_ text: String) throws -> RecordTypeSchema {
    let schema = try SchemaParser.parse("DEFINE SCHEMA RECORD TYPE T (\(text));")
    return try #require(schema.type("T"))
  }

  // MARK: Valid schemas

  @Test("L1: every type of a field is read", arguments: FieldType.Base.allCases)
  func types(base: FieldType.Base) throws {
    let word = base.rawValue
    #expect(try type("f \(word)").fields.first?.type == FieldType(base))
    #expect(try type("f LIST<\(word)>").fields.first?.type == FieldType(base, isList: true))
    #expect(try type("f list < \(word.lowercased()) >").fields.first?.type.isList == true)
    let encrypted = FieldType(base, isEncrypted: true)
    if FieldType.canEncrypt(base) {
      #expect(try type("f ENCRYPTED \(word)").fields.first?.type == encrypted)
      #expect(try type("f LIST<ENCRYPTED \(word)>").fields.first?.type.isEncrypted == true)
    } else {
      #expect(throws: SchemaError.self) { _ = try type("f ENCRYPTED \(word)") }
    }
  }

  @Test("L1: a NUMBER may be preferred as INT64 or DOUBLE")
  func numbers() throws {
    #expect(try type("f NUMBER PREFERRED AS DOUBLE").fields[0].type.preference == .double)
    #expect(try type("f LIST<NUMBER PREFERRED AS INT64>").fields[0].type.preference == .int64)
    #expect(try type("f NUMBER QUERYABLE").fields[0].type.preference == nil)
  }

  @Test("L1.5: indexes may be in any order")
  func indexes() throws {
    let all: FieldIndexes = [.queryable, .searchable, .sortable]
    #expect(try type("f STRING SEARCHABLE SORTABLE QUERYABLE").fields[0].indexes == all)
    #expect(try type("f LIST<STRING> SEARCHABLE QUERYABLE").fields[0].indexes != all)
    #expect(try type("f BYTES QUERYABLE SORTABLE").fields[0].indexes == [.queryable, .sortable])
  }

  @Test("L1.1: three forms of comments, CRLF, a byte order mark and blank lines are ignored")
  func blanks() throws {
    let text = """
      \u{FEFF}-- one; DEFINE
      DEFINE /* two
       -- three */ SCHEMA // four

      RECORD/**/TYPE T(a STRING,-- five
      b INT64/* six *//* seven */);
      """
    let plain = try SchemaParser.parse("DEFINE SCHEMA RECORD TYPE T (a STRING, b INT64);")
    #expect(try SchemaParser.parse(text) == plain)
    var carriage = ""
    for character in text { carriage += character == "\n" ? "\r\n" : String(character) }
    #expect(try SchemaParser.parse(carriage) == plain)
  }

  @Test("L1.3: names may be in quotes; keywords except for the reserved ones are names")
  func names() throws {
    let fields = try type(
      "type STRING, \"grant\" INT64, \"title\" STRING, list LIST<INT64>, Record ASSET, to BYTES"
    ).fields.map(\.name.text)
    #expect(fields == ["Record", "grant", "list", "title", "to", "type"])
    let share = try SchemaParser.parse(
      "DEFINE SCHEMA RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" STRING);")
    #expect(share.types[0].name.text == "cloudkit.share")
  }

  @Test("L1.8: repeated grants to a role add up; role names may have blanks")
  func grants() throws {
    let schema = try SchemaParser.parse(
      """
      DEFINE SCHEMA CREATE ROLE "test role"; CREATE ROLE Editor;
      RECORD TYPE T (GRANT WRITE TO "_creator", f STRING, GRANT READ TO "_creator",
        GRANT READ, CREATE, WRITE TO "test role");
      """)
    #expect(schema.roles.map(\.name) == ["Editor", "test role"])
    let grants = schema.types[0].grants
    #expect(grants[.creator] == [.read, .write])
    #expect(grants[SecurityRole(stored: "test role")] == [.read, .create, .write])
    #expect(grants[.world] == [])
  }

  @Test("L2.1: system fields exist without being named; if named, they have the named indexes")
  func systemFields() throws {
    let named = try type("\"___recordID\" REFERENCE QUERYABLE, \"___modTime\" TIMESTAMP, a STRING")
    #expect(named.systemIndexes == [.recordName: .queryable])
    #expect(named.fields.count == 1)
    #expect(named.systemFields.count == 6)
  }

  // MARK: Errors

  @Test("L4: an unknown type is refused with the service's message")
  func serviceText() throws {
    let error = try #require(throws: SchemaError.self) {
      _ = try SchemaParser.parse(
        "DEFINE SCHEMA\n\n    RECORD TYPE A (\n        a STRING,\n        b   INT64,\n"
          + "        c               BADTYPE\n    );")
    }
    #expect(
      error.message == "Encountered \" <IDENTIFIER> \"BADTYPE \"\" at line 6, column 25.")
    #expect(error.serviceText.contains("\nWas expecting one of:\n    \"LIST\" ...\n"))
    let missing = try #require(throws: SchemaError.self) {
      _ = try SchemaParser.parse("RECORD TYPE A (a STRING);")
    }
    #expect(
      missing.serviceText == """
        Encountered " "RECORD" "RECORD "" at line 1, column 1.
        Was expecting:
            "DEFINE" ...
        """)
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let text: String
    let line: Int
    let column: Int
    let word: String
    var testDescription: String { text }

    init(_ text: String, _ line: Int, _ column: Int, _ word: String) {
      self.text = text
      self.line = line
      self.column = column
      self.word = word
    }

    /// A fault within a type that begins on the second line; columns count from there.
    static func item(_ text: String, _ column: Int, _ word: String) -> Fault {
      Fault("DEFINE SCHEMA\nRECORD TYPE T (\(text));", 2, column + 15, word)
    }
  }

  private static let faults: [Fault] = [
    Fault("", 1, 1, "<EOF>"),
    Fault("  \n -- nothing\n", 3, 1, "<EOF>"),
    Fault("DEFINE", 1, 7, "<EOF>"),
    Fault("DEFINE TABLE", 1, 8, "TABLE"),
    Fault("SCHEMA", 1, 1, "SCHEMA"),
    Fault("DEFINE SCHEMA DEFINE SCHEMA", 1, 15, "DEFINE"),
    Fault("DEFINE SCHEMA;", 1, 14, ";"),
    Fault("DEFINE SCHEMA\nRECORD T (a STRING);", 2, 8, "<IDENTIFIER> \"T"),
    Fault("DEFINE SCHEMA\nRECORD TYPE (a STRING);", 2, 13, "("),
    Fault("DEFINE SCHEMA\nRECORD TYPE A a STRING);", 2, 15, "<IDENTIFIER> \"a"),
    Fault("DEFINE SCHEMA\nRECORD TYPE A (a STRING)", 2, 25, "<EOF>"),
    Fault("DEFINE SCHEMA\nRECORD TYPE A (a STRING)\nRECORD TYPE B (a INT64);", 3, 1, "RECORD"),
    Fault("DEFINE SCHEMA\nRECORD TYPE A ();", 2, 16, ")"),
    Fault("DEFINE SCHEMA\nRECORD TYPE A (a STRING", 2, 24, "<EOF>"),
    Fault("DEFINE SCHEMA\nRECORD TYPE 9A (a STRING);", 2, 13, "9A"),
    Fault("DEFINE SCHEMA\nRECORD TYPE \"A-B\" (a STRING);", 2, 13, "A-B"),
    Fault("DEFINE SCHEMA\nRECORD TYPE \"cloudkit.foo\" (a STRING);", 2, 13, "cloudkit.foo"),
    Fault("DEFINE SCHEMA\nRECORD TYPE \"Ä\" (a STRING);", 2, 13, "invalid characters"),
    Fault("DEFINE SCHEMA\nRECORD TYPE Ä (a STRING);", 2, 13, "Lexical error"),
    Fault("DEFINE SCHEMA\nRECORD TYPE \"A (a STRING);\n", 2, 13, "not closed"),
    Fault("DEFINE SCHEMA /* no end\n\n", 1, 15, "not closed"),
    Fault(
      "DEFINE SCHEMA\nRECORD TYPE A (a STRING);\n\nRECORD TYPE A (b STRING);", 4, 13, "twice"),
    Fault("DEFINE SCHEMA\nCREATE ROLE a;\nCREATE ROLE a;", 3, 13, "twice"),
    Fault("DEFINE SCHEMA\nCREATE ROLE \"_world\";", 2, 13, "invalid characters"),
    Fault("DEFINE SCHEMA\nCREATE TYPE a;", 2, 8, "TYPE"),
    Fault("DEFINE SCHEMA\nDROP TYPE a;", 2, 1, "DROP"),
    .item("a STRING,", 10, ")"),
    .item("a STRING b INT64", 10, "<IDENTIFIER> \"b"),
    .item("a", 2, ")"),
    .item("a STRING, a INT64", 11, "twice"),
    .item("___recordID REFERENCE", 1, "___recordID"),
    .item("\"___recordID\" STRING", 15, "REFERENCE"),
    .item("\"___name\" STRING", 1, "system field"),
    .item("\"recordName\" REFERENCE, \"\" STRING", 25, "invalid characters"),
    .item("grant STRING", 7, "STRING"),
    .item("queryable STRING", 1, "QUERYABLE"),
    .item("a LIST<LIST<STRING>>", 8, "LIST"),
    .item("a LIST STRING", 8, "STRING"),
    .item("a LIST<STRING", 14, ")"),
    .item("a ENCRYPTED REFERENCE", 13, "REFERENCE"),
    .item("a ENCRYPTED ASSET", 13, "ASSET"),
    .item("a ENCRYPTED STRING QUERYABLE", 20, "QUERYABLE"),
    .item("a ASSET QUERYABLE", 9, "QUERYABLE"),
    .item("a INT64 SEARCHABLE", 9, "SEARCHABLE"),
    .item("a LIST<INT64> SORTABLE", 15, "SORTABLE"),
    .item("a STRING QUERYABLE QUERYABLE", 20, "twice"),
    .item("a NUMBER PREFERRED INT64", 20, "INT64"),
    .item("a NUMBER PREFERRED AS STRING", 23, "STRING"),
    .item("a UUID", 3, "UUID"),
    .item("GRANT DELETE TO \"_world\"", 7, "DELETE"),
    .item("GRANT READ \"_world\"", 12, "_world"),
    .item("GRANT READ, TO \"_world\"", 13, "TO"),
    .item("GRANT READ TO _world", 15, "_world"),
    .item("GRANT READ TO \"_nobody\"", 15, "_nobody"),
    .item("a STRING, GRANT READ TO editor", 25, "not created"),
    .item("a STRING ? INT64", 10, "Lexical error"),
  ]

  @Test("L4.7: a fault is reported with its line and column", arguments: faults)
  func places(fault: Fault) throws {
    let error = try #require(throws: SchemaError.self) {
      _ = try SchemaParser.parse(fault.text)
    }
    #expect(error.position == TextPosition(line: fault.line, column: fault.column))
    #expect(error.span.lowerBound <= fault.text.utf8.count)
    #expect(error.message.contains(fault.word), "\(error.message)")
  }
}
