internal import Basics
internal import CloudModel
internal import CloudServices
internal import Glibc
internal import RecordStore

/// Stores for targets that need one, in memory if the system has room for it.
enum FuzzStore {
  /// The paths that are removed at the end of the process.
  nonisolated(unsafe) private static var paths: [String] = []

  /// A new store with a container. Throws `CloudError`.
  static func make(_ name: String) throws -> Place {
    let base = FileSystem.isDirectory("/dev/shm") ? "/dev/shm" : "/tmp"
    let path = "\(base)/ckdb-fuzz-\(name)-\(getpid())"
    try FileSystem.remove(path)
    if paths.isEmpty { atexit { FuzzStore.paths.forEach { try? FileSystem.remove($0) } } }
    paths.append(path)
    let place = Place(path: path, container: try ContainerID("iCloud.org.example.app"))
    let store = CloudStore(path: path)
    _ = try store.create()
    _ = try store.create(place.container, for: Request())
    return place
  }

  struct Place {
    let path: String
    let container: ContainerID

    var folder: String { "\(path)/containers/\(container.text)/development" }

    var databasePath: String { folder + "/records.sqlite" }

    /// The private database of `me`, opened again. Throws `CloudError`.
    func database() throws -> CloudDatabase {
      let request = Request(
        account: try Account("me"), fixedClock: Timestamp(milliseconds: 1_767_268_800_000),
        randomness: .seeded(1), patience: .none)
      return try CloudStore(path: path).environment(container, .development, for: request)
        .database(.private)
    }
  }
}

/// A database with changed bytes: each four bytes of the input are a place and a change. Either the
/// doctor finds the damage, or all records are unchanged.
final class StoreTarget {
  nonisolated(unsafe) static let shared = StoreTarget()

  private let place: FuzzStore.Place
  private let sound: [UInt8]
  private let records: [String]
  private var runs = 0

  private init() {
    do {
      place = try FuzzStore.make("store")
      try Self.fill(place.database())
      // A large record makes the log so long that it is moved into the database.
      sound = try FileSystem.contents(of: place.databasePath)
      records = try Self.read(place.folder)
    } catch { preconditionFailure("no store to be had: \(error)") }
  }

  private static func fill(_ database: CloudDatabase) throws {
    for index in 0..<20 {
      let text = String(repeating: "text \(index) ", count: index == 0 ? 3000 : 1)
      _ = try database.save(
        SaveRequest(
          name: RecordName("r\(index)"), type: RecordType("Note"),
          assignments: [
            FieldAssignment(try FieldName("text"), .string(text)),
            FieldAssignment(try FieldName("n"), .int64(Int64(index))),
            FieldAssignment(try FieldName("tags"), .list([.string("a"), .string("b\(index)")])),
          ], policy: .unchanged), in: .defaultZone)
    }
    try database.environment.buildIndexes(of: RecordType("Note"), by: ["tags"])
    try database.environment.compact()
  }

  /// The records, read by the store itself: a service would open more than the database.
  private static func read(_ folder: String) throws -> [String] {
    let store = try EnvironmentStore(folder: folder, patience: .none)
    try store.beginRead()
    defer { store.endRead() }
    var lines: [String] = []
    let user = try store.user(Account("me"), on: .cli)
    for zone in try store.zones(.private, of: user) {
      try store.list(zone) { record in
        lines.append("\(zone.zone.id.text) \(record)")
        return true
      }
    }
    return lines
  }

  func run(_ input: [UInt8]) {
    var bytes = sound
    for start in stride(from: 0, to: input.count - 3, by: 4) {
      let word = input[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
      bytes[word % bytes.count] ^= input[start + 3]
    }
    runs += 1
    do {
      try write(bytes)
      let isRead = (try? Self.read(place.folder)) == records
      // A full check takes a hundred times as long as reading.
      if isRead || bytes == sound || runs % 8 != 0 { return }
      let checkups = try CloudStore(path: place.path).examine(isDeep: true, for: Request())
      let isSeen = checkups.contains { $0.findings.contains { $0.code.severity != .notice } }
      FuzzTarget.law(isSeen, "records are others, and the doctor sees nothing")
      guard runs % 64 == 0 else { return }
      do throws(CloudError) {
        _ = try CloudStore(path: place.path).repair(for: Request())
      } catch {
        // A repair leaves alone what another version may have written.
        switch error.storage {
        case .newerVersion?, .olderVersion?: return
        default: throw error
        }
      }
      let after = try CloudStore(path: place.path).examine(isDeep: true, for: Request())
      let isSound = after.allSatisfy { $0.findings.allSatisfy { $0.code.severity == .notice } }
      FuzzTarget.law(isSound, "damaged after its repair")
      try forgetKept()
    } catch { FuzzTarget.law(false, "\(error)") }
  }

  private func write(_ bytes: [UInt8]) throws {
    for suffix in ["-wal", "-shm"] { unlink(place.databasePath + suffix) }
    let file = try FileHandle(
      open: place.databasePath, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.writeAll(bytes)
  }

  /// Removes the files that a repair keeps.
  private func forgetKept() throws {
    let folder = FileSystem.parent(of: FileSystem.parent(of: place.databasePath))
    for name in try FileSystem.list(folder) where name.contains(".damaged-") {
      try FileSystem.remove("\(folder)/\(name)")
    }
  }
}
