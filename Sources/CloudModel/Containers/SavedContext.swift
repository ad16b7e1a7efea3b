internal import Basics

/// Saved defaults for later commands: texts by the names of their options, such as `container`,
/// `zone` and `user`, in the order in which they were saved.
public struct SavedContext: Sendable, Equatable {
  private var values: SmallMap<String, String> = [:]

  /// An empty context.
  public init() {}

  /// The names and texts, the oldest first.
  public var entries: [(key: String, value: String)] { values.entries }

  /// Whether nothing is saved.
  public var isEmpty: Bool { values.isEmpty }

  /// The text of an option; nil for none. A text that is set becomes the newest.
  public subscript(_ name: String) -> String? {
    get { values[name] }
    set {
      values[name] = nil
      values[name] = newValue
    }
  }

  /// Sets the texts of another context.
  public mutating func merge(_ other: SavedContext) {
    for (name, text) in other.entries { self[name] = text }
  }
}
