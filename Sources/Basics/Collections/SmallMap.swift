/// A map of a few entries, in two arrays. A dictionary costs a process that just started more: the
/// runtime looks through all conformances of the program for that of each new type of keys. An
/// array of pairs costs it more than two arrays, too: the runtime reads the type's mangled name.
public struct SmallMap<Key, Value> {
  /// The keys, in the order in which they came.
  public private(set) var keys: [Key] = []
  /// The values, in the order of their keys.
  public private(set) var values: [Value] = []

  /// The entries, in the order in which their keys came.
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

  /// The value of a key, or another one where there is none.
  public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    set { self[key] = newValue }
  }
}

extension SmallMap: Sendable where Key: Sendable, Value: Sendable {}

extension SmallMap: Equatable where Key: Equatable, Value: Equatable {
  /// Whether both have the same values for the same keys, in whatever order.
  public static func == (one: SmallMap, other: SmallMap) -> Bool {
    one.keys.count == other.keys.count
      && zip(one.keys, one.values).allSatisfy { other[$0] == $1 }
  }
}

extension SmallMap: ExpressibleByDictionaryLiteral where Key: Equatable {
  /// The entries of a literal.
  public init(dictionaryLiteral elements: (Key, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}
