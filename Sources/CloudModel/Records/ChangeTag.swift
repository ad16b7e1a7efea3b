/// The version of a record: an opaque text that every save renews (`recordChangeTag`).
///
/// CloudKit's format is opaque; ours is the store's sequence number in base 36.
public struct ChangeTag: Sendable, Hashable {
  /// The tag's text.
  public let text: String

  /// The tag of a sequence number.
  public init(sequence: Int64) { text = String(sequence, radix: 36) }

  /// A tag as a client gives it; one that no record has simply never matches.
  public init(given text: String) { self.text = text }
}
