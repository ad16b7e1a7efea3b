internal import Basics

extension Request {
  /// Other processes wake a watcher when they have committed; where they could not, it looks by
  /// itself.
  private static var longestPauseMilliseconds: Int64 { 500 }

  /// Gives what comes to `body` until it returns false; false when a time has come before
  /// (`Platform.monotonicMilliseconds`; nil for none). `read` returns what is new, and `wait` waits
  /// for a change for so many milliseconds. Throws `operationCancelled` when the request is
  /// interrupted, and what its arguments throw.
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
