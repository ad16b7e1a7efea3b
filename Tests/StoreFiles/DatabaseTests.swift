internal import Basics
internal import CloudModel
internal import SQLite
internal import TestSupport
internal import Testing

@testable internal import StoreFiles

/// Transactions, opening, upgrades and repairs of a kind of database that only has a description.
@Suite struct DatabaseTests {
  @Test("others see what was committed, and nothing of a rolled-back transaction")
  func transactions() throws {
    let fixture = try ShelfFixture()
    let (writer, reader) = (try fixture.open(), try fixture.open())
    try fixture.add([Book("a")], to: writer)
    _ = try ShelfFixture.begin(writer)
    try writer.insert(Book("b"))
    #expect(try fixture.books(reader) == [Book("a")])
    writer.giveUp()
    writer.unlock()
    #expect(try fixture.books(writer) == [Book("a")])
    try fixture.add([Book("c")], to: reader)
    #expect(try fixture.books(writer) == [Book("a"), Book("c")])
    #expect(try ShelfFixture.begin(writer) == 2, "the number of the last change")
    writer.giveUp()
    writer.unlock()
  }

  @Test("RS2.4: a database without the last change that its lock remembers has lost its log")
  func lostLog() throws {
    let fixture = try ShelfFixture()
    let before = try FileSystem.contents(of: fixture.file.databasePath)
    do {
      let database = try fixture.open()
      try fixture.add([Book("a")], to: database)
      #expect(try database.checkpoint())
    }
    try FileSystem.replace(fixture.file.databasePath, with: before)
    for path in [fixture.file.logPath, fixture.file.databasePath + "-shm"] {
      try? FileSystem.remove(path)
    }
    let error = try #require(throws: StoreError.self) { try fixture.open() }
    #expect(error.kind == .corrupt)
  }

  @Test("RS2.1: files of another kind, of a newer version or of SQLite alone are not opened")
  func foreign() throws {
    let fixture = try ShelfFixture()
    for format in [Shelf.format(mark: 7), Shelf.format(version: 1)] {
      let file = DatabaseFile(folder: fixture.file.folder, format: format)
      #expect(throws: StoreError.self) { try OpenDatabase(file, patience: .none) }
    }
    try FileSystem.replace(fixture.file.databasePath, with: Array("not a database".utf8))
    let error = try #require(throws: StoreError.self) { try fixture.open() }
    #expect(error.kind == .corrupt, "\(error)")
  }

  @Test("F14: an upgrade keeps the rows, seals those of changed tables, and leaves a copy")
  func upgrade() throws {
    let old = try ShelfFixture(Shelf.format(version: 1))
    do {
      let database = try old.open()
      _ = try ShelfFixture.begin(database)
      try database.execute("INSERT INTO _shelf(_id, sequence, seal) VALUES (7, 5, 0)")
      try database.execute("UPDATE _shelf SET seal = ckdb_seal(sequence)")
      try database.commit(at: 5)
      database.endWrite()
    }
    let file = DatabaseFile(folder: old.file.folder, format: Shelf.format())
    try file.upgrade(isReadOnly: false, patience: .none)
    let database = try OpenDatabase(file, patience: .none)
    try Table.addSealFunction(to: database.connection)
    #expect(
      try database.values("SELECT _id FROM _shelf WHERE \(Shelf.shelf.fits()) ORDER BY _id")
        == [1, 7] as [Int64])
    #expect(FileSystem.exists(file.backupPath(version: 1)))
    let examination = try Shelf.kind.examine(file, isDeep: true, readsAssets: true, .none)
    #expect(examination.findings.filter { $0.code.severity != .notice } == [])
  }

  @Test("a repair keeps every row but the damaged one, and gives no number of a change twice")
  func repair() throws {
    let fixture = try ShelfFixture()
    let books = (0..<300).map { Book("title \(1000 + $0)", pages: Int64($0)) }
    do {
      let database = try fixture.open()
      for book in books.dropLast(290) { try fixture.add([book], to: database) }
      try fixture.add(Array(books.dropFirst(10)), to: database)
      #expect(try database.checkpoint())
    }
    try Connection(path: fixture.file.databasePath, mode: .readWrite)
      .execute("UPDATE _book SET pages = 7000 WHERE title = 'title 1003'")
    let found = try Shelf.kind.examine(fixture.file, isDeep: true, readsAssets: true, .none)
    #expect(found.findings.contains { $0.code == .row })
    let repair = try Shelf.kind.repair(fixture.file, at: Timestamp(milliseconds: 0), .none)
    #expect(!repair.isWhole)
    let database = try fixture.open()
    #expect(try fixture.books(database) == books.filter { $0.title != "title 1003" })
    #expect(try ShelfFixture.begin(database) == 11)
    database.giveUp()
    database.unlock()
    let left = try Shelf.kind.examine(fixture.file, isDeep: true, readsAssets: true, .none)
    #expect(left.findings.filter { $0.code.severity != .notice } == [])
  }

  @Test(
    "no number is given twice after a repair of a database whose header, or all of it, is lost",
    arguments: [0..<100, 0..<4096, 0..<Int.max])
  func numbers(_ lost: Range<Int>) throws {
    let fixture = try ShelfFixture()
    do {
      let database = try fixture.open()
      for index in 0..<5 { try fixture.add([Book("\(index)")], to: database) }
      #expect(try database.checkpoint())
    }
    var bytes = try FileSystem.contents(of: fixture.file.databasePath)
    for place in lost.clamped(to: bytes.indices) { bytes[place] = 0xA5 }
    try FileSystem.replace(fixture.file.databasePath, with: bytes)
    _ = try Shelf.kind.repair(fixture.file, at: Timestamp(milliseconds: 0), .none)
    let database = try fixture.open()
    #expect(try ShelfFixture.begin(database) >= 5)
    database.giveUp()
    database.unlock()
  }
}
