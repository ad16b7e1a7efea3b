internal import SQLite
internal import Testing

/// Errors as facts (DS7: code, message, SQL; never bound values).
@Suite struct SQLiteErrorTests {
  private let database: TemporaryDatabase
  private let connection: Connection

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
    try connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT NOT NULL UNIQUE) STRICT")
  }

  private func error(_ body: () throws -> Void) throws -> SQLiteError {
    try #require(throws: SQLiteError.self) { try body() }
  }

  @Test("invalid SQL gives code 1, SQLite's message and the text")
  func syntax() throws {
    for sql in ["SELEC 1", "SELECT 1 FROM nothing", "SELECT 'a", ""] {
      let statement = try error { _ = try connection.statement(sql) }
      #expect(statement.sql == sql && statement.kind == .other)
      #expect(sql.isEmpty || (statement.code == 1 && !statement.message.isEmpty))
    }
    let executed = try error { try connection.execute("SELEC 1") }
    #expect(executed.sql == "SELEC 1" && executed.message.contains("SELEC"))
  }

  @Test("a broken constraint gives the extended code and no value, and the statement can be reused")
  func constraints() throws {
    let insert = try connection.statement("INSERT INTO t (s) VALUES (?)")
    insert.bind("secret", 1)
    try insert.run()
    let unique = try error { try insert.run() }
    #expect(unique.code == 2067 && unique.primaryCode == 19 && unique.kind == .constraint)
    #expect(unique.sql == insert.sql && !unique.message.contains("secret"))
    insert.bindNull(1)
    #expect(try error { try insert.run() }.code == 1299)
    insert.bind([0x31], 1)
    #expect(try error { try insert.run() }.code == 3091, "a blob in a STRICT text column")
    insert.bind("other", 1)
    try insert.run()
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test("errors have the kinds that callers act on: missing, read-only, busy")
  func kinds() throws {
    let missing = try error { _ = try Connection(path: database.path + ".none", mode: .readWrite) }
    #expect(missing.kind == .unavailable)
    let other = try TemporaryDatabase()
    let writer = try other.open()
    try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
    let reader = try other.open(.readOnly)
    #expect(try error { try reader.execute("INSERT INTO t VALUES (1)") }.kind == .readOnly)
    try writer.execute("BEGIN IMMEDIATE")
    let second = try other.open()
    try second.execute("PRAGMA busy_timeout = 0")
    #expect(try error { try second.execute("BEGIN IMMEDIATE") }.kind == .busy)
    try writer.execute("COMMIT")
    #expect(throws: Never.self) { try second.execute("BEGIN IMMEDIATE; COMMIT") }
  }

  @Test("each primary code has one kind, extended or not")
  func codes() {
    let kinds: [(Int32, SQLiteError.Kind)] = [
      (5, .busy), (6, .busy), (261, .busy), (13, .full), (8, .readOnly), (1032, .readOnly),
      (11, .corrupt), (26, .corrupt), (267, .corrupt), (10, .inputOutput), (14, .unavailable),
      (7, .unavailable), (3082, .unavailable), (4618, .unavailable), (266, .inputOutput),
      (1034, .inputOutput), (9, .interrupted), (18, .tooBig), (19, .constraint), (1, .other),
    ]
    for (code, kind) in kinds {
      #expect(SQLiteError(code: code, message: "").kind == kind, "\(code)")
    }
  }

  @Test("RS2: a file is data: no double-quoted strings, no foreign views")
  func hardening() throws {
    #expect(throws: SQLiteError.self) { try connection.integer("SELECT \"no column\" FROM t") }
    #expect(throws: SQLiteError.self) {
      try connection.execute("PRAGMA writable_schema = 1; DELETE FROM sqlite_schema")
    }
    try connection.execute("CREATE VIEW v AS SELECT 1")
    #expect(throws: SQLiteError.self) { try connection.integer("SELECT * FROM v") }
    #expect(try connection.integer("PRAGMA foreign_keys") == 1)
    #expect(try connection.integer("PRAGMA trusted_schema") == 0)
  }

  @Test("an immutable file can be read, and not written")
  func immutable() throws {
    try connection.execute("INSERT INTO t VALUES (1, 'a')")
    let reader = try database.open(.immutable)
    #expect(try reader.integer("SELECT count(*) FROM t") == 1)
    #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM t") }
  }
}
