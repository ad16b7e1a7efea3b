internal import CloudModel
internal import TestSupport

@testable internal import RecordStore

/// A store with one container, in a folder of its own.
final class ContainerFixture {
  private let directory: TemporaryDirectory
  let store: StoreDirectory
  private let id: ContainerID

  init() throws {
    directory = try TemporaryDirectory()
    store = StoreDirectory(path: directory.path + "/.ckdb")
    id = try ContainerID("iCloud.org.example.app")
    _ = try store.create()
    _ = try store.create(id, waitMilliseconds: 0)
  }

  /// The folder of the development environment.
  var folder: String { store.folder(id, .development) }

  func open() throws -> EnvironmentStore {
    try EnvironmentStore(folder: folder, waitMilliseconds: 0)
  }

  func repair() throws -> Repair {
    try store.repair(id, .development, at: StoreFixture.time, waitMilliseconds: 0)
  }
}
