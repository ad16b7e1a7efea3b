internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

/// Waits for changes of a container's keys and documents, by this process or another.
final class UbiquityWatch {
  private let app: DeviceApp
  private var store: UbiquityStore
  private var watch: FileWatch

  init(_ app: DeviceApp) throws(CloudError) {
    self.app = app
    let store = try app.openOrMake()
    self.store = store
    watch = try serving { try store.watch() }
  }

  /// The number of the last change. Throws `StoreError`.
  func lastSequence() throws -> Int64 { try store.lastSequence() }

  /// Waits for a change, at most for the given time. Throws `CloudError`.
  func wait(_ milliseconds: Int64) throws {
    watch.wait(milliseconds: milliseconds)
    guard !store.isCurrent else { return }
    store = try app.openOrMake()
    watch = try store.watch()
  }
}
