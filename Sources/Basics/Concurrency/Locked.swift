#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A value that threads use one at a time.
///
/// Synchronization's `Mutex` does the same, but ThreadSanitizer does not see how it orders threads,
/// and calls each use of its value a race; it knows the mutex of the C library. Like `Mutex` it is
/// no class: the runtime would make the type of each one at its first use.
public struct Locked<Value: Sendable>: ~Copyable, @unchecked Sendable {
  private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// Begins with a value.
  public init(_ value: Value) {
    self.value.initialize(to: value)
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Calls `body` with the value, which no other thread reads or changes meanwhile. Do not call it
  /// again in `body`: the lock is not recursive.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}
