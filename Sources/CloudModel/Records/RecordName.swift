/// A record's name, unique within its zone whatever the type (R3.1.6).
public struct RecordName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// Takes a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name: 1 to 255 ASCII characters, no leading underscore but in the names of users.
  /// Throws `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    if !Self.isUserName(text) { try checkName(text, "record name") }
    self.text = text
  }
}
