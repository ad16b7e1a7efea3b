/// A saved query: the words of its command.
public struct SavedQuery: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The words of the command, the verb first.
  public let words: [String]
  /// Its description.
  public let about: String?

  /// Creates a query.
  public init(name: String, words: [String], about: String?) {
    (self.name, self.words, self.about) = (name, words, about)
  }
}
