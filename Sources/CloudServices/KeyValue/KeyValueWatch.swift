internal import Basics
public import CloudModel
internal import UbiquityStore

/// Gives the events of a device as they come, also those that other processes cause.
public final class KeyValueWatch {
  private let keys: KeyValueStore
  private var store: UbiquityStore
  private var watch: FileWatch
  private var last: Int64

  private static let longestPauseMilliseconds: Int64 = 500

  /// Begins after a number, nil for the last event that there is. Throws `CloudError`.
  public init(_ keys: KeyValueStore, after number: Int64?) throws(CloudError) {
    self.keys = keys
    let store = try keys.openOrMake()
    self.store = store
    watch = try serving { try store.watch() }
    if let number {
      last = number
    } else {
      last = try serving { try store.lastSequence() }
    }
  }

  /// Gives the next events to `body` until it returns false; false when a time has come before
  /// (`Platform.monotonicMilliseconds`; nil for none). Throws `operationCancelled` when it is
  /// interrupted, and what `body` throws.
  public func next(until end: Int64?, _ body: (KeyValueEvent) throws -> Bool) throws -> Bool {
    while true {
      let found = try keys.events(after: last)
      for event in found {
        last = event.number
        guard try body(event) else { return true }
        try keys.request.checkInterrupt()
      }
      if !found.isEmpty { continue }
      let left = end.map { $0 - Platform.monotonicMilliseconds } ?? .max
      guard left > 0 else { return false }
      watch.wait(milliseconds: min(left, Self.longestPauseMilliseconds))
      try keys.request.checkInterrupt()
      if !store.isCurrent {
        store = try keys.openOrMake()
        watch = try store.watch()
      }
    }
  }
}
