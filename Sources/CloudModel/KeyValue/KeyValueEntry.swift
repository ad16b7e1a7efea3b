/// A key with its value, on a device or in iCloud.
public struct KeyValueEntry: Sendable, Equatable {
  /// The key.
  public let key: String
  /// The value; nil for a key that was removed.
  public let value: PropertyListValue?
  /// When it was written, by the clock of the device.
  public let at: Timestamp
  /// The device that wrote it.
  public let device: Device

  /// Puts an entry together.
  public init(_ key: String, _ value: PropertyListValue?, at: Timestamp, device: Device) {
    (self.key, self.value, self.at, self.device) = (key, value, at, device)
  }
}

/// What a synchronization did (`NSUbiquitousKeyValueStore.synchronize`).
public struct KeyValueSynchronization: Sendable, Equatable {
  /// Whether it took place: not offline, not signed out, not too soon after others.
  public var isSynchronized = true
  /// How many writes iCloud took.
  public var sent = 0
  /// How many writes of other devices arrived.
  public var received = 0
  /// How many keys both sides had written.
  public var conflicts = 0
  /// How many writes would have exceeded the quota, and were not kept.
  public var rejected = 0
  /// In how many milliseconds the device may synchronize again, where it was too soon.
  public var throttledFor: Int64?

  /// One that did nothing.
  public init() {}
}
