internal import Basics
internal import CloudModel
internal import Glibc
internal import SQLite
internal import StoreFiles
internal import Testing

@testable internal import RecordStore

/// Damage is found, and repaired as far as there is something to repair it from
/// (RS0.6, F07, F08; DS4).
@Suite struct DoctorTests {
  /// A kind of damage to a store, and the doctor's finding.
  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: StoreFinding.Code
    /// Whether a repair brings everything back.
    let isMended: Bool
    let inflict: @Sendable (DamagedStore) throws -> Void

    init(
      _ description: String, _ code: StoreFinding.Code, isMended: Bool,
      _ inflict: @escaping @Sendable (DamagedStore) throws -> Void
    ) {
      testDescription = description
      self.code = code
      self.isMended = isMended
      self.inflict = inflict
    }

    /// A change by SQL, as another program could make it.
    init(_ code: StoreFinding.Code, isMended: Bool, _ sql: String) {
      self.init(sql, code, isMended: isMended) { try $0.execute(sql) }
    }
  }

  static let damages: [Damage] = [
    // Values.
    Damage(.record, isMended: false, "UPDATE Note SET text = 'other' WHERE n = 7"),
    Damage(.record, isMended: false, "UPDATE Item SET w = w + 1 WHERE _name = 'i9'"),
    Damage(.record, isMended: false, "UPDATE Item SET _modified = 5 WHERE _name = 'i9'"),
    Damage(
      .record, isMended: false, "UPDATE Note SET \"place.latitude\" = 1, \"place.longitude\" = 2"),
    Damage(.row, isMended: true, "UPDATE _zone SET name = 'Motes' WHERE name = 'Notes'"),
    Damage(.row, isMended: true, "UPDATE _user SET account = 'you'"),
    Damage(.row, isMended: true, "UPDATE _author SET device = 'phone'"),
    Damage(.row, isMended: true, "UPDATE _field SET indexes = 0 WHERE name = 'text'"),
    Damage(.row, isMended: true, "UPDATE _type SET grants = '{}' WHERE name = 'Note'"),
    Damage(
      .row, isMended: true, "UPDATE _type SET name = 'Uses', location = 'Uses' WHERE _id = 1"),
    Damage(
      .row, isMended: true,
      "UPDATE _type SET name = CAST(x'5573ea7273' AS TEXT), "
        + "location = CAST(x'5573ea7273' AS TEXT) WHERE _id = 1"),
    Damage(
      .row, isMended: true, "UPDATE _field SET name = CAST(x'ea' AS TEXT) WHERE name = 'text'"),
    Damage(.row, isMended: false, "UPDATE _tombstone SET name = 'i5555' WHERE name = 'i3'"),
    Damage(.row, isMended: false, "UPDATE _zone_tombstone SET reason = 1"),
    Damage(.row, isMended: false, "UPDATE _state SET forgotten = 3"),
    Damage(.row, isMended: true, "UPDATE _zone SET records = 7 WHERE name = 'Notes'"),
    Damage(.row, isMended: true, "UPDATE _zone SET bytes = 7 WHERE name = 'Notes'"),
    // Whole rows.
    Damage(.zone, isMended: false, "DELETE FROM Item WHERE _name = 'i9'"),
    Damage(.lostRecord, isMended: false, "DELETE FROM Item WHERE _name = 'i9'"),
    Damage(.name, isMended: true, "DELETE FROM _record WHERE name = 'i9'"),
    Damage(.name, isMended: true, "UPDATE _record SET _id = 4000 WHERE name = 'i9'"),
    Damage(.links, isMended: true, "DELETE FROM _reference WHERE target = 'n3'"),
    Damage(.links, isMended: true, "INSERT INTO _reference VALUES (3, 'x', 1, 9, 2, 'n2')"),
    // Shares.
    Damage(.links, isMended: true, "DELETE FROM _cover WHERE record <> share"),
    Damage(.links, isMended: true, "UPDATE _cover SET share = 1"),
    Damage(.links, isMended: true, "INSERT INTO _cover VALUES (3, 5, 1, 'x')"),
    Damage(.row, isMended: true, "UPDATE _share SET _id = 4000"),
    Damage(.row, isMended: false, "UPDATE _share SET permission = 3"),
    Damage(.row, isMended: false, "DELETE FROM _share"),
    Damage(.row, isMended: false, "UPDATE _participant SET permission = 3"),
    Damage(.row, isMended: false, "DELETE FROM _participant"),
    Damage(.row, isMended: false, "UPDATE _window SET since = 1"),
    Damage(.row, isMended: false, "DELETE FROM _window"),
    Damage(.row, isMended: false, "UPDATE _visibility SET gained = 1 - gained"),
    Damage("the page of the covers of zeros", .page, isMended: true) {
      try $0.zeroRoot(of: "_cover")
    },
    Damage(.uses, isMended: true, "UPDATE _asset SET uses = uses + 1"),
    Damage(
      .tombstone, isMended: false,
      "UPDATE _tombstone SET name = 'i9', seal = "
        + "ckdb_seal(zone, 'i9', type, sequence) WHERE name = 'i3'"),
    // Indexes and tables.
    Damage(.index, isMended: true, "DELETE FROM \"_index_Note.tags\" WHERE value = 'b7'"),
    Damage(
      .index, isMended: true, "INSERT INTO \"_index_Note._words\"(words, rowid) VALUES ('x', 3)"),
    Damage(.index, isMended: true, "DROP INDEX _asset_unused"),
    Damage(.table, isMended: true, "ALTER TABLE Note ADD COLUMN more TEXT"),
    Damage(
      .table, isMended: true,
      "ALTER TABLE Item RENAME COLUMN w TO v; "
        + "ALTER TABLE Item ADD COLUMN w REAL; UPDATE Item SET w = v"),
    Damage(.object, isMended: true, "CREATE TRIGGER t AFTER INSERT ON Note BEGIN SELECT 1; END"),
    Damage(.object, isMended: true, "CREATE VIEW v AS SELECT * FROM Note"),
    Damage(.object, isMended: true, "CREATE INDEX other ON Note(n)"),
    // The log, the header, whole pages.
    Damage("its last changes are missing", .lostChanges, isMended: false) { store in
      let lock = try WriterLock(path: store.file.lockPath)
      try lock.lock(.none)
      lock.note(sequence: lock.notedSequence + 1)
    },
    Damage("another program's mark", .database, isMended: true) { try $0.patch { $0[68] ^= 1 } },
    Damage("an older version's number", .database, isMended: true) { try $0.patch { $0[63] = 4 } },
    Damage("a number of before all versions", .database, isMended: true) {
      try $0.patch { $0[63] = 1 }
    },
    Damage("another's first bytes", .database, isMended: true) { try $0.patch { $0[3] ^= 0x20 } },
    Damage("a journal that is not ours", .database, isMended: true) { store in
      try FileSystem.replace(store.file.journalPath, with: [UInt8](repeating: 1, count: 600))
    },
    Damage("half of it", .database, isMended: false) {
      try $0.patch { $0.removeLast($0.count / 2) }
    },
    Damage("the page above the records of zeros", .page, isMended: true) {
      try $0.zeroRoot(of: "Item")
    },
    Damage("a page of links of zeros", .page, isMended: true) { try $0.zeroRoot(of: "_reference") },
    Damage("the page of the zones of zeros", .page, isMended: false) {
      try $0.zeroRoot(of: "_zone")
    },
    Damage("no database", .database, isMended: false) { try FileSystem.remove($0.databasePath) },
    Damage("an empty database", .database, isMended: false) {
      try FileSystem.replace($0.databasePath, with: [])
    },
    Damage("a folder instead of it", .database, isMended: false) { store in
      try FileSystem.remove(store.databasePath)
      try FileSystem.makeDirectory(store.databasePath)
    },
    // Files.
    Damage("a database that others read", .mode, isMended: true) { chmod($0.databasePath, 0o644) },
    Damage("a folder that others read", .mode, isMended: true) { chmod($0.folder, 0o755) },
    Damage("contents that others read", .mode, isMended: true) { store in
      chmod(AssetFiles(folder: store.file.assetsPath).path(of: store.contents), 0o604)
    },
    Damage("no lock", .structure, isMended: true) { try FileSystem.remove($0.file.lockPath) },
    Damage("no drafts' folder", .structure, isMended: true) {
      try FileSystem.remove($0.file.assetsPath + "/tmp")
    },
    Damage("contents missing", .asset, isMended: false) { store in
      try FileSystem.remove(AssetFiles(folder: store.file.assetsPath).path(of: store.contents))
    },
    Damage("contents of another length", .asset, isMended: false) { store in
      let path = AssetFiles(folder: store.file.assetsPath).path(of: store.contents)
      try FileSystem.replace(path, with: Array("hell".utf8))
    },
    Damage("other contents", .asset, isMended: false) { store in
      let path = AssetFiles(folder: store.file.assetsPath).path(of: store.contents)
      try FileSystem.replace(path, with: Array("jello".utf8))
    },
    Damage("a link instead of a folder of contents", .asset, isMended: false) { store in
      let path = AssetFiles(folder: store.file.assetsPath).path(of: store.contents)
      let shard = FileSystem.parent(of: FileSystem.parent(of: path))
      try FileSystem.rename(shard, to: store.file.assetsPath + "/../elsewhere")
      _ = symlink("../elsewhere", shard)
    },
    Damage("a link instead of contents", .asset, isMended: false) { store in
      let path = AssetFiles(folder: store.file.assetsPath).path(of: store.contents)
      try FileSystem.remove(path)
      _ = symlink("/etc/passwd", path)
    },
  ]

  @Test("F07, F08: each kind of damage is found, and repaired once", arguments: damages)
  func found(_ damage: Damage) throws {
    let store = try DamagedStore()
    #expect(try store.findings().isEmpty)
    try damage.inflict(store)
    let codes = try store.findings().map(\.code)
    #expect(codes.contains(damage.code), "\(codes)")
    let repair = try store.repair()
    #expect(repair.isWhole == damage.isMended)
    let isRepairable = codes.allSatisfy { $0.severity == .repairable }
    #expect(repair.isWhole || !isRepairable, "M2.19: what exits with 1 is mended")
    #expect(try store.findings().isEmpty)
    let records = try DamagedStore.records(in: store.folder)
    if damage.isMended {
      #expect(records == store.records)
      #expect(try store.incarnations() == store.soundIncarnations, "change tokens stay good")
    }
    let again = try store.repair()
    #expect(again.isWhole && again.keptIn == nil, "a second repair finds nothing")
  }

  /// Changes of the catalog after which the tables show everything that is lost.
  private static let placesAlone: Set = [
    "UPDATE _type SET location = 'Item' WHERE name = 'Note'",
    "UPDATE _type SET location = 'Gone' WHERE name = 'Note'",
    "UPDATE _field SET location = 'n' WHERE name = 'text'",
    "UPDATE _field SET location = 'gone' WHERE name = 'text'",
    "INSERT INTO _type(name, location) VALUES ('More', 'NOTE')",
  ]

  @Test(
    "a repair of a catalog that was changed with valid seals leaves a sound store",
    arguments: [
      "UPDATE _type SET location = 'Item' WHERE name = 'Note'",
      "UPDATE _type SET location = 'Gone' WHERE name = 'Note'",
      "UPDATE _type SET location = 'note' WHERE name = 'Item'",
      "UPDATE _type SET location = 'sqlite_x' WHERE name = 'Item'",
      "UPDATE _type SET location = '_record' WHERE name = 'Item'",
      "UPDATE _type SET location = '' WHERE name = 'Item'",
      "UPDATE _type SET name = '' WHERE name = 'Item'",
      "UPDATE _type SET name = '_x y' WHERE name = 'Item'",
      "UPDATE _type SET name = 'item' WHERE name = 'Note'",
      "UPDATE _type SET _id = 99 WHERE name = 'Note'",
      "UPDATE _type SET _id = -1 WHERE name = 'Note'",
      "UPDATE _type SET kept = 9 WHERE name = 'Note'",
      "UPDATE _type SET grants = 'x' WHERE name = 'Note'",
      "DELETE FROM _type WHERE name = 'Note'",
      "DELETE FROM _type",
      "INSERT INTO _type(name, location) VALUES ('More', 'Note')",
      "INSERT INTO _type(name, location) VALUES ('More', 'More')",
      "INSERT INTO _type(name, location) VALUES ('More', 'NOTE')",
      "UPDATE _field SET location = 'n' WHERE name = 'text'",
      "UPDATE _field SET location = 'N' WHERE name = 'text'",
      "UPDATE _field SET location = '_id' WHERE name = 'text'",
      "UPDATE _field SET location = 'gone' WHERE name = 'text'",
      "UPDATE _field SET location = '' WHERE name = 'text'",
      "UPDATE _field SET location = 'place.latitude' WHERE name = 'text'",
      "UPDATE _field SET name = '' WHERE name = 'text'",
      "UPDATE _field SET name = '_zone' WHERE name = 'text'",
      "UPDATE _field SET kind = 'INT64' WHERE name = 'text'",
      "UPDATE _field SET kind = 'STRING' WHERE name = 'place'",
      "UPDATE _field SET kind = 'LOCATION' WHERE name = 'text'",
      "UPDATE _field SET kind = 'LIST<STRING>' WHERE name = 'text'",
      "UPDATE _field SET kind = 'NONE' WHERE name = 'text'",
      "UPDATE _field SET kind = 'SYSTEM' WHERE name = 'text'",
      "UPDATE _field SET type = 1 WHERE name = 'text'",
      "UPDATE _field SET type = 77 WHERE name = 'text'",
      "UPDATE _field SET indexes = -1 WHERE name = 'text'",
      "DELETE FROM _field WHERE name = 'text'",
      "DELETE FROM _field",
      "INSERT INTO _field(type, name, kind, location, indexes) VALUES (2, 'x', 'STRING', 'x', 0)",
      "INSERT INTO _field(type, name, kind, location, indexes) VALUES (2, 'x', 'STRING', 'n', 0)",
      "INSERT INTO _field(type, name, kind, location, indexes) VALUES (2, 'x', 'INT64', '_zone', 0)",
      "DELETE FROM _user", "DELETE FROM _author", "UPDATE _author SET user = 9",
      "UPDATE _user SET name = ''", "UPDATE _user SET _id = 7", "DELETE FROM _zone",
      "UPDATE _zone SET owner = 9", "UPDATE _zone SET scope = 1 WHERE name = 'Notes'",
      "UPDATE _zone SET scope = 7 WHERE name = 'Notes'",
      "UPDATE _zone SET _id = 50 WHERE name = 'Notes'",
      "UPDATE _zone SET sequence = 1, made = 9 WHERE name = 'Notes'",
      "UPDATE _zone SET name = '' WHERE name = 'Notes'",
      "UPDATE _state SET catalog = -1", "DELETE FROM _state", "DELETE FROM _incarnation",
      "INSERT INTO _state VALUES (2, 0, 0, 0)",
    ], [false, true])
  func tamperedCatalog(sql: String, hasCopy: Bool) throws {
    let store = try DamagedStore()
    try store.execute(sql)
    let connection = try Connection(path: store.databasePath, mode: .readWrite)
    try Table.addSealFunction(to: connection)
    for table in EnvironmentTables.all where table.isSealed {
      try connection.execute(table.sealing())
    }
    try connection.checkpoint(.truncate)
    if !hasCopy { try FileSystem.remove(store.file.catalogCopyPath) }
    _ = try store.repair()
    let after = try store.findings()
    #expect(after.isEmpty, "\(after.map { "\($0.code) \($0.subject): \($0.detail)" })")
    if Self.placesAlone.contains(sql) {
      #expect(try DamagedStore.records(in: store.folder) == store.records)
    }
  }

  @Test("F07: no flipped bit goes unnoticed, and a repair leaves a sound store", arguments: 1...4)
  func flippedBits(seed: UInt64) throws {
    let store = try DamagedStore()
    var random = SplitMix64(state: seed)
    for _ in 0..<60 {
      try store.restore()
      let bits = 1 + random.next() % 3
      var places: [Int] = []
      try store.patch { bytes in
        for _ in 0..<bits {
          let place = Int(random.next() % UInt64(bytes.count * 8))
          bytes[place / 8] ^= 1 << (place % 8)
          places.append(place)
        }
      }
      guard try store.findings().isEmpty else {
        let repair = try store.repair()
        #expect(try store.findings().isEmpty, "\(places)")
        let records = try DamagedStore.records(in: store.folder)
        if repair.isWhole { #expect(records == store.records, "lost in silence: \(places)") }
        continue
      }
      let records = try DamagedStore.records(in: store.folder)
      #expect(records == store.records, "silent: \(places)")
    }
  }

  @Test("R9.7: after a loss no number is given twice, and old tokens are invalid")
  func numbersAfterLoss() throws {
    let store = try DamagedStore()
    let before = try EnvironmentStore(folder: store.folder, patience: .none)
      .lastStoredSequence()
    try store.execute("DELETE FROM Note WHERE _sequence = (SELECT max(_sequence) FROM Note)")
    _ = try store.repair()
    let open = try EnvironmentStore(folder: store.folder, patience: .none)
    #expect(try open.lastStoredSequence() >= before)
    #expect(try open.forgottenSequence() >= before)
  }

  @Test("a repair keeps the files that it replaces, and lists the records that it loses")
  func keeping() throws {
    let store = try DamagedStore()
    try store.execute("UPDATE Note SET text = 'other' WHERE n = 7")
    let damaged = try FileSystem.contents(of: store.databasePath)
    let repair = try store.repair()
    let folder = try #require(repair.keptIn)
    #expect(try FileSystem.contents(of: folder + "/records.sqlite") == damaged)
    #expect(repair.lost.map(\.record.name.text) == ["n7"])
    #expect(repair.lost.first?.record.fields[FieldName(stored: "text")] == .string("other"))
  }

  @Test(
    "F07, F14: a store of another version is not damaged, and is left as it is")
  func notDamaged() throws {
    let store = try DamagedStore()
    try store.execute("PRAGMA user_version = \(Migrations.version + 1)")
    #expect(throws: StoreError.self) { _ = try store.repair() }
    try store.restore()
    try store.execute("ALTER TABLE _state DROP COLUMN seal; PRAGMA user_version = 3")
    let before = try FileSystem.contents(of: store.databasePath)
    let error = try #require(throws: StoreError.self) { _ = try store.repair() }
    #expect(error.kind == .olderVersion)
    #expect(try FileSystem.contents(of: store.databasePath) == before)
  }

  @Test("a repair that was interrupted while it replaced the database starts again")
  func interruptedSwap() throws {
    let store = try DamagedStore()
    try store.execute("DELETE FROM _record WHERE name = 'i9'")
    let kept = store.folder + ".damaged-1"
    try FileSystem.makeDirectory(kept)
    try FileSystem.link(store.databasePath, to: kept + "/records.sqlite")
    #expect(throws: StoreError.self, "a file with two names is not opened") {
      _ = try EnvironmentStore(folder: store.folder, patience: .none)
    }
    #expect(try store.repair().isWhole)
    #expect(try DamagedStore.records(in: store.folder) == store.records)
  }

  @Test("F08: a repair repairs all files, however many the findings list")
  func manyFiles() throws {
    let store = try DamagedStore()
    for index in 0..<150 {
      let draft = store.file.assetsPath + "/tmp/x\(index)"
      _ = try FileHandle(create: draft)
      let hash = String(repeating: "0", count: 61) + String(index + 100)
      let path = AssetFiles(folder: store.file.assetsPath).path(
        of: try #require(Asset(sha256: hash, size: 0)))
      try FileSystem.makeDirectories(FileSystem.parent(of: path))
      _ = try FileHandle(create: path)
      chmod(path, 0o644)
    }
    #expect(try store.findings().count == 101, "a hundred, and how many more")
    #expect(try store.repair().isWhole)
    let left = try store.file.examine(isDeep: true, patience: .none).findings
    #expect(left.isEmpty)
  }
}
