internal import Basics

extension Request {
  /// Other processes wake a watcher after a commit; if they cannot, it checks after this pause.
  private static var longestPauseMilliseconds: Int64 { 500 }

  /// Passes new items to `body` until it returns false. Returns false when the time `end` passes
  /// first (`Platform.monotonicMilliseconds`; nil for no limit). `read` returns the new items, and
  /// `wait` waits for a change for at most the given milliseconds. Throws `operationCancelled` when
  /// the request is interrupted, and what its arguments throw.
  func follow<Item>(
    until end: Int64?, _ read: () throws -> [Item], wait: (Int64) throws -> Void,
    _ body: (Item) throws -> Bool
  ) throws -> Bool {
    while true {
      // All are read first: no read transaction stays open while they are delivered.
      let found = try read()
      for item in found {
        guard try body(item) else { return true }
        try checkInterrupt()
      }
      if !found.isEmpty { continue }
      let left = end.map { $0 - Platform.monotonicMilliseconds } ?? .max
      guard left > 0 else { return false }
      try wait(min(left, Self.longestPauseMilliseconds))
      try checkInterrupt()
    }
  }
}
