/// A device that has settings of its own.
public struct NamedDevice: Sendable, Equatable {
  /// What kind of device it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// Fetches the contents of documents on demand.
    case ios
    /// Fetches the contents of documents at once.
    case mac
  }

  /// What kind of device it is.
  public var kind: Kind
  /// How many milliseconds its clock is ahead.
  public var clockOffset: Int64
  /// The account that is signed in on it; nil for none.
  public var account: Account?
  /// Whether it is connected. An offline device receives its notifications later.
  public var isOnline: Bool

  /// Describes a device.
  public init(
    kind: Kind = .ios, clockOffset: Int64 = 0, account: Account?, isOnline: Bool = true
  ) {
    (self.kind, self.clockOffset) = (kind, clockOffset)
    (self.account, self.isOnline) = (account, isOnline)
  }
}
