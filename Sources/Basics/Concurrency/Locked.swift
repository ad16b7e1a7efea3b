#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A value protected by a lock.
///
/// Synchronization's `Mutex` does the same, but ThreadSanitizer does not see how it orders threads,
/// and reports each use of its value as a race; it knows the C library's mutex. Like `Mutex` this
/// is not a class: the runtime would create each type at its first use.
public struct Locked<Value: Sendable>: ~Copyable, @unchecked Sendable {
  private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// Creates a lock with an initial value.
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

  /// Calls `body` with exclusive access to the value. Do not call it again in `body`: the lock is
  /// not recursive.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}
