/// A map of a few entries, in two arrays. A dictionary is slower in a process that just started:
/// for each new key type the runtime searches all the program's conformances. So is an array of
/// pairs: the runtime reads the type's mangled name.
public struct SmallMap<Key, Value> {
  /// The keys, in order of insertion.
  public private(set) var keys: [Key] = []
  /// The values, in the order of their keys.
  public private(set) var values: [Value] = []

  /// The entries, in order of insertion.
  public var entries: [(key: Key, value: Value)] { Array(zip(keys, values)) }

  /// An empty map.
  public init() {}

  /// Whether the map is empty.
  public var isEmpty: Bool { keys.isEmpty }
}

extension SmallMap where Key: Equatable {
  /// The value of a key; nil for none. Setting nil removes the entry.
  public subscript(key: Key) -> Value? {
    get { keys.firstIndex(of: key).map { values[$0] } }
    set {
      switch (keys.firstIndex(of: key), newValue) {
      case (let index?, let value?): values[index] = value
      case (let index?, nil):
        keys.remove(at: index)
        values.remove(at: index)
      case (nil, let value?):
        keys.append(key)
        values.append(value)
      case (nil, nil): return
      }
    }
  }

  /// The value of a key, or a default value.
  public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    set { self[key] = newValue }
  }
}

extension SmallMap: Sendable where Key: Sendable, Value: Sendable {}

extension SmallMap: Equatable where Key: Equatable, Value: Equatable {
  /// Whether both have the same values for the same keys, in any order.
  public static func == (one: SmallMap, other: SmallMap) -> Bool {
    one.keys.count == other.keys.count
      && zip(one.keys, one.values).allSatisfy { other[$0] == $1 }
  }
}

extension SmallMap: ExpressibleByDictionaryLiteral where Key: Equatable {
  /// Creates a map from a literal.
  public init(dictionaryLiteral elements: (Key, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}
