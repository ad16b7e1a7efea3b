internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

extension DocumentStore {
  /// Keeps a mount and the device the same until the request is interrupted: what other programs
  /// change in the folder is picked up, and what comes to the device is written there. Gives what
  /// was done each time to `body`. Throws as `mount`, and what `body` throws.
  public func followMount(
    _ path: String, confirm: Confirmation,
    _ body: (MountResult) throws -> Void
  ) throws {
    let tree = try serving { try TreeWatch(path) }
    let store = try UbiquityWatch(self)
    // What happened before the watch began is picked up at once.
    var seen: Int64 = -1
    while true {
      let hasChanged = seen >= 0 && tree.wait(milliseconds: Self.pauseMilliseconds)
      try request.checkInterrupt()
      // A program that saves does so in several steps.
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
