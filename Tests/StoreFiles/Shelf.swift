internal import Basics
internal import SQLite
internal import TestSupport

@testable internal import StoreFiles

/// A small kind of database, which this target knows nothing about: books on numbered shelves.
///
/// Version 1 had shelves; version 2 brought books, and names of shelves.
enum Shelf {
  static let shelf = Table(
    "_shelf", "A shelf", since: 1,
    [.integer("sequence"), .seal(default: "0"), .text("name", default: "''", since: 2)],
    salvage: .kept)
  /// The table of version 1.
  private static let formerShelf = Table(
    "_shelf", "A shelf", since: 1, [.integer("sequence"), .seal(default: "0")], salvage: .kept)
  static let book = Table(
    "_book", "A book", since: 2, key: .columns(["shelf", "title"]),
    [.integer("shelf"), .text("title"), .optionalInteger("pages"), .seal()],
    indexes: [TableIndex("_book_pages", "pages", where: "pages > 1000")], salvage: .kept)
  static let word = Table(
    "_word", "A word of a title", since: 2, key: .first, [.text("word"), .integer("books")],
    salvage: .rebuilt)

  static func format(
    version: UInt32 = 2, name: String = "shelf", mark: UInt32 = 0x5348_4C46
  ) -> DatabaseFormat {
    DatabaseFormat(
      name: name, applicationID: mark, version: version, oldest: 1,
      lastSequence: "SELECT max(sequence) FROM _shelf",
      tables: version == 1 ? [formerShelf] : [shelf, book, word],
      catalog: [("_shelf", ["_id", "sequence"])],
      fill: { (connection, sequence) throws(StoreError) in
        try connection.perform(
          "INSERT OR IGNORE INTO _shelf(_id, sequence, seal) VALUES (1, \(sequence), 0)")
      },
      advance: { (connection, sequence) throws(StoreError) in
        try connection.perform(shelf.update(["sequence": "max(sequence, \(sequence))"]))
      })
  }

  static let kind = DatabaseKind(
    format(), doctor: { Doctor(OpenDatabase.self, $0, patience: $1, $2) })
}

/// A row of `_book`.
struct Book: StoredRow, Equatable {
  static var table: Table { Shelf.book }
  var shelf: Int64
  var title: String
  var pages: Int64?

  init(_ title: String, shelf: Int64 = 1, pages: Int64? = nil) {
    (self.shelf, self.title, self.pages) = (shelf, title, pages)
  }

  init(_ row: Row) {
    (shelf, title, pages) = (row["shelf"], row["title"], row["pages"])
  }

  var values: KeyValuePairs<String, any StoredValue> {
    ["shelf": shelf, "title": title, "pages": pages]
  }
}

/// A database of books in a fresh directory.
struct ShelfFixture {
  let directory: TemporaryDirectory
  let file: DatabaseFile

  init(_ format: DatabaseFormat = Shelf.format()) throws {
    directory = try TemporaryDirectory()
    file = DatabaseFile(folder: directory.path + "/shelf", format: format)
    try file.create()
  }

  func open(_ patience: Patience = .none) throws -> OpenDatabase {
    let database = try OpenDatabase(file, patience: patience)
    try Table.addSealFunction(to: database.connection)
    return database
  }

  /// Adds books in a transaction, which counts as one change.
  func add(_ books: [Book], to database: OpenDatabase) throws {
    let last = try Self.begin(database)
    for book in books { try database.insert(book) }
    try database.run(Shelf.shelf.update(["sequence": "\(last + 1)"]) + " WHERE _id = 1")
    try database.commit(at: last + 1)
    database.endWrite()
  }

  /// Begins a write transaction; returns the number of the last change.
  static func begin(_ database: OpenDatabase) throws -> Int64 {
    try database.beginWrite { () throws(StoreError) in
      try database.connection.number(database.file.format.lastSequence) ?? 0
    }
  }

  /// The books, by title.
  func books(_ database: OpenDatabase) throws -> [Book] {
    try database.rows("ORDER BY title")
  }
}
