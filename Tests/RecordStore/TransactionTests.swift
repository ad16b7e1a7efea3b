internal import Basics
internal import CloudModel
internal import Glibc
internal import SQLite
internal import StoreFiles
internal import Testing

@testable internal import RecordStore

/// Writes happen as a whole or not at all, with one writer at a time (DS4, RS2).
@Suite struct TransactionTests {
  private struct Stop: Error {}

  @Test("DS4: a rolled-back write leaves nothing behind, types and fields included")
  func rollback() throws {
    let fixture = try StoreFixture()
    for _ in 0..<2 {
      #expect(throws: Stop.self) {
        try fixture.write { (store) throws in
          let table = try store.type("T", [("f", FieldType(.string))])
          _ = try store.insert(record("r", "T", zone: "Notes", [("f", .string("x"))]), table)
          try store.addField(
            FieldSchema(name: FieldName(stored: "g"), type: FieldType(.int64), indexes: []),
            to: table)
          throw Stop()
        }
      }
      try fixture.read { (store) throws in
        #expect(try store.madeTypes() == [])
        #expect(try store.table(RecordType(stored: "T")) == nil)
        #expect(try store.user(Account("me"), on: .cli) == nil)
        #expect(try store.counts().records == 0)
      }
    }
    try fixture.checkInvariants()
  }

  @Test("DS4: a write after a rollback is sound, and the sequence continues")
  func writingAfterRollback() throws {
    let fixture = try StoreFixture()
    func save(_ name: String, failing: Bool) throws -> Int64? {
      try fixture.write { (store) throws in
        let table = try store.type("T", [("f" + name, FieldType(.string))])
        let sequence = try store.insert(
          record(name, "T", [("f" + name, .string("x"))]), table)
        if failing { throw Stop() }
        return sequence
      }
    }
    let first = try save("a", failing: false)
    #expect(throws: Stop.self) { _ = try save("b", failing: true) }
    let second = try save("c", failing: false)
    #expect(second == first.map { $0 + 1 })
    try fixture.reopen()
    try fixture.read { (store) throws in
      let fields = try store.table(RecordType(stored: "T"))?.schema.fields.map(\.name.text)
      #expect(fields == ["fa", "fc"])
    }
    try fixture.checkInvariants()
  }

  @Test("DS4: alternating writers see each other's sequence, zones and types")
  func writersInTurn() throws {
    let fixture = try StoreFixture()
    let other = try EnvironmentStore(folder: fixture.folder, patience: .none)
    var random = SplitMix64(state: 4)
    var sequences: [Int64] = []
    for round in 0..<60 {
      let store = random.next() % 3 == 0 ? other : fixture.store
      try store.beginWrite()
      if random.next() % 5 == 0 {
        store.rollback()
        continue
      }
      let table = try store.type("T", [("f\(random.next() % 4)", FieldType(.int64))])
      let zone = ["_defaultZone", "Notes"][Int(random.next() % 2)]
      let sequence = try store.insert(record("r\(round)", "T", zone: zone), table)
      sequences.append(try #require(sequence))
      try store.commit()
    }
    #expect(sequences.count > 30)
    #expect(sequences == Set(sequences).sorted())
    try fixture.checkInvariants()
  }

  @Test("M1.8: a second writer gets the holder of the lock in its error")
  func busy() throws {
    let fixture = try StoreFixture()
    let other = try EnvironmentStore(folder: fixture.folder, patience: Patience(milliseconds: 50))
    try fixture.store.beginWrite()
    let error = try #require(throws: StoreError.self) { try other.beginWrite() }
    #expect(error.kind == .busy(holder: getpid()))
    fixture.store.rollback()
    try other.beginWrite()
    other.rollback()
  }

  @Test("M1.8: a writer waits no longer than its limit for another program")
  func busyProgram() throws {
    let fixture = try StoreFixture()
    let store = try EnvironmentStore(folder: fixture.folder, patience: Patience(milliseconds: 20))
    let other = try Connection(path: fixture.databasePath, mode: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    let error = try #require(throws: StoreError.self) { try store.beginWrite() }
    #expect(error.kind == .busy(holder: nil))
    try other.execute("ROLLBACK")
    try store.beginWrite()
    store.rollback()
  }

  @Test("DS4: a reader neither waits for a writer nor sees uncommitted changes")
  func readingBesideAWriter() throws {
    let fixture = try StoreFixture()
    let other = try EnvironmentStore(folder: fixture.folder, patience: .none)
    try fixture.store.beginWrite()
    _ = try fixture.store.type("T")
    try other.beginRead()
    #expect(try other.madeTypes() == [])
    try fixture.store.commit()
    #expect(try other.madeTypes() == [], "one unchanging state")
    other.endRead()
    try other.beginRead()
    #expect(try other.madeTypes() == ["T"], "the schema of others is noticed")
    other.endRead()
  }

  @Test("R4.1.5: inserting a taken name changes nothing, whatever the type")
  func takenName() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      _ = try store.insert(record("r", "A"), store.type("A"))
      #expect(try store.insert(record("r", "B"), store.type("B")) == nil)
      #expect(try store.insert(record("r", "B", zone: "Notes"), store.type("B")) != nil)
    }
    try fixture.checkInvariants()
  }

  // Root may write anywhere; 'make faults' mounts a read-only file system for it.
  @Test(
    "RS2: a read-only store can be read, and refuses writes as read-only",
    .enabled(if: geteuid() != 0, "root may write anywhere"))
  func readOnly() throws {
    let fixture = try StoreFixture()
    try fixture.write { _ = try $0.type("T") }
    try fixture.close()
    chmod(fixture.folder, 0o500)
    defer { chmod(fixture.folder, 0o700) }
    let store = try EnvironmentStore(folder: fixture.folder, patience: Patience(milliseconds: 50))
    try store.beginRead()
    #expect(try store.madeTypes() == ["T"])
    store.endRead()
    let error = try #require(throws: StoreError.self) { try store.beginWrite() }
    #expect(error.kind == .readOnly)
  }
}
