internal import Basics
internal import SQLite
internal import Testing

@testable internal import StoreFiles

/// What comes from the description of a table (`Table`): statements, seals, upgrades.
@Suite struct TableTests {
  @Test("CREATE has the columns, key, constraints and indexes of the description")
  func creation() {
    #expect(
      Shelf.book.creation(asOf: 2) == """
        CREATE TABLE _book(shelf INTEGER NOT NULL, title TEXT NOT NULL, pages INTEGER, \
        seal INTEGER NOT NULL, PRIMARY KEY(shelf, title)) STRICT, WITHOUT ROWID;
        CREATE INDEX _book_pages ON _book(pages) WHERE pages > 1000;

        """)
    #expect(
      Shelf.shelf.creation(asOf: 1) == """
        CREATE TABLE _shelf(_id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, \
        seal INTEGER NOT NULL DEFAULT 0) STRICT;

        """)
  }

  @Test("a step of an upgrade adds what that version brought, and nothing else")
  func upgrade() {
    #expect(
      Shelf.shelf.upgrade(to: 2)
        == "ALTER TABLE _shelf ADD COLUMN name TEXT NOT NULL DEFAULT '';\n")
    #expect(Shelf.book.upgrade(to: 2) == Shelf.book.creation(asOf: 2))
    #expect(Shelf.shelf.upgrade(to: 3).isEmpty)
  }

  @Test("a row is read as it was written, NULL included; an update and a deletion find it")
  func rows() throws {
    let fixture = try ShelfFixture()
    let database = try fixture.open()
    let books = [Book("a", pages: 10), Book("b"), Book("\u{E9}", pages: -1)]
    try fixture.add(books.reversed(), to: database)
    #expect(try fixture.books(database) == books)
    #expect(try database.row("WHERE pages = ?", [Int64(10)]) == books[0])
    #expect(try database.hasRow("SELECT 1 FROM _book WHERE title = ?", ["b"]))
    #expect(try database.value("SELECT count(*) FROM _book") == Int64(3))
    _ = try ShelfFixture.begin(database)
    #expect(try database.delete(from: Shelf.book, "title < ?", ["b"]) == 1)
    database.giveUp()
    database.unlock()
    #expect(try fixture.books(database) == books, "a rolled-back deletion")
  }

  @Test("an insertion fails, ignores, replaces or updates where the key is taken")
  func conflicts() throws {
    let fixture = try ShelfFixture()
    let database = try fixture.open()
    try fixture.add([Book("a", pages: 1)], to: database)
    _ = try ShelfFixture.begin(database)
    #expect(throws: StoreError.self) { try database.insert(Book("a", pages: 2)) }
    try database.insert(Book("a", pages: 3), .ignore)
    #expect(try fixture.books(database) == [Book("a", pages: 1)])
    for (pages, conflict) in [(4, Table.Conflict.replace), (5, .update)] {
      try database.insert(Book("a", pages: Int64(pages)), conflict)
      #expect(try fixture.books(database) == [Book("a", pages: Int64(pages))])
    }
    database.giveUp()
    database.unlock()
  }

  @Test(
    "every change of a value, also to NULL, shows in the seal; the row is an error",
    arguments: ["shelf = 2", "title = 'b'", "pages = 2", "pages = NULL", "seal = seal + 1"])
  func seals(_ change: String) throws {
    let fixture = try ShelfFixture()
    let database = try fixture.open()
    try fixture.add([Book("a", pages: 1)], to: database)
    try Connection(path: fixture.file.databasePath, mode: .readWrite)
      .execute("UPDATE _book SET \(change)")
    let error = try #require(throws: StoreError.self) { try fixture.books(database) }
    #expect(error.kind == .corrupt)
    #expect(error.message.contains("_book"))
    #expect(
      try database.all("SELECT \(Shelf.book.selection()) FROM _book") {
        Book(Row(damaged: Shelf.book, in: $0))
      }.count == 1)
  }

  @Test("statements of the description keep the seal: update, and an insertion from a query")
  func sealedStatements() throws {
    let fixture = try ShelfFixture()
    let database = try fixture.open()
    try fixture.add([Book("a", pages: 1), Book("b")], to: database)
    _ = try ShelfFixture.begin(database)
    try database.run(Shelf.book.update(["pages": "ifnull(pages, 0) + 7"]))
    try database.run(
      Shelf.book.insertion(of: ["title": "title || '2'", "shelf": "9"], from: "_book"))
    #expect(
      try fixture.books(database) == [
        Book("a", pages: 8), Book("a2", shelf: 9, pages: 8), Book("b", pages: 7),
        Book("b2", shelf: 9, pages: 7),
      ])
    database.giveUp()
    database.unlock()
  }
}
