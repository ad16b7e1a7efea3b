internal import Basics

/// The URL of a share: `ckdb://share/CONTAINER/TOKEN#TITLE` (M9).
public struct ShareURL: Sendable, Equatable {
  /// The container.
  public let container: ContainerID
  /// The token of the share, or of a participant.
  public let token: String
  /// The share's title, for readers of the URL; nil for none.
  public let title: String?

  /// Creates a URL.
  public init(_ container: ContainerID, token: String, title: String?) {
    (self.container, self.token, self.title) = (container, token, title)
  }

  /// Parses a URL. Throws `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
    guard parts[0].hasPrefix(Self.prefix), path.count == 5, Self.isToken(path[4]) else {
      throw CloudError(
        .invalidArguments, "not a share URL: '\(text.visible)'",
        remedy: "write \(Self.prefix)CONTAINER/TOKEN")
    }
    container = try ContainerID(String(path[3]))
    token = String(path[4])
    title = parts.count == 2 ? Self.decoded(parts[1]) : nil
  }

  /// Whether a text is intended as a share URL.
  public static func isMeant(_ text: String) -> Bool { text.hasPrefix(prefix) }

  /// The URL as text.
  public var text: String {
    let url = "\(Self.prefix)\(container.text)/\(token)"
    return title.map { "\(url)#\(Self.encoded($0))" } ?? url
  }

  private static let prefix = "ckdb://share/"

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isIdentifierByte || $0 == UInt8(ascii: "-") }
  }

  /// The title as a fragment: bytes not allowed in URLs are written as `%XX` (RFC 3986).
  private static func encoded(_ title: String) -> String {
    var text = ""
    for byte in title.utf8 {
      if byte.isIdentifierByte || "-.~".utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + [byte].hexadecimal.uppercased()
      }
    }
    return text
  }

  private static func decoded(_ fragment: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = fragment.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest.removeFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
