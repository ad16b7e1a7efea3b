#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension ChildProcess {
  /// Replaces this process with another program, which gets the default signal actions. Throws
  /// `SystemError` if that fails.
  public static func replace(
    _ words: [String], _ variables: [String: String]
  ) throws(SystemError) -> Never {
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    let arguments = words.map { strdup($0) } + [nil]
    let environment =
      variables.sorted { utf8Precedes($0.key, $1.key) }.map { strdup("\($0.key)=\($0.value)") }
      + [nil]
    execve(words[0], arguments, environment)
    throw SystemError("run", words[0])
  }
}

/// A program that runs alongside this one and prints a line when it is ready.
public final class ServingProcess {
  private let process: pid_t
  private let reading: FileHandle

  /// Starts a program, which shares this process's standard error. Throws `SystemError` if it
  /// cannot be run.
  public init(_ words: [String], _ variables: [String: String]) throws(SystemError) {
    let (reading, writing) = try FileHandle.pipeEnds(to: words[0])
    self.reading = reading
    process = try ChildProcess.spawn(
      words, variables, output: writing.descriptor, errors: 2)
  }

  /// Waits for the first line that it prints; nil if it ends before.
  public func firstLine() -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = withUnsafeMutableBytes(of: &byte) { (try? reading.read(into: $0)) ?? 0 }
      guard count == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(validating: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  /// Waits until it ends. Returns its exit code, or 128 plus the number of the signal that ended
  /// it.
  @discardableResult
  public func finish() -> Int32 { ChildProcess.wait(for: process) ?? 127 }

  /// Asks it to terminate, and waits for that.
  public func stop() {
    kill(process, SIGTERM)
    finish()
  }
}
