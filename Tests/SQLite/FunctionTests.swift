internal import SQLite
internal import Testing

/// Swift functions in SQL, which distances need.
@Suite struct FunctionTests {
  private let database: TemporaryDatabase
  private let connection: Connection

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
    try connection.addFunction("weigh") { $0 * 1000 + $1 * 100 + $2 * 10 + $3 }
  }

  private func row(_ sql: String) throws -> (isNull: Bool, number: Double) {
    let statement = try connection.transientStatement(sql)
    #expect(try statement.step())
    return (statement.isNull(0), statement.double(0))
  }

  @Test("a function gets four numbers in order, integers too")
  func values() throws {
    #expect(try row("SELECT weigh(1, 2, 3, 4)").number == 1234)
    #expect(try row("SELECT weigh(0.5, 0, -1, 0.25)").number == 490.25)
    #expect(try row("SELECT weigh(weigh(0,0,0,1), 0, 0, weigh(0,0,0,2))").number == 1002)
  }

  @Test("the result is NULL if any of the four is NULL")
  func nulls() throws {
    for place in 0..<4 {
      let arguments = (0..<4).map { $0 == place ? "NULL" : "1" }.joined(separator: ", ")
      #expect(try row("SELECT weigh(\(arguments))").isNull)
    }
    #expect(try !row("SELECT weigh(1, 1, 1, 1)").isNull)
  }

  @Test("a function works on every row of a table, and needs four arguments")
  func rows() throws {
    try connection.execute("BEGIN; CREATE TABLE t (n INTEGER)")
    let insert = try connection.statement("INSERT INTO t VALUES (?)")
    for number in 0..<100 {
      insert.bind(Int64(number), 1)
      try insert.run()
    }
    #expect(try connection.integer("SELECT count(*) FROM t WHERE weigh(0, 0, 0, n) < 50") == 50)
    #expect(throws: SQLiteError.self) { try connection.integer("SELECT weigh(1, 2, 3)") }
  }

  @Test("the function's captures live exactly as long as the connection")
  func lifetime() throws {
    final class Held { let factor = 2.0 }
    weak var held: Held?
    do {
      let file = try TemporaryDatabase()
      let other = try file.open()
      let strong = Held()
      held = strong
      try other.addFunction("double") { a, _, _, _ in a * strong.factor }
      #expect(try other.integer("SELECT double(21, 0, 0, 0)") == 42)
    }
    #expect(held == nil)
  }
}
