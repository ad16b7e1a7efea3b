#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A bounded queue between two threads.
public final class Channel<Item: Sendable>: @unchecked Sendable {
  private var items: [Item] = []
  private var isClosed = false
  private let capacity: Int
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Creates a queue for at most `capacity` items.
  public init(capacity: Int) {
    self.capacity = capacity
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Waits for room and adds an item; returns false if the other side has closed the queue.
  public func send(_ item: Item) -> Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while items.count >= capacity && !isClosed { pthread_cond_wait(changed, lock) }
    if isClosed { return false }
    items.append(item)
    pthread_cond_broadcast(changed)
    return true
  }

  /// Waits for an item and takes it; returns nil when the queue is closed and empty.
  public func receive() -> Item? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while items.isEmpty && !isClosed { pthread_cond_wait(changed, lock) }
    if items.isEmpty { return nil }
    pthread_cond_broadcast(changed)
    return items.removeFirst()
  }

  /// Waits for an item for at most the given time and takes it; nil if none came.
  public func receive(milliseconds: Int) -> Item? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let nanoseconds = end.tv_nsec + milliseconds * 1_000_000
    end.tv_sec += nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    while items.isEmpty && !isClosed {
      guard pthread_cond_timedwait(changed, lock, &end) == 0 else { return nil }
    }
    if items.isEmpty { return nil }
    pthread_cond_broadcast(changed)
    return items.removeFirst()
  }

  /// Takes an item if there is one.
  public func tryReceive() -> Item? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return items.isEmpty ? nil : items.removeFirst()
  }

  /// Closes the queue: no more items can be sent, but its items can still be received.
  public func close() {
    pthread_mutex_lock(lock)
    isClosed = true
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(lock)
  }
}
