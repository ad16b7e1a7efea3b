internal import Basics

/// A local stand-in for an iCloud account.
public struct Account: Sendable, Hashable {
  /// The account's name, `me` by default.
  public let name: String

  /// Creates a name that was checked when it was stored.
  public init(stored name: String) { self.name = name }

  /// Checks a name: 1 to 255 bytes without control characters, not `none`.
  /// Throws `invalidArguments`.
  public init(_ name: String) throws(CloudError) {
    guard isPlainName(name), name != "none" else {
      throw CloudError(.invalidArguments, "not an account name: '\(name.visible)'")
    }
    self.name = name
  }
}

/// A user's device.
public struct Device: Sendable, Hashable {
  /// The device's name, `cli` by default.
  public let name: String

  /// The device used when none is named.
  public static let cli = Device(stored: "cli")

  /// Creates a name that was checked when it was stored.
  public init(stored name: String) { self.name = name }

  /// Checks a name: 1 to 255 bytes without control characters. Throws `invalidArguments`.
  public init(_ name: String) throws(CloudError) {
    guard isPlainName(name) else {
      throw CloudError(.invalidArguments, "not a device name: '\(name.visible)'")
    }
    self.name = name
  }
}

private func isPlainName(_ name: String) -> Bool {
  !name.isEmpty && name.utf8.count <= Limits.nameLength && name == name.visible
}
