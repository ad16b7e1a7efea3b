/// A record's name, unique within its zone regardless of type (R3.1.6).
public struct RecordName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// Creates a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name: 1 to 255 ASCII characters, without a leading underscore except in users' names.
  /// Throws `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    if !Self.isUserName(text) { try checkName(text, "record name") }
    self.text = text
  }
}
