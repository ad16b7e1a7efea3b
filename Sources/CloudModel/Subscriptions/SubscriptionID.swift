internal import Basics

/// A subscription's name within a user's database (R8.1.5).
public struct SubscriptionID: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// Creates a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name: not empty, at most 255 bytes, no control characters. Throws
  /// `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    let fault: String
    if text.isEmpty {
      fault = "is empty"
    } else if text.utf8.count > Limits.nameLength {
      fault = "has \(text.utf8.count) bytes; at most \(Limits.nameLength) are allowed"
    } else if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      fault = "contains a control character: '\(text.visible)'"
    } else {
      self.text = text
      return
    }
    throw CloudError(.invalidArguments, "The subscription ID \(fault)")
  }
}
