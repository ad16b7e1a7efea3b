internal import Basics
internal import CloudModel
internal import Glibc
internal import SQLite
internal import StoreFiles
internal import Testing

@testable internal import RecordStore

/// A damaged or foreign file is refused and left as it is (RS2).
@Suite struct DamageTests {
  /// A kind of damage to the database file.
  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let kind: StoreError.Kind
    let inflict: @Sendable (String) throws -> Void

    init(
      _ description: String, _ kind: StoreError.Kind,
      _ inflict: @escaping @Sendable (String) throws -> Void
    ) {
      testDescription = description
      self.kind = kind
      self.inflict = inflict
    }
  }

  static let damages = [
    Damage("cut in half", .corrupt) { path in
      let bytes = try FileSystem.contents(of: path)
      try FileSystem.replace(path, with: Array(bytes[..<(bytes.count / 2)]))
    },
    Damage("cut within the header", .corrupt) { path in
      try FileSystem.replace(path, with: Array(FileSystem.contents(of: path)[..<50]))
    },
    Damage("empty", .corrupt) { try FileSystem.replace($0, with: []) },
    Damage("garbage", .corrupt) { path in
      var random = SplitMix64(state: 1)
      let bytes = (0..<9000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      try FileSystem.replace(path, with: bytes)
    },
    Damage("a directory", .corrupt) { path in
      try FileSystem.remove(path)
      try FileSystem.makeDirectory(path)
    },
    Damage("a symbolic link", .corrupt) { path in
      _ = rename(path, path + ".real")
      _ = symlink(path + ".real", path)
    },
    Damage("a file with two names", .corrupt) { _ = link($0, $0 + ".twin") },
    Damage("a pipe", .corrupt) { path in
      try FileSystem.remove(path)
      mkfifo(path, 0o600)
    },
    Damage("a link to a device", .corrupt) { path in
      try FileSystem.remove(path)
      _ = symlink("/dev/zero", path)
    },
    Damage("beside a journal that is not ours", .corrupt) { path in
      try FileSystem.replace(path + "-journal", with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1])
    },
    Damage("without its log", .corrupt) { path in
      let lock = try WriterLock(path: FileSystem.parent(of: path) + "/lock")
      try lock.lock(.none)
      lock.note(sequence: lock.notedSequence + 1)
    },
    Damage("missing", .missing) { try FileSystem.remove($0) },
    Damage("a newer version", .newerVersion) { try patch($0, "user_version = 9999") },
    Damage("a version of before the release", .olderVersion) {
      try patch($0, "user_version = 1")
    },
    Damage("another program's", .corrupt) { try patch($0, "application_id = 1196444487") },
  ]

  private static func patch(_ path: String, _ pragma: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA \(pragma)")
    try connection.checkpoint(.truncate)
  }

  private static func bytes(_ path: String) -> [UInt8]? {
    FileSystem.isRegular(path) ? try? FileSystem.contents(of: path) : nil
  }

  @Test("RS2: a damaged file is refused, its bytes unchanged", arguments: damages)
  func refused(_ damage: Damage) throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", FieldType(.string))])
      for index in 0..<50 {
        let text = String(repeating: "x", count: 300)
        _ = try store.insert(record("r\(index)", "T", [("f", .string(text))]), table)
      }
    }
    try fixture.close()
    try damage.inflict(fixture.databasePath)
    let before = Self.bytes(fixture.databasePath)
    let error = try #require(throws: StoreError.self) {
      let store = try EnvironmentStore(folder: fixture.folder, patience: Patience(milliseconds: 50))
      try store.beginRead()
      store.endRead()
    }
    #expect(error.kind == damage.kind)
    #expect(error.message.contains("records.sqlite"))
    #expect(Self.bytes(fixture.databasePath) == before)
  }

  @Test("T10: a folder that is writable for everyone is refused, and a repair makes it private")
  func worldWritable() throws {
    let store = try DamagedStore()
    chmod(store.folder, 0o777)
    let error = try #require(throws: StoreError.self) {
      _ = try EnvironmentStore(folder: store.folder, patience: .none)
    }
    #expect(error.kind == .exposed)
    #expect(try store.findings().map(\.code) == [.mode])
    #expect(try store.repair().isWhole)
    #expect(try DamagedStore.records(in: store.folder) == store.records)
  }

  @Test("F07: garbage in the shared-memory file does no harm")
  func garbageBesideIt() throws {
    let store = try DamagedStore()
    let garbage = [UInt8](repeating: 0xA5, count: 32_768)
    try FileSystem.replace(store.databasePath + "-shm", with: garbage)
    #expect(try DamagedStore.records(in: store.folder) == store.records)
    #expect(try store.findings().isEmpty)
  }

  @Test("F07: another store's log is not accepted")
  func foreignLog() throws {
    let (store, other) = (try DamagedStore(), try DamagedStore())
    let open = try EnvironmentStore(folder: other.folder, patience: .none)
    try open.beginWrite()
    _ = try open.insert(record("new", "Other"), open.type("Other"))
    try open.commit()
    let log = try FileSystem.contents(of: other.file.logPath)
    // Closed again, since an open file has its index of the log in memory.
    do {
      let ours = try EnvironmentStore(folder: store.folder, patience: .none)
      try ours.beginWrite()
      for name in ["one", "two", "three"] {
        _ = try ours.insert(record(name, "Thing"), ours.type("Thing"))
      }
      try ours.commit()
      _ = try ours.checkpoint()
    }
    #expect(try store.findings().isEmpty)
    try FileSystem.replace(store.file.logPath, with: log)
    #expect(try !store.findings().isEmpty)
  }
}
