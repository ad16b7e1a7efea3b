internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

extension DocumentStore {
  /// Keeps a mount and the device in sync until the request is interrupted: picks up changes by
  /// other programs in the folder, and writes new documents of the device there. Passes each result
  /// to `body`. Throws as `mount`, and what `body` throws.
  public func followMount(
    _ path: String, confirm: Confirmation,
    _ body: (MountResult) throws -> Void
  ) throws {
    let tree = try serving { try TreeWatch(path) }
    let store = try UbiquityWatch(self)
    // Changes from before the watch are picked up at once.
    var seen: Int64 = -1
    while true {
      let hasChanged = seen >= 0 && tree.wait(milliseconds: Self.pauseMilliseconds)
      try request.checkInterrupt()
      // A program may save in several steps.
      if hasChanged { Platform.sleep(milliseconds: Self.settlingMilliseconds) }
      try store.wait(0)
      let last = try serving { try store.lastSequence() }
      if !hasChanged, last == seen { continue }
      try body(try mount(path, confirm: confirm))
      seen = try serving { try store.lastSequence() }
    }
  }

  private static let pauseMilliseconds: Int64 = 200
  private static let settlingMilliseconds: Int64 = 50
}
