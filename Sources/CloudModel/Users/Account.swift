internal import Basics

/// A local stand-in for an iCloud account.
public struct Account: Sendable, Hashable {
  /// The account's name, `me` by default.
  public let name: String

  /// Checks a name: 1 to 255 bytes without control characters, not `none`.
  /// Throws `invalidArguments`.
  public init(_ name: String) throws(CloudError) {
    guard !name.isEmpty, name.utf8.count <= Limits.nameLength, name == name.visible,
      name != "none"
    else {
      throw CloudError(.invalidArguments, "not an account name: '\(name.visible)'")
    }
    self.name = name
  }
}

/// A user's record name in a container: `_` and 32 hexadecimal digits (rule 1.1.8).
public struct UserRecordName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// Takes a name that was derived or stored.
  public init(stored text: String) { self.text = text }
}
