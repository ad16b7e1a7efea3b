internal import Basics
internal import SQLite
internal import Testing

/// Binding and reading values (DS5: values are bound, never in the text).
@Suite struct BindingTests {
  private let database: TemporaryDatabase
  private let connection: Connection

  init() throws {
    database = try TemporaryDatabase()
    connection = try database.open()
    // One transaction, since nothing here has to be durable.
    try connection.execute("BEGIN; CREATE TABLE t (id INTEGER PRIMARY KEY, v ANY) STRICT")
  }

  /// SQLite's type name of a value, and what `body` reads of it, from a table.
  private func stored<Value>(
    _ binding: SQLFragment.Binding, _ body: (Statement) -> Value
  ) throws -> (type: String, value: Value) {
    let insert = try connection.statement("INSERT INTO t (v) VALUES (?)")
    insert.bind([binding])
    try insert.run()
    let select = try connection.statement("SELECT typeof(v), v FROM t WHERE id = ?")
    select.bind(connection.lastInsertedRow, 1)
    defer { select.reset() }
    #expect(try select.step())
    return (select.text(0), body(select))
  }

  @Test("texts: the empty text is not NULL; NUL and every scalar are kept")
  func texts() throws {
    let texts = [
      "", "\0", "a\0b", "\0\0", "it's", "\u{E9}", "e\u{301}", "🧭", "\u{10FFFF}", "?", "NULL",
      String(repeating: "x", count: 100_000),
    ]
    for text in texts {
      let found = try stored(.text(text)) { $0.text(1) }
      #expect(found.type == "text")
      #expect(utf8Equal(found.value, text))
      let length = try stored(.text(text)) { $0.utf8(1).count }
      #expect(length.value == text.utf8.count)
    }
  }

  @Test("blobs: the empty blob is not NULL; all bytes are kept")
  func blobs() throws {
    var random = SplitMix64(state: 1)
    for count in [0, 1, 7, 300, 100_000] {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let found = try stored(.blob(bytes)) { $0.bytes(1) }
      #expect(found.type == "blob" && found.value == bytes)
    }
  }

  @Test("integers are exact to the ends of 64 bits")
  func integers() throws {
    for number in [0, 1, -1, 1 << 53 + 1, Int64.max, .min] {
      let found = try stored(.integer(number)) { ($0.int64(1), $0.isInteger(1)) }
      #expect(found.type == "integer" && found.value == (number, true))
    }
  }

  @Test("real numbers keep their bits, except for -0 and NaN")
  func reals() throws {
    var random = SplitMix64(state: 2)
    let edges = [0.1, 0x1p53 + 2, 1e300, -1e-300, .leastNonzeroMagnitude, .infinity, 5]
    for number in edges + (0..<500).map({ _ in Double(bitPattern: random.next()) })
    where !number.isNaN {
      let found = try stored(.real(number)) { ($0.double(1), $0.isInteger(1)) }
      #expect(found.type == "real" && found.value == (number, false))
    }
    #expect(try stored(.real(.nan)) { $0.isNull(1) } == ("null", true))
    #expect(try stored(.real(-0.0)) { $0.double(1) }.value == 0)
  }

  @Test("NULL reads as NULL, and as nil for every type")
  func null() throws {
    let found = try stored(.null) {
      ($0.isNull(1), $0.int64(1), $0.double(1), $0.text(1), $0.bytes(1).count)
    }
    #expect(found.type == "null" && found.value == (true, 0, 0, "", 0))
    #expect(try stored(.integer(0)) { $0.isNull(1) }.value == false)
  }

  @Test("borrowed and UTF-8 bytes are stored as texts and blobs")
  func borrowed() throws {
    let select = try connection.statement("SELECT typeof(?1), typeof(?2), typeof(?3), ?1, ?2, ?3")
    for bytes in [[], Array("a\0é".utf8)] as [[UInt8]] {
      try bytes.withUnsafeBytes { (raw) throws in
        select.bind(borrowedText: raw, 1)
        select.bind(borrowedBlob: raw, 2)
        select.bind(utf8: bytes, 3)
        #expect(try select.step())
        #expect((0..<3).map { select.text($0) } == ["text", "blob", "text"])
        #expect(Array(select.utf8(3)) == bytes && select.bytes(4) == bytes)
        #expect(Array(select.utf8(5)) == bytes)
        select.reset()
      }
    }
  }

  @Test("RS2: a value longer than 64 MB is refused, and not stored as NULL")
  func tooLong() throws {
    let insert = try connection.statement("INSERT INTO t (v) VALUES (?)")
    insert.bind([UInt8](repeating: 0x78, count: (64 << 20) + 1), 1)
    #expect(throws: SQLiteError.self) { try insert.run() }
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test("fragments: pieces keep their values in the order of their question marks")
  func fragments() throws {
    let parts = (0..<5).map { SQLFragment("(? + \($0))", [.integer(Int64($0) * 10)]) }
    var fragment = SQLFragment("SELECT ") + parts[0]
    fragment += ", "
    fragment += .join(Array(parts[1...]), ", ")
    #expect(fragment.bindings == (0..<5).map { .integer(Int64($0) * 10) })
    let statement = try connection.statement(fragment.sql)
    statement.bind(fragment.bindings)
    #expect(try statement.step())
    #expect((0..<5).map { statement.int64($0) } == [0, 11, 22, 33, 44])
    #expect(SQLFragment.join([], ", ") == SQLFragment(""))
  }
}

private func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
  var sum = left
  sum += right
  return sum
}
