#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The snapshots that actions on many records save first (cli.md §16). Their names have the time
  /// and a random part: byte order is that of time, and no name is used twice.
  enum DashboardSnapshot {
    private static let prefix = "dashboard-"
    private static let pattern = "dashboard-20261231T235959999-0123abcd"
    /// How many are kept; older ones are deleted.
    private static let kept = 10

    /// Saves the store, then does an action with the name of the snapshot. A refused action has
    /// changed nothing: its snapshot is deleted. Throws `CloudError`, and what the action throws.
    static func with<T>(_ open: OpenPlace, _ work: (SnapshotName) throws -> T) throws -> T {
      let (store, request) = (open.store, open.request)
      let time = Timestamp(milliseconds: Platform.wallClockMilliseconds).text
      let stamp = time.filter { $0.isNumber || $0 == "T" }
      let name = SnapshotName(stored: "\(prefix)\(stamp)-\(SystemRandom.bytes(4).hexadecimal)")
      try store.saveSnapshot(name, replaces: false, for: request)
      let result: T
      do { result = try work(name) } catch let refused as Refused {
        try? store.deleteSnapshot(name, for: request)
        throw refused
      }
      // The action is done, and another one may delete the same snapshots: ignore errors.
      let own = (try? store.snapshotNames())?.filter(isOwn) ?? []
      for old in own.dropLast(kept) { try? store.deleteSnapshot(old, for: request) }
      return result
    }

    /// Whether the dashboard gave the name: users may have other snapshots with this prefix.
    private static func isOwn(_ name: SnapshotName) -> Bool {
      let (text, pattern) = (Array(name.text.utf8), Array(pattern.utf8))
      return text.count == pattern.count && name.text.hasPrefix(prefix)
        && zip(text, pattern).dropFirst(prefix.utf8.count).allSatisfy { byte, sample in
          sample == UInt8(ascii: "-") || sample == UInt8(ascii: "T")
            ? byte == sample : byte.isDigitByte || (0x61...0x66).contains(byte)
        }
    }
  }

  /// An action that was refused: its page is shown, and nothing has changed.
  struct Refused: Error {
    let page: HTML
  }
#endif
