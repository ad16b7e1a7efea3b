internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

extension DocumentStore {
  /// Keeps a mount and the device in sync until the request is interrupted: picks up changes by
  /// other programs in the folder, and writes new documents of the device there. Passes each result
  /// to `body`. Throws as `mount`, and what `body` throws.
  public func followMount(
    _ path: String, placeholders: Bool = false, confirm: Confirmation,
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
      if hasChanged {
        Platform.sleep(milliseconds: Self.settlingMilliseconds)
        try waitForReplacements(in: path, tree)
      }
      try store.wait(0)
      let last = try serving { try store.lastSequence() }
      if !hasChanged, last == seen { continue }
      try body(try mount(path, placeholders: placeholders, confirm: confirm))
      seen = try serving { try store.lastSequence() }
    }
  }

  /// Waits while files are missing: an editor may move a file away before it writes the new one,
  /// which is neither a deletion nor a renaming.
  private func waitForReplacements(in path: String, _ tree: TreeWatch) throws {
    let end = Platform.monotonicMilliseconds + Self.replacingMilliseconds
    while try lacksFiles(path), Platform.monotonicMilliseconds < end {
      _ = tree.wait(milliseconds: Self.settlingMilliseconds)
      try request.checkInterrupt()
    }
  }

  /// Whether a file that the mount wrote or read is missing.
  private func lacksFiles(_ path: String) throws -> Bool {
    let folder = try serving { try MountFolder(path) }
    let known = try read { store, replica in
      try store.mount(marked: folder.mark, of: replica).map { try store.files(of: $0) } ?? []
    }
    return try (known ?? []).contains { try folder.tree.status(of: $0.path.text) == nil }
  }

  private static let replacingMilliseconds: Int64 = 1000
  private static let pauseMilliseconds: Int64 = 200
  private static let settlingMilliseconds: Int64 = 50
}
