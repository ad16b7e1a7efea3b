internal import Basics
internal import CSQLite
internal import Testing

@testable internal import SQLite

/// Checksums in the pages of a database (`PageChecksums`; "Database File Format", §1.3.4).
@Suite struct PageChecksumTests {
  private static let pageSize = 4096

  /// A database with a table and an index on several pages, all of them in the file.
  private func filled(hasChecksums: Bool = true) throws -> TemporaryDatabase {
    let database = try TemporaryDatabase()
    let connection = try Connection(
      path: database.path, mode: .readWrite, makesChecksums: hasChecksums)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT);
      CREATE INDEX byText ON note(text);
      WITH RECURSIVE row(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < 400)
      INSERT INTO note SELECT n, 'number ' || n || hex(zeroblob(n)) FROM row;
      """)
    try connection.checkpoint(.truncate)
    return database
  }

  private func pages(_ database: TemporaryDatabase) throws -> [[UInt8]] {
    let bytes = try FileSystem.contents(of: database.path)
    return stride(from: 0, to: bytes.count, by: Self.pageSize).map {
      Array(bytes[$0..<$0 + Self.pageSize])
    }
  }

  private func write(_ pages: [[UInt8]], _ database: TemporaryDatabase) throws {
    try FileSystem.replace(database.path, with: Array(pages.joined()))
  }

  private func stored(_ page: [UInt8]) -> UInt64 {
    page.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func hasRightChecksums(_ pages: [[UInt8]]) -> Bool {
    pages.enumerated().allSatisfy { index, page in
      page.withUnsafeBytes {
        PageChecksums.checksum(of: $0, number: UInt32(index + 1)) == stored(page)
      }
    }
  }

  private func damagedPages(_ database: TemporaryDatabase) throws -> [UInt32] {
    let connection = try database.open()
    _ = try connection.text("PRAGMA integrity_check")
    return connection.damagedPages
  }

  /// Runs SQL as another program does, without our layer; returns whether it worked.
  private func runElsewhere(_ database: TemporaryDatabase, _ sql: String) -> Bool {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    return sqlite3_open(database.path, &handle) == SQLITE_OK
      && sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
  }

  @Test("every page in the file has a checksum of its other bytes and its number")
  func everyPage() throws {
    let database = try filled()
    let pages = try pages(database)
    #expect(pages.count > 50 && hasRightChecksums(pages))
    #expect(try damagedPages(database) == [])
  }

  @Test("a flipped bit is found when its page is read, for any page and byte")
  func flippedBits() throws {
    let database = try filled()
    let whole = try pages(database)
    var random = SplitMix64(state: 4)
    for index in whole.indices {
      var pages = whole
      // SQLite compares the beginning of the first page itself.
      let first = index == 0 ? 100 : 0
      let place = first + Int(random.next() % UInt64(Self.pageSize - first))
      pages[index][place] ^= 1 << (random.next() % 8)
      try write(pages, database)
      #expect(try damagedPages(database).contains(UInt32(index + 1)), "page \(index + 1), \(place)")
    }
  }

  @Test("a page in the place of another is found")
  func misplacedPage() throws {
    let database = try filled()
    var pages = try pages(database)
    pages.swapAt(20, 30)
    try write(pages, database)
    let damaged = try damagedPages(database)
    #expect(damaged.contains(21) || damaged.contains(31))
  }

  @Test("pages that another program copied from the log have no checksum, and can be read")
  func otherProgram() throws {
    let database = try filled()
    do {
      let connection = try database.open()
      try connection.execute("UPDATE note SET text = 'other' WHERE id % 7 = 0")
    }
    // Every program with SQLite that closes the file last does this.
    #expect(runElsewhere(database, "PRAGMA wal_checkpoint(TRUNCATE)"))
    let pages = try pages(database)
    let free = pages.filter { stored($0) == 0 }.count
    #expect(free > 0 && free < pages.count)
    #expect(try damagedPages(database) == [])
    let connection = try database.open()
    #expect(try connection.integer("SELECT count(*) FROM note WHERE text = 'other'") == 57)
  }

  @Test("a page that another program changed is found")
  func changedByOther() throws {
    let database = try filled()
    #expect(runElsewhere(database, "UPDATE note SET text = 'x' WHERE id = 9"))
    #expect(try damagedPages(database) != [])
  }

  @Test("a copy has checksums on all its pages, however many")
  func copy() throws {
    let database = try filled()
    let connection = try database.open()
    // More than SQLite's cache holds, so that later pages are written before the first.
    try connection.execute(
      """
      WITH RECURSIVE row(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < 30000)
      INSERT INTO note SELECT NULL, hex(randomblob(100)) FROM row;
      """)
    let other = try TemporaryDatabase()
    try connection.copy(to: other.path)
    let pages = try pages(other)
    #expect(pages.count > 2500 && hasRightChecksums(pages))
  }

  @Test("a file without room for checksums can be read, and gets them when it is rewritten")
  func addedLater() throws {
    let database = try filled(hasChecksums: false)
    #expect(try damagedPages(database) == [])
    let connection = try database.open()
    try connection.vacuum()
    try connection.checkpoint(.truncate)
    #expect(hasRightChecksums(try pages(database)))
    #expect(try damagedPages(database) == [])
    #expect(try connection.integer("SELECT count(*) FROM note") == 400)
  }

  /// A database with a flipped bit on page 41, and its pages.
  private func damaged() throws -> (database: TemporaryDatabase, pages: [[UInt8]]) {
    let database = try filled()
    var pages = try pages(database)
    let place = try #require(pages[40].firstIndex { $0 == 0x30 })
    pages[40][place] ^= 1
    try write(pages, database)
    return (database, pages)
  }

  @Test("rewriting the file does not give a damaged page a valid checksum")
  func vacuum() throws {
    let (database, pages) = try damaged()
    let connection = try database.open()
    #expect(throws: SQLiteError.self) { try connection.vacuum() }
    #expect(connection.damagedPages == [41])
    #expect(try self.pages(database) == pages)
  }

  @Test("a copy does not give a damaged page a valid checksum")
  func damagedCopy() throws {
    let database = try damaged().database
    let connection = try database.open()
    let other = try TemporaryDatabase()
    #expect(throws: SQLiteError.self) { try connection.copy(to: other.path) }
    // Other reads still return what they can.
    #expect(try connection.integer("SELECT count(*) FROM note") == 400)
  }

  @Test("a first page that no longer announces checksums is damaged, and no other page is")
  func lostMark() throws {
    let database = try filled()
    var pages = try pages(database)
    pages[0][20] = 0
    #expect(PageChecksums.reserved(byFirstPage: pages[0]) == PageChecksums.size)
    try write(pages, database)
    let connection = try database.open()
    #expect(try connection.integer("SELECT count(*) FROM note WHERE text > ''") == 400)
    #expect(connection.damagedPages == [1])
  }

  @Test("a connection notices that another one added checksums after it was opened")
  func addedMeanwhile() throws {
    let database = try filled(hasChecksums: false)
    let early = try database.open()
    #expect(try early.integer("SELECT count(*) FROM note") == 400)
    do {
      let other = try database.open()
      try other.vacuum()
      try other.checkpoint(.truncate)
      // The first page is now in the log.
      try other.execute("CREATE TABLE more(a)")
    }
    try early.execute("UPDATE note SET text = 'x' || id WHERE id % 9 = 0")
    #expect(runElsewhere(database, "PRAGMA wal_checkpoint(TRUNCATE)"))
    #expect(try damagedPages(database) == [])
  }

  @Test("file names with any characters can be opened: they are escaped as in a URI")
  func names() throws {
    let directory = try FileSystem.makeTemporaryDirectory(in: "/tmp", prefix: "ckdb-test-")
    defer { try? FileSystem.remove(directory) }
    for name in ["a b", "a?b=c&immutable=1", "a%20b", "a#b", "ä€", "file:x", "a'b\"c"] {
      let path = "\(directory)/\(name)"
      _ = try FileHandle(create: path)
      let connection = try Connection(path: path, mode: .readWrite, makesChecksums: true)
      try connection.execute("CREATE TABLE t(a)")
      #expect(FileSystem.size(of: path) ?? 0 > 0, "\(name)")
      #expect(try FileSystem.list(directory).contains(name))
    }
  }
}
