internal import CloudModel
internal import StoreFiles
internal import TestSupport

@testable internal import RecordStore

/// A store with one container, in a folder of its own.
final class ContainerFixture {
  private let directory: TemporaryDirectory
  let store: StoreDirectory
  let container: ContainerID

  init() throws {
    directory = try TemporaryDirectory()
    store = StoreDirectory(path: directory.path + "/.ckdb")
    container = try ContainerID("iCloud.org.example.app")
    _ = try store.create()
    _ = try store.create(container, waitMilliseconds: 0)
  }

  /// The folder of the development environment.
  var folder: String { store.folder(container, .development) }

  func open() throws -> EnvironmentStore {
    try EnvironmentStore(folder: folder, waitMilliseconds: 0)
  }

  func repair() throws -> Repair {
    try store.repair(container, .development, at: StoreFixture.time, waitMilliseconds: 0)
  }
}

extension EnvironmentFile {
  /// What the doctor finds.
  func examine(isDeep: Bool, waitMilliseconds: Int64) throws(StoreError) -> Examination {
    try Doctor(EnvironmentStore.self, self, waitMilliseconds: waitMilliseconds)
      .examine(isDeep: isDeep, readsAssets: isDeep)
  }
}
