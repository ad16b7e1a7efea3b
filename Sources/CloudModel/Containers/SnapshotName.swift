internal import Basics

/// The name of a snapshot of a store.
public struct SnapshotName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// What the store was before the last snapshot was restored.
  public static let previous = SnapshotName(stored: "previous")

  /// Takes a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name: 1 to 100 letters, digits, `.`, `-` and `_`, the first no dot. Throws
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

/// What is known of a snapshot.
public struct SnapshotFacts: Sendable, Equatable {
  /// Its name.
  public let name: SnapshotName
  /// When it was made, in whole seconds.
  public let made: Timestamp
  /// The bytes of its databases, without the contents of assets.
  public let bytes: Int64

  /// Puts facts together.
  public init(name: SnapshotName, made: Timestamp, bytes: Int64) {
    self.name = name
    self.made = made
    self.bytes = bytes
  }
}
