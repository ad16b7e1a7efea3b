internal import SQLite
internal import Testing

/// Statements are kept, stepped and reset (DS2: statement reuse).
@Suite struct StatementTests {
  private let database: TemporaryDatabase
  private let connection: Connection

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
    try connection.execute(
      "CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT UNIQUE) STRICT;"
        + "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
  }

  @Test("a kept statement is the same object for the same text, until all are released")
  func kept() throws {
    let first = try connection.statement("SELECT n FROM t")
    #expect(try connection.statement("SELECT n FROM t") === first)
    #expect(try connection.statement("SELECT n  FROM t") !== first)
    #expect(try connection.transientStatement("SELECT n FROM t") !== first)
    connection.forgetStatements()
    let second = try connection.statement("SELECT n FROM t")
    #expect(second !== first && second.sql == "SELECT n FROM t")
  }

  @Test("a finished or reset statement starts again with the same values")
  func again() throws {
    let statement = try connection.statement("SELECT s FROM t WHERE n >= ? ORDER BY n")
    for first in [1, 3, 4, 2] as [Int64] {
      statement.bind(first, 1)
      for isCutShort in [false, true] {
        var found: [String] = []
        while try statement.step() {
          found.append(statement.text(0))
          if isCutShort { break }
        }
        statement.reset()
        let all = ["a", "b", "c"].dropFirst(Int(first) - 1)
        #expect(found == Array(isCutShort ? all.prefix(1) : all))
      }
    }
  }

  @Test("a statement that was given back serves again, without its bindings, but never two at once")
  func takenAndGivenBack() throws {
    let sql = "SELECT s, ?2 FROM t WHERE n >= ?1 ORDER BY n"
    let first = try connection.takeStatement(sql)
    first.bind(Int64(2), 1)
    first.bind("x", 2)
    #expect(try first.step() && first.text(0) == "b" && first.text(1) == "x")
    let second = try connection.takeStatement(sql)
    #expect(second !== first)
    second.bind(Int64(3), 1)
    #expect(try second.step() && second.text(0) == "c" && second.value(1).isNull)
    #expect(try first.step() && first.text(0) == "c")
    connection.giveBack(second)
    connection.giveBack(first)
    let again = try connection.takeStatement(sql)
    #expect(again === first)
    #expect(try !again.step(), "a comparison with NULL finds nothing")
    for number in 0..<40 {
      connection.giveBack(try connection.takeStatement("SELECT \(number)"))
    }
    #expect(try connection.takeStatement(sql) !== second)
  }

  @Test("a kept statement sees columns that were added meanwhile")
  func changedSchema() throws {
    let statement = try connection.statement("SELECT * FROM t WHERE n = 1")
    try statement.run()
    try connection.execute("ALTER TABLE t ADD COLUMN more TEXT DEFAULT 'x'")
    #expect(try statement.step())
    #expect(statement.text(2) == "x")
    statement.reset()
  }

  @Test("shortcuts: first value or nil, rows changed, last row, transaction")
  func questions() throws {
    #expect(try connection.integer("SELECT n FROM t ORDER BY n DESC") == 3)
    #expect(try connection.integer("SELECT n FROM t WHERE n > 9") == nil)
    #expect(try connection.text("SELECT s FROM t WHERE n = 2") == "b")
    try connection.statement("UPDATE t SET s = s || '!' WHERE n > 1").run()
    #expect(connection.changedRows == 2)
    try connection.statement("INSERT INTO t VALUES (77, 'z')").run()
    #expect(connection.lastInsertedRow == 77 && !connection.isInTransaction)
    try connection.execute("BEGIN IMMEDIATE")
    #expect(connection.isInTransaction)
    try connection.execute("ROLLBACK")
    #expect(!connection.isInTransaction)
  }

  @Test("a quoted identifier names only itself, with any characters")
  func quoting() throws {
    let names = [
      "a", "A b", "select", "say \"no\"", "\"", "\"\"", "it's", "é", "e\u{301}", "\"\u{301}", "a;b",
      "--", "🧭", "place.latitude", "[x]", "`", "x\"; DROP TABLE t; --",
    ]
    for name in names {
      try connection.execute("CREATE TABLE \(name.quotedIdentifier) (x)")
      let statement = try connection.transientStatement(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?")
      statement.bind(name, 1)
      #expect(try statement.step() && statement.int64(0) == 1, "\(name)")
    }
    #expect("a\"b".quotedIdentifier == "\"a\"\"b\"")
    #expect(try connection.integer("SELECT count(*) FROM t") == 3)
  }
}
