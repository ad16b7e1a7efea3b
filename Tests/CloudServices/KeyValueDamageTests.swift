internal import Basics
internal import CloudModel
internal import CloudServices
internal import StoreHome
internal import TestSupport
internal import Testing

/// Damage to the key-value store's database (F07, F08) is found, a repair saves what can be read,
/// and a device prints what was written, or an error.
@Suite struct KeyValueDamageTests {
  private static let count = 300

  /// A store with keys on two devices.
  private func filled() throws -> CloudFixture {
    let fixture = try CloudFixture()
    for device in ["phone", "pad"] {
      let keys = try keys(fixture, device)
      if device == "phone" {
        try keys.set(
          (0..<Self.count).map { ("key\($0)", .string("value \($0) of a text that is longer")) })
      }
      #expect(try keys.synchronize().isSynchronized)
    }
    return fixture
  }

  private func keys(_ fixture: CloudFixture, _ device: String) throws -> KeyValueStore {
    var request = fixture.request
    (request.account, request.device) = (Account(stored: "me"), Device(stored: device))
    return try fixture.store.keyValueStore(fixture.container, for: request)
  }

  private func folder(_ fixture: CloudFixture) -> String {
    "\(fixture.store.path)/containers/\(fixture.container.text)/ubiquity"
  }

  @Test(
    "a flipped bit is found or has no effect, and a repair leaves a sound store",
    arguments: 0..<3)
  func flips(_ seed: UInt64) throws {
    let fixture = try filled()
    let path = folder(fixture) + "/ubiquity.sqlite"
    let log = path + "-wal"
    var random = SplitMix64(state: seed)
    var found = 0
    for _ in 0..<25 {
      let whole = try [path, log].map { try FileSystem.contents(of: $0) }
      let target = whole[1].isEmpty ? 0 : Int(random.next() % 2)
      var bytes = whole[target]
      let place = Int(random.next() % UInt64(bytes.count))
      bytes[place] ^= 1 << UInt8(random.next() % 8)
      try FileSystem.replace([path, log][target], with: bytes)
      let findings = try fixture.store.examine(isDeep: true, for: fixture.request)
        .flatMap(\.findings).filter { $0.code != .library }
      let pad = try? keys(fixture, "pad")
      let entries = try? pad?.entries()
      if let pad, let entries, entries.count < Self.count {
        #expect(throws: CloudError.self) { try pad.requireWholePages() }
      }
      if findings.isEmpty {
        #expect(entries?.count == Self.count, "byte \(place) of \(target)")
      } else {
        found += 1
      }
      for (entry, _) in entries ?? [] {
        let number = entry.key.dropFirst(3)
        #expect(entry.value == .string("value \(number) of a text that is longer"))
      }
      _ = try fixture.store.repair(for: fixture.request)
      let left = try fixture.store.examine(isDeep: true, for: fixture.request)
        .flatMap(\.findings).filter { $0.code.severity != .notice }
      #expect(left.isEmpty, "byte \(place) of \(target): \(left)")
      try restore(whole, fixture, path, log)
    }
    #expect(found > 5)
  }

  /// Restores the files as they were.
  private func restore(
    _ whole: [[UInt8]], _ fixture: CloudFixture, _ path: String, _ log: String
  ) throws {
    for name in try FileSystem.list(FileSystem.parent(of: folder(fixture)))
    where name.contains(".damaged-") {
      try FileSystem.remove(FileSystem.parent(of: folder(fixture)) + "/" + name)
    }
    try FileSystem.remove(path + "-shm")
    try FileSystem.replace(path, with: whole[0])
    try FileSystem.replace(log, with: whole[1])
  }

  @Test("a snapshot and a backup contain the keys, and a restore brings them back")
  func copies() throws {
    let fixture = try filled()
    let name = try SnapshotName("one")
    try fixture.store.saveSnapshot(name, replaces: false, for: fixture.request)
    try keys(fixture, "phone").set([("key0", .integer(1))])
    try fixture.store.restore(name, for: fixture.request)
    let value = PropertyListValue.string("value 0 of a text that is longer")
    #expect(try keys(fixture, "phone").value("key0") == value)
    let copy = fixture.directory.path + "/copy"
    try fixture.store.copy(to: copy, for: fixture.request)
    var request = fixture.request
    (request.account, request.device) = (Account(stored: "me"), Device(stored: "pad"))
    let other = try CloudStore(path: copy).keyValueStore(fixture.container, for: request)
    #expect(try other.value("key0") == value)
    #expect(try other.entries().count == Self.count)
  }
}
