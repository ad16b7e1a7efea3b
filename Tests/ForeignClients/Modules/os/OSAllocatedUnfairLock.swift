import Foundation

/// A value that a lock protects.
public final class OSAllocatedUnfairLock<State>: @unchecked Sendable {
  fileprivate let lock = NSLock()
  private var state: State

  /// A lock around a value.
  public init(initialState: State) { state = initialState }

  /// Calls `body` with the value while no other thread has it.
  public func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }

  /// Calls `body` with the value while no other thread has it.
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    try withLock(body)
  }
}

extension OSAllocatedUnfairLock where State == Void {
  /// A lock without a value.
  public convenience init() { self.init(initialState: ()) }

  /// Calls `body` while no other thread is in such a call.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
