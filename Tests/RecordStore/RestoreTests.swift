internal import Basics
internal import CloudModel
internal import Glibc
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import RecordStore
@testable internal import StoreHome

/// Interrupted restores and snapshots, and stores with links in them (F01, T10).
@Suite struct RestoreTests {
  private static let name = SnapshotName(stored: "before")

  /// The contents of a store: its records, and a setting.
  private struct State: Equatable {
    var records: [String]
    var quota: Int64?

    init(_ store: StoreDirectory, _ container: ContainerID) throws {
      records = try DamagedStore.records(in: store.folder(container, .development))
      quota = try store.settings().accounts["me"]?.quota
      for environment in Environment.allCases {
        let found = try store.examine(container, environment, isDeep: true, patience: .none)
        #expect(found.findings.allSatisfy { $0.code.severity == .notice }, "\(found.findings)")
      }
    }
  }

  /// A store that was changed since its snapshot was saved.
  private func changed() throws -> (DamagedStore, before: State, after: State) {
    let store = try DamagedStore()
    let before = try State(store.store, store.container)
    try store.store.saveSnapshot(Self.name, replaces: false, patience: .none)
    let open = try EnvironmentStore(folder: store.folder, patience: .none)
    try open.beginWrite()
    _ = try open.insert(record("later", "Later"), open.type("Later"))
    try open.commit()
    try store.store.changeSettings { $0.accounts["me", default: .init()].quota = 7 }
    return (store, before, try State(store.store, store.container))
  }

  @Test(
    "a restore that is killed after any step is undone or finished, and 'previous' is whole",
    arguments: 0...5, [false, true])
  func killed(steps: Int, hasPrevious: Bool) throws {
    let (fixture, before, after) = try changed()
    let store = fixture.store
    let previous = store.snapshot(.previous)
    if hasPrevious {
      // Both states existed before the first of these.
      try store.restore(Self.name, patience: .none)
      try store.restore(.previous, patience: .none)
      #expect(try State(store, fixture.container) == after)
    }
    let draft = store.replacement
    let all: [() throws -> Void] = [
      { try store.snapshot(Self.name).copyAll(to: draft, usedIn: Platform.systemRun) },
      { _ = try store.makePlan() },
      { try FileSystem.exchange(draft.containersPath, store.containersPath) },
      { try FileSystem.exchange(draft.settingsPath, store.settingsPath) },
      {
        if hasPrevious {
          try FileSystem.exchange(draft.path, previous.path)
        } else {
          try FileSystem.rename(draft.path, to: previous.path)
        }
      },
    ]
    for step in all.prefix(steps) { try step() }
    #expect(try store.isPartlyReplaced() == (steps > 2))
    if steps > 2 { #expect(store.examine().contains { $0.code == .structure }) }
    store.finishIfPartlyReplaced()
    #expect(try State(store, fixture.container) == (steps > 2 ? before : after))
    if steps > 2 || hasPrevious {
      #expect(try State(previous, fixture.container) == (steps > 2 ? after : before))
    } else {
      #expect(!previous.exists)
    }
    try store.saveSnapshot(SnapshotName(stored: "then"), replaces: false, patience: .none)
    let left = try FileSystem.list(store.snapshotsPath).filter { $0.hasPrefix(".") }
    #expect(left == [".lock"])
    #expect(!store.examine().contains { $0.code == .structure || $0.code == .leftover })
  }

  @Test("files restored just before the system stopped are reported and settled by the doctor")
  func unsettled() throws {
    let (fixture, before, _) = try changed()
    try fixture.store.restore(Self.name, patience: .none)
    try WriterLock.note(restoredIn: "another run", at: fixture.file.lockPath)
    #expect(throws: StoreError.self) {
      _ = try EnvironmentStore(folder: fixture.folder, patience: .none)
    }
    let found = try fixture.file.examine(isDeep: true, patience: .none).findings
    #expect(found.map(\.code) == [.structure])
    let repair = try fixture.store.repair(
      fixture.container, .development, at: StoreFixture.time, patience: .none)
    #expect(repair.isWhole)
    #expect(try State(fixture.store, fixture.container) == before)
  }

  @Test("T10: no part of a store may be a link, and nothing beyond a link is touched")
  func links() throws {
    let (fixture, _, _) = try changed()
    let store = fixture.store
    let elsewhere = FileSystem.parent(of: store.path) + "/elsewhere"
    try FileSystem.makeDirectories(elsewhere + "/.mine/.draft")
    try FileSystem.makeDirectories(elsewhere + "/.draft")
    try FileSystem.rename(store.snapshotsPath, to: store.snapshotsPath + ".old")
    #expect(symlink(elsewhere, store.snapshotsPath) == 0)
    for work in [
      { try store.saveSnapshot(Self.name, replaces: true, patience: .none) },
      { try store.deleteSnapshot(Self.name, patience: .none) },
      { try store.restore(Self.name, patience: .none) },
      { _ = try store.snapshots() },
    ] {
      let error = #expect(throws: StoreError.self) { try work() }
      #expect(error?.kind == .corrupt)
    }
    #expect(try FileSystem.list(elsewhere) == [".draft", ".mine"])
    let container = FileSystem.parent(of: fixture.folder)
    try FileSystem.rename(container, to: elsewhere + "/container")
    #expect(symlink(elsewhere + "/container", container) == 0)
    #expect(try !store.contains(fixture.container))
    #expect(try store.containers() == [])
    #expect(store.examine().contains { $0.code == .stranger })
  }

  @Test("the path to a store may have links in it")
  func linkedPath() throws {
    let (fixture, _, after) = try changed()
    let link = FileSystem.parent(of: fixture.store.path) + "/link"
    #expect(symlink(fixture.store.path, link) == 0)
    let linked = StoreDirectory(path: link)
    #expect(try State(linked, fixture.container) == after)
    try linked.saveSnapshot(SnapshotName(stored: "linked"), replaces: false, patience: .none)
    try linked.restore(SnapshotName(stored: "linked"), patience: .none)
    #expect(try State(fixture.store, fixture.container) == after)
  }

  @Test("damaged contents of an asset are replaced when they are put again")
  func damagedContents() throws {
    let fixture = try DamagedStore()
    let assets = AssetFiles(folder: fixture.file.assetsPath)
    let path = assets.path(of: fixture.contents)
    try FileSystem.replace(path, with: Array("hellO".utf8))
    try assets.keep(assets.draft(of: Array("hello".utf8)))
    #expect(try FileSystem.contents(of: path) == Array("hello".utf8))
    #expect(try FileSystem.list(fixture.file.assetsPath + "/tmp") == [])
  }

  @Test("a copy is as long as its source; a folder that cannot be listed is an error")
  func copies() throws {
    let directory = try TemporaryDirectory()
    let (one, other) = (directory.path + "/one", directory.path + "/other")
    for count in [0, 1, 70_000] {
      try FileSystem.replace(one, with: [UInt8](repeating: 7, count: count))
      try FileSystem.copy(one, to: other)
      #expect(try FileSystem.contents(of: other).count == count)
      try FileSystem.remove(other)
    }
    #expect(throws: SystemError.self) { _ = try FileSystem.list(directory.path + "/none") }
    #expect(throws: SystemError.self) { _ = try FileSystem.knownStatus(of: other) }
  }
}
