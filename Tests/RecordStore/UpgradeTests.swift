internal import Basics
internal import CloudModel
internal import Glibc
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import RecordStore
@testable internal import StoreHome

/// A file of an older format is upgraded (F14).
@Suite struct UpgradeTests {
  /// A folder with a database of an older format.
  private func old(_ version: UInt32, _ directory: TemporaryDirectory) throws -> EnvironmentFile {
    let file = EnvironmentFile(folder: directory.path + "/development")
    try file.create()
    try FileSystem.remove(file.databasePath)
    _ = try FileHandle(create: file.databasePath)
    let connection = try Connection(path: file.databasePath, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode = WAL")
    let path = FileSystem.parent(of: #filePath) + "/Fixtures/format-\(version).sql"
    try connection.execute(
      String(decoding: FileSystem.contents(of: path), as: UTF8.self))
    try connection.checkpoint(.truncate)
    return file
  }

  @Test("F14: an older format is upgraded with everything in it, after a copy")
  func upgrade() throws {
    let directory = try TemporaryDirectory()
    let file = try old(4, directory)
    let before = try FileSystem.contents(of: file.databasePath)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginRead()
    #expect(try store.counts().records == 5)
    #expect(try store.madeTypes() == ["Artist", "Note"])
    store.endRead()
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.filter { $0.code.severity != .notice }.map(\.code) == [.asset])
    #expect(findings.contains { $0.code == .backup })
    let copy = try Connection(path: file.backupPath(version: 4), mode: .immutable)
    #expect(try copy.integer("PRAGMA user_version") == 4)
    #expect(try copy.integer("SELECT count(*) FROM Note") == 2)
    #expect(before.count > 0)
  }

  @Test("F14: a read-only file of an older format is refused and left as it is")
  func readOnly() throws {
    let directory = try TemporaryDirectory()
    let file = try old(4, directory)
    let before = try FileSystem.contents(of: file.databasePath)
    let error = try #require(throws: StoreError.self) {
      try file.upgrade(isReadOnly: true, patience: .none)
    }
    // It is not damaged (issue 53).
    #expect(error.kind == .readOnly)
    #expect(try FileSystem.contents(of: file.databasePath) == before)
  }

  @Test(
    "F14: an upgrade that was cut off after its commit is in the log, and does not start again")
  func inTheLogAlone() throws {
    let directory = try TemporaryDirectory()
    let file = try old(4, directory)
    do {
      let connection = try Connection(path: file.databasePath, mode: .readWrite)
      try DatabaseFormat.records.upgrade(connection, from: 4)
    }
    #expect(try file.check().version == 4, "the database's own head is the old one")
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginRead()
    #expect(try store.counts().records == 5)
    store.endRead()
  }

  @Test(
    "F14: each format keeps its tables, and an upgrade gives them the shape of a new store's",
    arguments: 4...15 as ClosedRange<UInt32>)
  func tables(_ version: UInt32) throws {
    let directory = try TemporaryDirectory()
    let format = DatabaseFormat.records
    let empty = try [("then", version), ("now", format.version)].map { name, version in
      let path = "\(directory.path)/\(name)"
      _ = try FileHandle(create: path)
      let connection = try Connection(path: path, mode: .readWrite)
      for table in format.tables where table.since <= version {
        try connection.execute(table.creation(asOf: version))
      }
      return try shape(of: connection)
    }
    let file = try old(version, directory)
    let connection = try Connection(path: file.databasePath, mode: .readWrite)
    // The step to 12 replaces _cover, which had no names before.
    let isThen: (String) -> Bool = { version != 11 || !$0.hasPrefix("_cover") }
    #expect(try shape(of: connection).filter(isThen) == empty[0].filter(isThen))
    if version < format.version { try format.upgrade(connection, from: version) }
    #expect(try shape(of: connection) == empty[1])
  }

  /// The columns and indexes of the fixed tables, as SQLite lists them.
  private func shape(of connection: Connection) throws -> [String] {
    var shape: [String] = []
    let names = DatabaseFormat.records.tables.map { "'\($0.name)'" }.joined(separator: ", ")
    for query in [
      """
      SELECT t.name || ' ' || c.cid || ' ' || c.name || ' ' || c.type || ' ' || c."notnull"
        || ' ' || ifnull(c.dflt_value, '-') || ' ' || c.pk
      FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c WHERE t.name IN (\(names))
      """,
      "SELECT tbl_name || ' ' || name || ' ' || ifnull(sql, '-') FROM sqlite_schema "
        + "WHERE type = 'index' AND tbl_name IN (\(names))",
      "SELECT name || ' ' || strict || ' ' || wr FROM pragma_table_list WHERE name IN (\(names))",
    ] {
      let rows = try connection.statement(query)
      while try rows.step() { shape.append(rows.text(0)) }
    }
    return shape.sorted()
  }

  @Test("F14: an upgraded store takes writes")
  func writing() throws {
    let directory = try TemporaryDirectory()
    let file = try old(4, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginWrite()
    let table = try store.type("Note", [("more", FieldType(.string))])
    _ = try store.insert(record("new", "Note", zone: "Notes", [("more", .string("x"))]), table)
    try store.commit()
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.filter { $0.code.severity != .notice }.map(\.code) == [.asset])
  }

  @Test("F14: types of format 5 get the grants of a new type, and Users gets its own")
  func grants() throws {
    let directory = try TemporaryDirectory()
    let file = try old(5, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginRead()
    let grants = try store.types().map { try store.table($0)?.schema.grants }
    #expect(grants == [.ofNewType, .ofNewType, .ofUsers])
    #expect(try store.counts().records == 4)
    store.endRead()
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.allSatisfy { $0.code.severity == .notice })
    #expect(FileSystem.exists(file.backupPath(version: 5)))
  }

  @Test("F14: a file of format 6 becomes an incarnation; its numbers continue")
  func incarnations() throws {
    let directory = try TemporaryDirectory()
    let file = try old(6, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginRead()
    let incarnations = try store.incarnations()
    #expect(incarnations.count == 1 && incarnations[0].until == nil)
    #expect(try store.lastStoredSequence() == 10)
    #expect(try store.counts().records == 2)
    store.endRead()
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.allSatisfy { $0.code.severity == .notice }, "\(findings)")
  }

  @Test("F14: REAL columns of format 7 keep their values and indexes, and can then have -0.0")
  func realNumbers() throws {
    let directory = try TemporaryDirectory()
    let file = try old(7, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginWrite()
    let table = try #require(try store.table(RecordType(stored: "City")))
    #expect(try store.indexes(of: table).map(\.key) == ["height", "name"])
    let zone = try store.zone("_defaultZone")
    let fields = try ["oslo", "null", "bern"].map { name in
      try #require(try store.record(RecordName(stored: name), in: zone)).record.fields
    }
    let height = FieldName(stored: "height")
    #expect(fields.map { $0[height] } == [.double(23), .double(0), .double(540.5)])
    #expect(fields[0][FieldName(stored: "place")] == .location(try oslo()))
    // Lists already had the sign; checksums did not.
    let marked = RecordName(stored: "60F49EC9-56C7-4EB1-9D21-8B98C26321F9")
    let marks = try #require(try store.record(marked, in: zone)).record.fields
    #expect(
      marks[FieldName(stored: "marks")] == .list([0, 0, 2.5, 0].map { .double($0) }))
    let sign = record("sign", "City", zone: "_defaultZone", [("height", .double(-0.0))])
    _ = try store.insert(sign, table)
    try store.commit()
    try store.beginRead()
    let found = try #require(try store.record(RecordName(stored: "sign"), in: zone)).record
    #expect(found.fields[height] == .double(-0.0))
    store.endRead()
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.allSatisfy { $0.code.severity == .notice }, "\(findings)")
  }

  private func oslo() throws -> Location {
    try #require(Location(latitude: 59.9, longitude: 10.75))
  }

  @Test("F14: the pages of format 8 get checksums, and keep their contents")
  func pageChecksums() throws {
    let directory = try TemporaryDirectory()
    let file = try old(8, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginRead()
    #expect(try store.counts().records == 4)
    let table = try #require(try store.table(RecordType(stored: "City")))
    #expect(try store.indexes(of: table).map(\.key) == ["height", "name"])
    store.endRead()
    try checkChecksums(file)
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.allSatisfy { $0.code.severity == .notice }, "\(findings)")
  }

  @Test("F14: deletions of format 9 keep their places in the feed; later ones have the share")
  func tombstones() throws {
    let directory = try TemporaryDirectory()
    let file = try old(9, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    let zone = try zone(store)
    #expect(try deletions(store, in: zone) == ["gone"])
    // This store cannot share records yet, so the row is changed from outside.
    try store.connection.execute("UPDATE Note SET _share = 'share' WHERE _name = 'b'")
    try store.beginWrite()
    let (a, c) = (RecordName(stored: "a"), RecordName(stored: "c"))
    let roots = try [a, c].map { try #require(try store.record($0, in: zone)) }
    try DoomedRecords(roots, in: zone, of: store).delete()
    try store.commit()
    #expect(try deletions(store, in: self.zone(store)) == ["gone", "a", "c", "b"])
    let shares = try store.connection.statement("SELECT name, share FROM _tombstone ORDER BY name")
    var known: [String: String] = [:]
    while try shares.step() { known[shares.text(0)] = shares.isNull(1) ? "-" : shares.text(1) }
    #expect(known == ["a": "-", "b": "share", "c": "-", "gone": "-"])
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.allSatisfy { $0.code.severity == .notice }, "\(findings)")
  }

  @Test("F14: a hierarchy of format 10 can be shared")
  func sharing() throws {
    let directory = try TemporaryDirectory()
    let file = try old(10, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginWrite()
    let zone = try store.zone("Lists")
    let shares = try store.type("cloudkit.share")
    let number = try #require(
      try store.insert(record("Share-1", "cloudkit.share", zone: "Lists"), shares))
    let root = try #require(try store.record(RecordName(stored: "list"), in: zone))
    let share = StoredShare(
      number: number, in: zone, name: RecordName(stored: "Share-1"), root: root.record.name,
      token: "token", publicPermission: .none, allowsRequests: false)
    try store.set(share)
    try store.coverShare(share, type: shares)
    try store.cover(root, by: share)
    try store.commit()
    let covered = try store.covered(by: share).map(\.name.text)
    #expect(Set(covered) == ["Share-1", "list", "milk", "rye"])
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.allSatisfy { $0.code.severity == .notice }, "\(findings)")
  }

  @Test("F14: a shared hierarchy of format 11 covers the same records")
  func covers() throws {
    let directory = try TemporaryDirectory()
    let file = try old(11, directory)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginRead()
    defer { store.endRead() }
    let zone = try #require(try store.zone(ZoneID("Lists"), of: Account("me")))
    for (name, isCovered) in [("list", true), ("milk", true), ("rye", true), ("alone", false)] {
      let cover = try store.cover(of: RecordName(stored: name), in: zone)
      #expect((cover != nil) == isCovered, "\(name)")
    }
    let findings = try file.examine(isDeep: true, patience: .none).findings
    #expect(findings.allSatisfy { $0.code.severity == .notice }, "\(findings)")
  }

  private func zone(_ store: EnvironmentStore) throws -> StoredZone {
    try store.beginRead()
    defer { store.endRead() }
    return try #require(try store.zone(ZoneID("Notes"), of: Account("me")))
  }

  private func deletions(_ store: EnvironmentStore, in zone: StoredZone) throws -> [String] {
    try store.beginRead()
    defer { store.endRead() }
    return try store.changes(in: zone, after: 9, deletionsAfter: 9).compactMap {
      if case .deletion(let name, _) = $0.subject { name.text } else { nil }
    }
  }

  private func checkChecksums(_ file: EnvironmentFile) throws {
    let bytes = try FileSystem.contents(of: file.databasePath)
    #expect(Int(bytes[20]) == PageChecksums.size)
    for start in stride(from: 0, to: bytes.count, by: 4096) {
      #expect(bytes[start + 4088..<start + 4096].contains { $0 != 0 }, "page \(start / 4096 + 1)")
    }
  }

  @Test("F14: if an upgrade could not add checksums, the next writable opening does")
  func pageChecksumsLater() throws {
    let directory = try TemporaryDirectory()
    let file = try old(8, directory)
    do {
      let connection = try Connection(path: file.databasePath, mode: .readWrite)
      try DatabaseFormat.records.upgrade(connection, from: 8)
      try connection.checkpoint(.truncate)
    }
    #expect(try file.check().version == Migrations.version)
    #expect(try !file.check().hasChecksums)
    let store = try EnvironmentStore(folder: file.folder, patience: .none)
    try store.beginRead()
    #expect(try store.counts().records == 4)
    store.endRead()
    try checkChecksums(file)
  }

  @Test("no incarnation begins on a damaged page: a new checksum would hide the damage")
  func damagedIncarnation() throws {
    let directory = try TemporaryDirectory()
    let file = try old(8, directory)
    try file.upgrade(isReadOnly: false, patience: .none)
    let whole = try FileSystem.contents(of: file.databasePath)
    var refused = 0
    for page in 1..<whole.count / 4096 {
      // Bytes between the cells and the page's list of cells belong to no row.
      for name in ["-wal", "-shm"] { try FileSystem.remove(file.databasePath + name) }
      var bytes = whole
      bytes[page * 4096 + 200] ^= 0x10
      try FileSystem.replace(file.databasePath, with: bytes)
      do { try file.beginIncarnation() } catch { refused += 1 }
      let now = try FileSystem.contents(of: file.databasePath)
      let range = page * 4096..<page * 4096 + 4096
      #expect(now[range] == bytes[range], "page \(page + 1)")
    }
    #expect(refused > 0)
  }
}
