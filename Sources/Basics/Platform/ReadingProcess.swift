#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Another program that reads what this one writes, such as a pager.
public final class ReadingProcess {
  /// Its standard input.
  public let output: ByteOutput
  private let process: pid_t
  private var end: FileHandle?

  /// Starts a program, whose output and errors go to those of this one. Throws `SystemError` for a
  /// program that cannot be run.
  public init(_ words: [String], _ variables: [String: String]) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("open", "a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reading = FileHandle(descriptor: ends[0], path: words[0], closesAtEnd: true)
    let writing = FileHandle(descriptor: ends[1], path: words[0], closesAtEnd: true)
    process = try ChildProcess.spawn(
      words, variables, input: reading.descriptor, output: 1, errors: 2)
    output = ByteOutput(writing)
    end = writing
  }

  /// Ends its input and waits for its end. Returns its exit code, or 128 and the number of the
  /// signal that ended it.
  @discardableResult
  public func finish() -> Int32 {
    output.close()
    end = nil
    return ChildProcess.wait(for: process) ?? 127
  }
}
