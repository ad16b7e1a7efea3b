#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Another program that reads this one's output, such as a pager.
public final class ReadingProcess {
  /// Its standard input.
  public let output: ByteOutput
  private let process: pid_t

  /// Starts a program whose output and errors go to this process's. In its own process group it can
  /// be terminated with all that it starts, but gets no signals of the terminal. Throws
  /// `SystemError` if the program cannot be run.
  public init(
    _ words: [String], _ variables: [String: String], inOwnGroup: Bool = false
  ) throws(SystemError) {
    let (reading, writing) = try FileHandle.pipeEnds(to: words[0])
    process = try ChildProcess.spawn(
      words, variables, input: reading.descriptor, output: 1, errors: 2, inOwnGroup: inOwnGroup)
    output = ByteOutput(writing)
  }

  /// Closes its input and waits until it exits; a signal that ends this process ends it, too.
  /// Returns its exit code, or 128 plus the number of the signal that ended it.
  @discardableResult
  public func finish() -> Int32 {
    output.close()
    return ChildProcess.wait(for: process) { [process] in
      if Interrupt.endsProcess { kill(process, SIGTERM) }
    } ?? 127
  }

  /// Closes its input and waits until it exits. Returns its exit code as `finish()`, or nil if it
  /// still runs at an interruption.
  public func finish(_ interruption: Interruption) -> Int32? {
    output.close()
    var pause: Int64 = 1
    while !interruption.isRaised {
      if let code = ChildProcess.exitCode(of: process) { return code }
      Platform.sleep(milliseconds: interruption.limit(pause))
      pause = min(pause * 2, 20)
    }
    return nil
  }

  /// Sends SIGTERM to its process group, and waits half a second at most until it exits.
  public func terminate() {
    kill(-process, SIGTERM)
    _ = finish(Interruption(deadline: Platform.monotonicMilliseconds + 500))
  }
}
