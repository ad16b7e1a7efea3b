/// A device with its own settings.
public struct NamedDevice: Sendable, Equatable {
  /// The kinds of devices.
  public enum Kind: String, Sendable, CaseIterable {
    /// Downloads the contents of documents on demand.
    case ios
    /// Downloads the contents of documents at once.
    case mac
  }

  /// The kind of device.
  public var kind: Kind
  /// How many milliseconds its clock is ahead.
  public var clockOffset: Int64
  /// The account signed in on it; nil for none.
  public var account: Account?
  /// Whether it is connected. An offline device receives its notifications later.
  public var isOnline: Bool

  /// Creates a device.
  public init(
    kind: Kind = .ios, clockOffset: Int64 = 0, account: Account?, isOnline: Bool = true
  ) {
    (self.kind, self.clockOffset) = (kind, clockOffset)
    (self.account, self.isOnline) = (account, isOnline)
  }
}
