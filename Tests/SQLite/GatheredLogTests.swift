internal import Basics
internal import SQLite
internal import Testing

/// SQLite's writes to the write-ahead log reach the file in few calls (`GatheredLog`).
@Suite struct GatheredLogTests {
  /// The sums of a database after a power loss: only the contents of the two files count.
  private func sums(_ database: TemporaryDatabase) throws -> [Int64?] {
    let copy = try TemporaryDatabase()
    for suffix in ["", "-wal"] where FileSystem.exists(database.path + suffix) {
      try FileSystem.replace(
        copy.path + suffix, with: FileSystem.contents(of: database.path + suffix))
    }
    return try sums(copy.open())
  }

  private func sums(_ connection: Connection) throws -> [Int64?] {
    try [
      connection.integer("SELECT count(*) FROM note"),
      connection.integer("SELECT sum(length(text)) FROM note"),
      connection.integer("SELECT sum(id * length(text)) FROM note"),
    ]
  }

  @Test(
    "RS0.3: a commit is in the files as a whole when it returns; an open transaction is not",
    arguments: [UInt64(1), 2, 3])
  func lasting(_ seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let database = try TemporaryDatabase()
    let connection = try database.open()
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT);
      PRAGMA cache_size = 5;
      """)
    for round in 0..<40 {
      let before = try sums(connection)
      try connection.execute("BEGIN IMMEDIATE")
      // Some transactions are larger than the cache, which spills to the log, and larger than the
      // gathered part.
      for _ in 0..<Int(random.next() % 60) {
        let (id, size) = (random.next() % 200, random.next() % 9000)
        try connection.execute("INSERT OR REPLACE INTO note VALUES(\(id), hex(zeroblob(\(size))))")
        if random.next() % 10 == 0 {
          try connection.execute(
            "SAVEPOINT s; UPDATE note SET text = 'gone'; ROLLBACK TO s; RELEASE s")
        }
      }
      #expect(try sums(database) == before)
      if random.next() % 4 == 0 {
        try connection.execute("ROLLBACK")
        #expect(try sums(connection) == before)
      } else {
        try connection.execute("COMMIT")
      }
      #expect(try sums(database) == sums(connection), "round \(round)")
      #expect(try sums(database.open()) == sums(connection))
      if random.next() % 8 == 0 {
        try connection.checkpoint(random.next() % 2 == 0 ? .restart : .truncate)
        #expect(try sums(database) == sums(connection))
      }
    }
  }
}
