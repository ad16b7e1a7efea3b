#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Runs work repeatedly on its own thread, until it is stopped.
public final class Ticker {
  private let worker: Worker
  private let waiting: FileHandle
  private let stopping: FileHandle

  /// Calls `body` first after some milliseconds, then at intervals. The thread blocks signals, so
  /// that other threads get them. Throws `SystemError` if no thread can be started.
  public init(
    after first: Int, every interval: Int, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    (waiting, stopping) = try FileHandle.pipeEnds(to: "a thread")
    let descriptor = waiting.descriptor
    worker = try Worker {
      _ = Interrupt.leaveToOthers()
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      var pause = Int32(first)
      while poll(&request, 1, pause) == 0 {
        body()
        pause = Int32(interval)
      }
    }
  }

  /// Ends the thread, immediately unless `body` is running. Call it once.
  public func stop() {
    try? stopping.writeAll([0])
    worker.join()
  }
}
