internal import Basics
internal import CloudModel
internal import StoreFiles
internal import TestSupport
internal import UbiquityStore

/// An empty key-value store and documents in a fresh directory.
struct UbiquityFixture {
  let directory: TemporaryDirectory
  let store: UbiquityStore
  let account = Account(stored: "me")

  init() throws {
    directory = try TemporaryDirectory()
    try UbiquityStore.create(in: directory.path + "/ubiquity")
    store = try UbiquityStore(folder: directory.path + "/ubiquity", patience: .none)
  }

  /// Runs a write transaction; takes it back if it throws.
  func write<Result>(_ work: () throws -> Result) throws -> Result {
    try store.beginWrite()
    do {
      let result = try work()
      try store.commit()
      return result
    } catch {
      store.rollback()
      throw error
    }
  }

  /// A draft of a file with this text.
  func draft(_ text: String) throws -> AssetFiles.Draft {
    try store.assets.draft(of: Array(text.utf8))
  }
}
