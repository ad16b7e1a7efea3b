/// A queue: elements leave it in the order in which they came.
public struct FIFOQueue<Element> {
  private var elements: [Element?] = []
  private var next = 0
  /// How many places of elements that left are kept before the others move up.
  private static var mostEmpty: Int { 1000 }

  /// Creates an empty queue.
  public init() {}

  /// The number of elements.
  public var count: Int { elements.count - next }

  /// Whether it has no elements.
  public var isEmpty: Bool { next == elements.count }

  /// Appends an element.
  public mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the first element and returns it; nil if the queue is empty.
  public mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[next].take()
    next += 1
    if next == elements.count {
      elements.removeAll(keepingCapacity: true)
      next = 0
    } else if next > Self.mostEmpty {
      elements.removeFirst(next)
      next = 0
    }
    return element
  }
}
