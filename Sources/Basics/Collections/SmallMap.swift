/// A map of a few entries, in an array. A dictionary costs a process that just started more: the
/// runtime looks through all conformances of the program for that of each new type of keys.
public struct SmallMap<Key, Value> {
  /// The entries, in the order in which their keys came.
  public private(set) var entries: [(key: Key, value: Value)] = []

  /// An empty map.
  public init() {}

  /// Whether the map is empty.
  public var isEmpty: Bool { entries.isEmpty }
}

extension SmallMap where Key: Equatable {
  /// The value of a key; nil for none. Setting nil removes the entry.
  public subscript(key: Key) -> Value? {
    get { index(of: key).map { entries[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append((key, value))
      case (nil, nil): return
      }
    }
  }

  /// The value of a key, or another one where there is none.
  public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    set { self[key] = newValue }
  }

  private func index(of key: Key) -> Int? { entries.firstIndex { $0.key == key } }
}

extension SmallMap: Sendable where Key: Sendable, Value: Sendable {}

extension SmallMap: Equatable where Key: Equatable, Value: Equatable {
  /// Whether both have the same values for the same keys, in whatever order.
  public static func == (one: SmallMap, other: SmallMap) -> Bool {
    one.entries.count == other.entries.count
      && one.entries.allSatisfy { other[$0.key] == $0.value }
  }
}

extension SmallMap: ExpressibleByDictionaryLiteral where Key: Equatable {
  /// The entries of a literal.
  public init(dictionaryLiteral elements: (Key, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}
