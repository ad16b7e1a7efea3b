/// A query that has a name: the words of its command.
public struct SavedQuery: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The words of the command, the verb first.
  public let words: [String]
  /// What it is for.
  public let about: String?

  /// Puts a query together.
  public init(name: String, words: [String], about: String?) {
    (self.name, self.words, self.about) = (name, words, about)
  }
}
