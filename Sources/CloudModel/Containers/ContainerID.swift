internal import Basics

/// A container's identifier: `iCloud.` and a reverse domain name (R1.1.1, R1.1.2).
public struct ContainerID: Sendable, Hashable {
  /// The identifier's text; case-sensitive.
  public let text: String

  /// Checks an identifier. Throws `invalidArguments` unless it begins with `iCloud.` and contains
  /// only letters, digits, `.`, `-` and `_`.
  public init(_ text: String) throws(CloudError) {
    guard text.hasPrefix("iCloud."), text.utf8.count > 7 else {
      throw CloudError(
        .invalidArguments, "A container identifier must start with 'iCloud.': '\(text.visible)'",
        remedy: "for example iCloud.com.example.app")
    }
    guard text.utf8.count <= Limits.nameLength,
      text.utf8.allSatisfy({ $0.isIdentifierByte || $0 == 0x2E || $0 == 0x2D })
    else {
      throw CloudError(
        .invalidArguments,
        "A container identifier can contain at most 255 letters, digits, '.', '-' and '_': "
          + "'\(text.visible)'")
    }
    self.text = text
  }
}

extension UInt8 {
  /// An ASCII letter.
  public var isLetterByte: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }
  /// An ASCII digit.
  public var isDigitByte: Bool { self >= 0x30 && self <= 0x39 }
  /// An ASCII letter, a digit or an underscore.
  public var isIdentifierByte: Bool { isLetterByte || isDigitByte || self == 0x5F }
}
