internal import Basics

/// A zone's name within its database (R2.3).
public struct ZoneName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// The zone that every private and public database has (R2.1).
  public static let defaultZone = ZoneName(stored: "_defaultZone")

  /// Creates a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name: `_defaultZone`, or 1 to 255 ASCII characters without a leading underscore.
  /// Throws `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    if text == ZoneName.defaultZone.text {
      self = .defaultZone
      return
    }
    try checkName(text, "zone name")
    self.text = text
  }

  /// Whether this is `_defaultZone`.
  public var isDefault: Bool { text == "_defaultZone" }
}

/// The rule for zone and record names (R2.3, R3.1.6): 1 to 255 ASCII characters without control
/// characters, not beginning with an underscore.
func checkName(_ text: String, _ what: String) throws(CloudError) {
  let fault: String
  if text.isEmpty {
    fault = "is empty"
  } else if text.utf8.count > Limits.nameLength {
    fault = "has \(text.unicodeScalars.count) characters; at most 255 are allowed"
  } else if text.utf8.first == UInt8(ascii: "_") {
    fault = "must not start with '_': '\(text.visible)'"
  } else if !text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
    fault = "contains a character that is not printable ASCII: '\(text.visible)'"
  } else {
    return
  }
  throw CloudError(.invalidArguments, "The \(what) \(fault)")
}
