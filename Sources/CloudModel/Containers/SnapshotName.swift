internal import Basics

/// The name of a snapshot of a store.
public struct SnapshotName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// The store's state before the last restore of a snapshot.
  public static let previous = SnapshotName(stored: "previous")

  /// Creates a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name: 1 to 100 letters, digits, `.`, `-` and `_`, not beginning with a dot. Throws
  /// `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    guard (1...100).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "."),
      text.utf8.allSatisfy({ $0.isIdentifierByte || $0 == 0x2E || $0 == 0x2D })
    else {
      throw CloudError(
        .invalidArguments,
        "A snapshot name can contain at most 100 letters, digits, '.', '-' and '_': "
          + "'\(text.visible)'")
    }
    self.text = text
  }
}

/// Facts about a snapshot.
public struct SnapshotFacts: Sendable, Equatable {
  /// Its name.
  public let name: SnapshotName
  /// When it was saved, in whole seconds.
  public let made: Timestamp
  /// The bytes of its databases, without the contents of assets.
  public let bytes: Int64

  /// Creates the facts.
  public init(name: SnapshotName, made: Timestamp, bytes: Int64) {
    self.name = name
    self.made = made
    self.bytes = bytes
  }
}
