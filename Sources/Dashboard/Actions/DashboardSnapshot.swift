#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The snapshots that actions on many records save first (cli.md §16).
  enum DashboardSnapshot {
    private static let prefix = "dashboard-"
    /// How many are kept; older ones are deleted.
    private static let kept = 10

    /// Saves the store. Throws `CloudError`.
    static func save(_ open: OpenPlace) throws -> SnapshotName {
      let (store, request) = (open.store, open.request)
      let own = try store.snapshotNames().filter { $0.text.hasPrefix(prefix) }
      let time = Timestamp(milliseconds: Platform.wallClockMilliseconds).text
      let stamp = time.prefix(19).filter { $0 != ":" }
      var name = SnapshotName(stored: prefix + stamp)
      var repetition = 1
      while own.contains(name) {
        repetition += 1
        name = SnapshotName(stored: "\(prefix)\(stamp)-\(repetition)")
      }
      try store.saveSnapshot(name, replaces: false, for: request)
      for old in own.dropLast(kept - 1) { try store.deleteSnapshot(old, for: request) }
      return name
    }
  }
#endif
