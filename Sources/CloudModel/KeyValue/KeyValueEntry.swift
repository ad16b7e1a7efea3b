/// A key and its value, on a device or in iCloud.
public struct KeyValueEntry: Sendable, Equatable {
  /// The key.
  public let key: String
  /// The value; nil for a key that was removed.
  public let value: PropertyListValue?
  /// When it was written, by the clock of the device.
  public let at: Timestamp
  /// The device that wrote it.
  public let device: Device

  /// Creates an entry.
  public init(_ key: String, _ value: PropertyListValue?, at: Timestamp, device: Device) {
    (self.key, self.value, self.at, self.device) = (key, value, at, device)
  }
}

/// The result of a synchronization (`NSUbiquitousKeyValueStore.synchronize`).
public struct KeyValueSynchronization: Sendable, Equatable {
  /// Whether it took place: the device was online, signed in, and within its rate.
  public var isSynchronized = true
  /// How many writes iCloud accepted.
  public var sent = 0
  /// How many writes of other devices arrived.
  public var received = 0
  /// How many keys both sides had written.
  public var conflicts = 0
  /// How many writes would have exceeded the quota, and were rejected.
  public var rejected = 0
  /// After how many milliseconds the device may synchronize again, if it exceeded its rate.
  public var throttledFor: Int64?

  /// A synchronization that did nothing.
  public init() {}
}
