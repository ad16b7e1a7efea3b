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
  // Inlinable, because generic code that is not costs a fifth of a query in packages that use the
  // library: those are not optimized across modules.
  @usableFromInline let value: UnsafeMutablePointer<Value>
  @usableFromInline let lock: PlainLock

  /// Creates a lock with an initial value.
  @inlinable public init(_ value: consuming Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    lock = PlainLock()
  }

  @inlinable deinit {
    lock.destroy()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Calls `body` with exclusive access to the value. Do not call it again in `body`: the lock is
  /// not recursive.
  @inlinable public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

/// The C library's mutex.
@usableFromInline struct PlainLock {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline init() {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  @usableFromInline func lock() { pthread_mutex_lock(mutex) }

  @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

  @usableFromInline func destroy() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }
}
