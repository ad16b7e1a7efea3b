/// A dictionary that only grows, and whose copies share their entries: a copy takes no time.
/// Putting a copy back drops what was added since; the other copies must not be used then.
public struct GrowingMap<Key: Hashable, Value> {
  private final class Storage {
    var values: [Key: Value] = [:]
    var keys: [Key] = []

    func drop(from count: Int) {
      while keys.count > count { values[keys.removeLast()] = nil }
    }
  }

  private let storage = Storage()
  private var count = 0

  /// Creates an empty dictionary.
  public init() {}

  /// The value of a key; nil for none.
  public subscript(_ key: Key) -> Value? {
    storage.drop(from: count)
    return storage.values[key]
  }

  /// The keys, in the order they were added.
  public var keys: ArraySlice<Key> { storage.keys.prefix(count) }

  /// Adds a value, unless the key has one.
  public mutating func add(_ key: Key, _ value: Value) {
    storage.drop(from: count)
    guard storage.values[key] == nil else { return }
    storage.values[key] = value
    storage.keys.append(key)
    count += 1
  }
}
