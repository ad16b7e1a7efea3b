#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Does something again and again on a thread of its own, until it is stopped.
public final class Ticker {
  private let worker: Worker
  private let waiting: FileHandle
  private let stopping: FileHandle

  /// Calls `body` for the first time after some milliseconds, then at intervals. Signals go to
  /// other threads. Throws `SystemError` where no thread can be started.
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

  /// Ends the thread, at once unless `body` runs. Call it once.
  public func stop() {
    try? stopping.writeAll([0])
    worker.join()
  }
}
