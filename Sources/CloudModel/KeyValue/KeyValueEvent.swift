/// A change of keys that the app on a device did not make itself
/// (`NSUbiquitousKeyValueStore.didChangeExternallyNotification`, kvs-documents.md A4).
public struct KeyValueEvent: Sendable, Equatable {
  /// Why the keys changed; the numbers are those of `NSUbiquitousKeyValueStoreChangeReasonKey`.
  public enum Reason: Int, Sendable, CaseIterable {
    /// Another device changed them.
    case serverChange = 0
    /// The first synchronization of the device.
    case initialSyncChange = 1
    /// A write exceeded the quota and was rejected.
    case quotaViolationChange = 2
    /// Another account is signed in.
    case accountChange = 3

    /// The name in the API, without its prefix.
    public var name: String {
      switch self {
      case .serverChange: "serverChange"
      case .initialSyncChange: "initialSyncChange"
      case .quotaViolationChange: "quotaViolationChange"
      case .accountChange: "accountChange"
      }
    }
  }

  /// Its number, which increases.
  public let number: Int64
  /// Why the keys changed.
  public let reason: Reason
  /// The keys, in byte order, each once.
  public let keys: [String]
  /// The device that saw the event.
  public let device: Device
  /// When it saw the event.
  public let at: Timestamp

  /// Creates an event.
  public init(number: Int64, reason: Reason, keys: [String], device: Device, at: Timestamp) {
    (self.number, self.reason, self.keys) = (number, reason, keys)
    (self.device, self.at) = (device, at)
  }
}
