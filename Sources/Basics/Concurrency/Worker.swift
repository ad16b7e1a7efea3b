#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A thread that runs one piece of work concurrently with the caller.
///
/// Uses a thread of the C library rather than a task: nothing here waits asynchronously, and a
/// program that never works in parallel should not start the concurrency runtime. The work
/// continues if the worker is released.
public final class Worker: @unchecked Sendable {
  private var thread = pthread_t()
  private let body: @Sendable () -> Void
  private var isJoined = false

  /// Starts the work immediately. Throws `SystemError` if there are too many threads or too little
  /// memory for another one.
  public init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    self.body = body
    let unmanaged = Unmanaged.passRetained(self)
    let code = pthread_create(&thread, nil, { Worker.run($0) }, unmanaged.toOpaque())
    guard code == 0 else {
      unmanaged.release()
      throw SystemError("start", "a thread", number: code)
    }
  }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }

  /// Detaches a thread that was never joined: its stack would otherwise stay allocated.
  deinit { if !isJoined { pthread_detach(thread) } }

  /// Waits for the work to end. Call it once: the system may reuse the ID of a joined thread.
  public func join() {
    precondition(!isJoined, "the thread has been joined already")
    isJoined = true
    pthread_join(thread, nil)
  }
}
