internal import Basics
internal import CloudModel
internal import Glibc
internal import StoreFiles
internal import Synchronization
internal import TestSupport
internal import Testing

@testable internal import RecordStore
@testable internal import StoreHome

/// The store's own directory (DS4).
@Suite struct DirectoryTests {
  @Test("M2.1, M2.2: a store and a container are made once; repeating it changes nothing")
  func makingTwice() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/deep/.ckdb")
    let id = try ContainerID("iCloud.org.example.app")
    #expect(!store.exists)
    #expect(try store.create())
    #expect(try !store.create())
    #expect(try store.create(id, patience: .none))
    #expect(try !store.create(id, patience: .none))
    #expect(try store.containers() == ["iCloud.org.example.app"])
    for environment in Environment.allCases {
      let names = try FileSystem.list(store.folder(id, environment)).filter { !$0.contains("-") }
      #expect(names == ["assets", "lock", "records.sqlite"])
    }
  }

  @Test("F02: a file of a store that cannot be examined is an error, not a missing file")
  func unexaminable() throws {
    let directory = try TemporaryDirectory()
    let loop = directory.path + "/loop"
    #expect(symlink(loop, loop) == 0)
    let store = StoreDirectory(path: loop + "/store", environments: .records, others: [.records])
    let id = try ContainerID("iCloud.org.example.app")
    #expect(throws: StoreError.self) { try store.people() }
    #expect(throws: StoreError.self) { try store.hasUbiquityFolder(id) }
    #expect(throws: StoreError.self) { try store.otherFiles(id.text) }
    #expect(throws: StoreError.self) { try store.contains(id) }
    #expect(throws: StoreError.self) { try store.isPartlyReplaced() }
    let assets = AssetFiles(folder: loop + "/assets")
    let asset = try #require(Asset(sha256: String(repeating: "0", count: 64), size: 1))
    #expect(throws: StoreError.self) { try assets.contains(asset) }
    #expect(throws: StoreError.self) { try assets.fault(of: asset, readsContents: false) }
  }

  @Test("DS4: only the owner has access to the directories and files of a store")
  func modes() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    let id = try ContainerID("iCloud.org.example.app")
    _ = try store.create()
    _ = try store.create(id, patience: .none)
    let folder = store.folder(id, .development)
    for (path, mode) in [
      (store.path, 0o700), (folder, 0o700), (folder + "/assets", 0o700),
      (folder + "/records.sqlite", 0o600), (folder + "/lock", 0o600),
    ] as [(String, UInt32)] {
      #expect((FileSystem.status(of: path)?.st_mode ?? 0) & 0o777 == mode, "\(path)")
    }
  }

  @Test("C002: container ids are case-sensitive; deleting one leaves the others")
  func deleting() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    _ = try store.create()
    let ids = try ["iCloud.a", "iCloud.A"].map { try ContainerID($0) }
    for id in ids { #expect(try store.create(id, patience: .none)) }
    try store.delete(ids[0], patience: .none)
    #expect(try store.containers() == ["iCloud.A"])
  }

  @Test("if many processes make a container at once, one of them does, and the container is whole")
  func racing() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    _ = try store.create()
    let id = try ContainerID("iCloud.org.example.race")
    let made = Atomic<Int>(0)
    let workers = try (0..<8).map { _ in
      try Worker {
        if (try? store.create(id, patience: Patience(milliseconds: 60_000))) == true {
          made.add(1, ordering: .relaxed)
        }
      }
    }
    for worker in workers { worker.join() }
    #expect(made.load(ordering: .relaxed) == 1)
    #expect(try store.containers() == [id.text])
    for environment in Environment.allCases {
      _ = try EnvironmentStore(folder: store.folder(id, environment), patience: .none)
    }
  }

  @Test("M1.8: a container with a writer is not deleted; a waiting writer finds it gone")
  func deletionWaits() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    _ = try store.create()
    let id = try ContainerID("iCloud.org.example.gone")
    _ = try store.create(id, patience: .none)
    let folder = store.folder(id, .production)
    let writer = try EnvironmentStore(folder: folder, patience: .none)
    let waiting = try EnvironmentStore(folder: folder, patience: .none)
    try writer.beginWrite()
    let busy = try #require(throws: StoreError.self) { try store.delete(id, patience: .none) }
    #expect(busy.kind == .busy(holder: getpid()))
    #expect(try store.contains(id))
    try writer.commit()
    try waiting.beginWrite()
    waiting.rollback()
    try store.delete(id, patience: .none)
    let error = try #require(throws: StoreError.self) { try waiting.beginWrite() }
    #expect(error.kind == .deleted)
  }

  @Test("if an open container is deleted and made again, its writer writes into neither")
  func madeAgain() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    _ = try store.create()
    let id = try ContainerID("iCloud.org.example.again")
    _ = try store.create(id, patience: .none)
    // It has only read so far, so it has no lock from before.
    let reader = try EnvironmentStore(
      folder: store.folder(id, .development), patience: .none)
    try reader.beginRead()
    reader.endRead()
    try store.delete(id, patience: .none)
    _ = try store.create(id, patience: .none)
    let error = try #require(throws: StoreError.self) { try reader.beginWrite() }
    #expect(error.kind == StoreError.replaced.kind)
  }

  @Test("changes of the settings by many processes at once are all kept")
  func settingsOfMany() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    _ = try store.create()
    let workers = try (0..<8).map { number in
      try Worker {
        try? store.changeSettings { $0.accounts["u\(number)", default: .init()].quota = 1 }
      }
    }
    for worker in workers { worker.join() }
    #expect(try store.settings().accounts.count == 8)
  }

  @Test("changes of the people by many processes at once are all kept, and read back unchanged")
  func people() throws {
    let fixture = try ContainerFixture()
    let store = fixture.store
    let workers = try (0..<8).map { thread in
      try Worker {
        for number in 0..<10 {
          try? store.changePeople { people in
            let name = "u\(thread)-\(number)"
            people.persons[name] = Person(
              givenName: "G\(number)", addresses: [try PersonAddress("\(name)@example.com")])
            people.contacts[name] = [try PersonAddress(phone: "+45 \(1000 + number)")]
            people.discoverability["iCloud.a.b", default: [:]][name] = .granted
            people.devices[name] = NamedDevice(
              kind: .mac, clockOffset: -1, account: try Account(name), isOnline: false)
          }
        }
      }
    }
    for worker in workers { worker.join() }
    let people = try fixture.store.people()
    #expect(people.persons.count == 80 && people.devices.count == 80)
    #expect(StorePeople(people.json) == people)
    #expect(people.account(at: try PersonAddress("U7-9@Example.com"))?.name == "u7-9")
    #expect(fixture.store.examine().map(\.code).filter { $0 != .library }.isEmpty)
  }

  @Test("unreadable people are damage; a repair keeps the file and continues without it")
  func damagedPeople() throws {
    let fixture = try ContainerFixture()
    try fixture.store.changePeople { $0.persons["a"] = Person(givenName: "A") }
    try FileSystem.replace(fixture.store.peoplePath, with: Array("{".utf8))
    #expect(throws: StoreError.self) { try fixture.store.people() }
    #expect(fixture.store.examine().contains { $0.code == .settings })
    try fixture.store.repairOwnFiles()
    #expect(!fixture.store.examine().contains { $0.code == .settings })
    #expect(FileSystem.exists(fixture.store.path + "/people.json.damaged"))
    #expect(try fixture.store.people() == StorePeople())
  }

  @Test(
    "unreadable tokens are damage, even a single one; a repair keeps the file and begins without",
    arguments: ["", "{", "[]", "{}", "{\"secret\":\"\",\"tokens\":[{}],\"keys\":[]}"])
  func damagedAccess(_ text: String) throws {
    let fixture = try ContainerFixture()
    try FileSystem.replace(fixture.store.accessPath, with: Array(text.utf8))
    #expect(throws: StoreError.self) { try fixture.store.access() }
    #expect(throws: StoreError.self) { try fixture.store.changeAccess { _ in } }
    #expect(fixture.store.examine().contains { $0.code == .settings })
    try fixture.store.repairOwnFiles()
    #expect(!fixture.store.examine().contains { $0.code == .settings })
    #expect(try FileSystem.contents(of: fixture.store.accessPath + ".damaged") == Array(text.utf8))
    #expect(try fixture.store.access() == StoreAccess())
    try FileSystem.replace(fixture.store.accessPath, with: Array("other".utf8))
    try fixture.store.repairOwnFiles()
    #expect(try FileSystem.contents(of: fixture.store.accessPath + ".damaged") == Array(text.utf8))
    #expect(FileSystem.exists(fixture.store.accessPath + ".damaged-2"))
  }

  @Test("the first token comes with the secret that signs what it gives; both stay")
  func secret() throws {
    let fixture = try ContainerFixture()
    try fixture.store.changeAccess { _ in }
    let secret = try fixture.store.access().secret
    #expect(secret.count == 32)
    try fixture.store.changeAccess { _ in }
    #expect(try fixture.store.access().secret == secret)
  }

  @Test("T11: settings that others can read are findings, and a repair restricts them")
  func ownModes() throws {
    let fixture = try ContainerFixture()
    try fixture.store.changePeople { $0.persons["a"] = Person(givenName: "A") }
    try fixture.store.changeAccess { $0.secret = [1] }
    let files = fixture.store.ownFiles
    #expect(files.count == 3)
    for file in files { chmod(file, 0o644) }
    func modes() -> [String] {
      fixture.store.examine().filter { $0.code == .mode }.map(\.subject)
    }
    #expect(modes() == ["store.json", "access.json", "containers/people.json"])
    try fixture.store.repairOwnFiles()
    #expect(modes().isEmpty)
    #expect(try fixture.store.access().secret == [1])
  }

  @Test("M1.10: the saved context reads back in its order")
  func context() throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    _ = try store.create()
    #expect(try store.settings().context.isEmpty)
    for name in ["format", "zone", "container", "format"] {
      try store.changeSettings { $0.context[name] = "\"\(name)\" \u{e9}" }
    }
    let entries = try store.settings().context.entries
    #expect(entries.map(\.key) == ["zone", "container", "format"])
    #expect(entries.map(\.value) == entries.map { "\"\($0.key)\" \u{e9}" })
  }

  @Test(
    "M6.78: settings of a newer version and damaged settings are different errors",
    arguments: [
      ("{\"format\":99}", StoreError.Kind.newerVersion), ("{}", .corrupt), ("", .corrupt),
      ("garbage", .corrupt), ("[]", .corrupt),
    ])
  func damagedSettings(_ text: String, _ kind: StoreError.Kind) throws {
    let directory = try TemporaryDirectory()
    let store = StoreDirectory(path: directory.path + "/.ckdb")
    _ = try store.create()
    try FileSystem.replace(store.path + "/store.json", with: Array(text.utf8))
    let error = try #require(throws: StoreError.self) { try store.settings() }
    #expect(error.kind == kind)
    #expect(try FileSystem.contents(of: store.path + "/store.json") == Array(text.utf8))
  }

  @Test("F17: a copy is a separate store with everything committed, including changes in the log")
  func copies() throws {
    let store = try DamagedStore()
    let writer = try EnvironmentStore(folder: store.folder, patience: .none)
    try writer.beginWrite()
    _ = try writer.type("Late", [("n", FieldType(.int64))])
    try writer.commit()
    try writer.beginWrite()
    #expect(throws: StoreError.self) {
      try store.store.copy(to: store.store.path + "-1", patience: .none)
    }
    writer.rollback()
    let path = store.store.path + "-2"
    try store.store.copy(to: path + "/", patience: .none)
    let copy = StoreDirectory(path: path)
    #expect(copy.examine().map(\.code).filter { $0 != .library }.isEmpty)
    for environment in Environment.allCases {
      let found = try copy.examine(
        store.container, environment, isDeep: true, patience: .none)
      #expect(found.findings.isEmpty)
    }
    let folder = copy.folder(store.container, .development)
    #expect(try DamagedStore.records(in: folder) == store.records)
    let open = try EnvironmentStore(folder: folder, patience: .none)
    try open.beginRead()
    #expect(try open.madeTypes() == ["Item", "Late", "List", "Note", "cloudkit.share"])
    let again = try #require(throws: StoreError.self) {
      try store.store.copy(to: path, patience: .none)
    }
    #expect(again.kind == .cannotCreate)
    let names = try FileSystem.list(FileSystem.parent(of: path))
    #expect(!names.contains { $0.contains(".new.") })
  }

  @Test("F17: a damaged store is not copied, and nothing is left of the attempt")
  func copyOfDamaged() throws {
    let store = try DamagedStore()
    try store.patch { $0[0] = 0 }
    let error = try #require(throws: StoreError.self) {
      try store.store.copy(to: store.store.path + "-1", patience: .none)
    }
    #expect(error.kind == .corrupt)
    let parent = FileSystem.parent(of: store.store.path)
    #expect(try FileSystem.list(parent) == [".ckdb"])
  }
}
