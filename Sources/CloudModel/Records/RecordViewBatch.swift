/// Copies of views that stay valid while the store reads on, for writing in another thread.
public final class RecordViewBatch {
  private var views: [RecordView] = []
  /// How many of the views are in use; the others are kept for reuse.
  private var count = 0
  private var bytes: UnsafeMutableRawBufferPointer
  private var used = 0
  private static let most = 512

  /// An empty batch.
  public init() { bytes = .allocate(byteCount: 1 << 17, alignment: 16) }

  deinit { bytes.deallocate() }

  /// Whether it has no views.
  public var isEmpty: Bool { count == 0 }

  /// Adds a copy of a view, or returns false if the batch is full. An empty batch has room
  /// for any view.
  public func add(_ view: RecordView) -> Bool {
    let size = view.size
    if used + size > bytes.count {
      guard isEmpty else { return false }
      bytes.deallocate()
      bytes = .allocate(byteCount: size, alignment: 16)
    }
    guard count < Self.most else { return false }
    let copy = copy(of: view.shape)
    copy.name = keep(view.name)
    copy.parent = view.parent
    copy.system = view.system
    view.values.withUnsafeBufferPointer { values in
      if copy.values.count != values.count {
        copy.values = Array(repeating: .none, count: values.count)
      }
      copy.values.withUnsafeMutableBufferPointer { copies in
        for place in values.indices { copies[place] = keep(values[place]) }
      }
    }
    count += 1
    return true
  }

  private func keep(_ value: RecordView.Value) -> RecordView.Value {
    switch value {
    case .none, .value: value
    case .text(let text): .text(keep(text))
    case .plainList(let text): .plainList(keep(text))
    case .references(let text): .references(keep(text))
    }
  }

  /// Returns the next view to fill, with the given shape.
  private func copy(of shape: RecordView.Shape) -> RecordView {
    if count == views.count { views.append(RecordView(shape)) }
    if views[count].shape !== shape { views[count] = RecordView(shape) }
    return views[count]
  }

  private func keep(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let place = UnsafeMutableRawBufferPointer(rebasing: bytes[used..<(used + text.count)])
    place.copyMemory(from: text)
    used += text.count
    return UnsafeRawBufferPointer(place)
  }

  /// Passes all views to `body`, in their order.
  public func forEach(_ body: (RecordView) -> Void) {
    for view in views[..<count] { body(view) }
  }

  /// Removes all views.
  public func removeAll() { (count, used) = (0, 0) }
}

extension RecordView {
  /// The size of its texts in bytes.
  fileprivate var size: Int {
    values.reduce(name.count) { size, value in
      switch value {
      case .none, .value: size
      case .text(let text), .plainList(let text), .references(let text): size + text.count
      }
    }
  }
}
