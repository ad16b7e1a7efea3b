internal import Basics
internal import CloudModel
internal import StoreFiles
internal import TestSupport

@testable internal import RecordStore
@testable internal import StoreHome

/// A store with one container, in a fresh folder.
final class ContainerFixture {
  private let directory: TemporaryDirectory
  let store: StoreDirectory
  let container: ContainerID

  init() throws {
    directory = try TemporaryDirectory()
    store = StoreDirectory(path: directory.path + "/.ckdb")
    container = try ContainerID("iCloud.org.example.app")
    _ = try store.create()
    _ = try store.create(container, patience: .none)
  }

  /// The folder of the development environment.
  var folder: String { store.folder(container, .development) }

  func open() throws -> EnvironmentStore {
    try EnvironmentStore(folder: folder, patience: .none)
  }

  func repair() throws -> Repair {
    try store.repair(container, .development, at: StoreFixture.time, patience: .none)
  }
}

extension EnvironmentFile {
  /// What the doctor finds.
  func examine(isDeep: Bool, patience: Patience) throws(StoreError) -> Examination {
    try Doctor(EnvironmentStore.self, self, patience: patience)
      .examine(isDeep: isDeep, readsAssets: isDeep)
  }
}

extension StoreDirectory {
  /// A store whose containers have environments alone.
  init(path: String) { self.init(path: path, environments: .records, others: []) }
}
