/// A list whose copies share their elements, so that a copy takes no time whatever its length.
/// Putting a copy back drops what was appended since; the other copies must not be used then.
public struct GrowingList<Element> {
  private final class Storage {
    var elements: [Element] = []
  }

  private let storage = Storage()
  /// The number of elements.
  public private(set) var count = 0

  /// Creates an empty list.
  public init() {}

  /// The elements, in the order they were appended.
  public var elements: ArraySlice<Element> { storage.elements.prefix(count) }

  /// Appends an element.
  public mutating func append(_ element: Element) {
    storage.elements.removeLast(storage.elements.count - count)
    storage.elements.append(element)
    count += 1
  }

  /// Appends elements.
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }
}
