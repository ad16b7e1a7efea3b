internal import Basics
internal import Glibc

/// A process of a program under test.
final class Child {
  private let words: [String]
  private let variables: [String: String]
  private(set) var process: pid_t = 0
  /// The input for commands that are written one by one.
  private var input: FileHandle?
  private var output: LineReader?

  init(_ words: [String], _ variables: [String: String]) {
    self.words = words
    self.variables = variables
  }

  /// How a process ended: its exit code, or 128 and the signal's number.
  struct End: Equatable {
    let code: Int32
    let isSignal: Bool
    var errors = ""
  }

  private struct CannotStart: Error {
    let words: [String]
    let number: Int32
  }

  private func spawn(input: Int32?, output: Int32?, errors: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_addopen(
      &actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var arguments = words.map { strdup($0) } + [nil]
    var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      arguments.forEach { free($0) }
      environment.forEach { free($0) }
    }
    let code = posix_spawn(&process, words[0], &actions, nil, &arguments, &environment)
    guard code == 0 else { throw CannotStart(words: words, number: code) }
  }

  // MARK: Running to the end

  /// The file for errors of programs that run to their end, a different one in each thread.
  static var errorsPath: String { "/tmp/ckdb-faults-\(getpid())-\(pthread_self()).errors" }

  /// Runs the program to its end. Throws if it cannot be started.
  func run(input: Int32? = nil, output: Int32? = nil) throws -> End {
    try spawn(input: input, output: output, errors: Self.errorsPath)
    var end = wait()
    defer { unlink(Self.errorsPath) }
    end.errors =
      ((try? FileSystem.contents(of: Self.errorsPath)).map { String(decoding: $0, as: UTF8.self) })
      ?? ""
    return end
  }

  /// Starts the program without waiting for it. Throws if it cannot be started.
  func start(input: Int32? = nil) throws {
    try spawn(input: input, output: nil, errors: "/dev/null")
  }

  /// Waits for the end; a process that hangs is killed after a minute.
  func wait() -> End {
    var status: Int32 = 0
    let deadline = Platform.monotonicMilliseconds + 60_000
    var pause: Int64 = 0
    while true {
      let found = waitpid(process, &status, WNOHANG)
      if found == process { break }
      if found < 0 && errno != EINTR { return End(code: 255, isSignal: false) }
      if Platform.monotonicMilliseconds > deadline {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return End(code: 124, isSignal: true)
      }
      var time = timespec(tv_sec: 0, tv_nsec: Int(pause) * 50_000)
      if pause > 0 { nanosleep(&time, nil) } else { sched_yield() }
      pause = min(pause + 1, 20)
    }
    let signal = status & 0x7F
    return signal != 0
      ? End(code: 128 + signal, isSignal: true)
      : End(code: (status >> 8) & 0xFF, isSignal: false)
  }

  func send(_ signal: Int32) { kill(process, signal) }

  // MARK: Line by line

  /// Starts the program so that it reads commands from here. Throws if it cannot be started.
  func open() throws {
    var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
      throw SystemError("pipe", words[0])
    }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    try spawn(input: toChild[0], output: fromChild[1], errors: "/dev/null")
    close(toChild[0])
    close(fromChild[1])
    input = FileHandle(descriptor: toChild[1], path: "commands", closesAtEnd: true)
    output = LineReader(
      FileHandle(descriptor: fromChild[0], path: "answers", closesAtEnd: true))
  }

  /// Runs a command that answers with one line; nil when the process is gone.
  func ask(_ line: String) -> String? {
    guard (try? input?.writeAll(Array((line + "\n").utf8))) != nil,
      let answer = try? output?.next()
    else { return nil }
    return String(decoding: answer, as: UTF8.self)
  }

  /// Runs a command to its end; returns the lines that it prints, nil when the process is gone.
  func perform(_ command: String) -> [String]? {
    // `version` prints one line, when everything before it is done.
    guard var line = ask("\(command)\nversion") else { return nil }
    var lines: [String] = []
    while !line.hasPrefix("ckdb ") {
      lines.append(line)
      guard let next = try? output?.next() else { return nil }
      line = String(decoding: next, as: UTF8.self)
    }
    return lines
  }

  /// Ends the commands and waits for the process.
  func finish() -> End {
    input = nil
    defer { output = nil }
    return wait()
  }
}
