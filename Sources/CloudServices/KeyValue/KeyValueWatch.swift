internal import Basics
public import CloudModel
internal import UbiquityStore

/// Gives the events of a device as they come, also those that other processes cause.
public final class KeyValueWatch {
  private let keys: KeyValueStore
  private let watch: UbiquityWatch
  private var last: Int64

  /// Begins after a number, nil for the last event that there is.
  public init(_ keys: KeyValueStore, after number: Int64?) throws(CloudError) {
    self.keys = keys
    let watch = try UbiquityWatch(keys)
    self.watch = watch
    if let number { last = number } else { last = try serving { try watch.lastSequence() } }
  }

  /// Gives the next events to `body` until it returns false; false when a time has come before
  /// (`Platform.monotonicMilliseconds`; nil for none). Throws `operationCancelled` when it is
  /// interrupted, and what `body` throws.
  public func next(until end: Int64?, _ body: (KeyValueEvent) throws -> Bool) throws -> Bool {
    try keys.request.follow(until: end) {
      try keys.events(after: last)
    } wait: {
      try watch.wait($0)
    } _: { event in
      last = event.number
      return try body(event)
    }
  }
}
