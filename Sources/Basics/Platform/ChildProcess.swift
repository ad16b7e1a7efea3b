internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Another program that runs while this one waits; signals to this process are forwarded to it.
public enum ChildProcess {
  /// Runs a program until it exits and returns its exit code, or 128 plus the number of the signal
  /// that ended it. `output` and `errors` are the descriptors of its streams.
  ///
  /// Throws `SystemError` for a program that cannot be run.
  public static func run(
    _ words: [String], _ variables: [String: String], output: Int32, errors: Int32
  ) throws(SystemError) -> Int32 {
    child.store(0, ordering: .relaxed)
    pending.store(0, ordering: .relaxed)
    let before = passedOn.map { ($0, SignalAction(of: $0)) }.filter {
      // As `nohup` requires.
      $0.0 != SIGHUP || !$0.1.isIgnored
    }
    for (number, _) in before { SignalAction(informing: passOn).install(for: number) }
    defer { for (number, action) in before { action.install(for: number) } }
    let process = try spawn(
      words, variables, output: output, errors: errors, caught: before.map(\.0))
    child.store(process, ordering: .relaxed)
    // A signal that came before the process was known.
    let early = pending.load(ordering: .relaxed)
    if early != 0 { kill(process, early) }
    defer { child.store(0, ordering: .relaxed) }
    guard let code = wait(for: process) else { throw SystemError("wait for", words[0]) }
    return code
  }

  /// Starts a program in the background, with `/dev/null` as its input and output. Throws
  /// `SystemError` for a program that cannot be run.
  public static func start(
    _ words: [String], _ variables: [String: String]
  ) throws(SystemError) {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { throw SystemError("open", "/dev/null") }
    defer { close(null) }
    let process = try spawn(words, variables, input: null, output: null, errors: null)
    _ = try? Worker { _ = wait(for: process) }
  }

  /// Waits until a process exits and returns its exit code, or 128 plus the number of the signal
  /// that ended it; nil, with the reason in `errno`, if the system does not know. `look` is called
  /// first, and after each signal.
  static func wait(for process: pid_t, _ look: () -> Void = {}) -> Int32? {
    var status: Int32 = 0
    look()
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
      look()
    }
    return exitCode(status)
  }

  /// The exit code of a process as `wait` returns it; nil while it runs.
  static func exitCode(of process: pid_t) -> Int32? {
    var status: Int32 = 0
    let found = waitpid(process, &status, WNOHANG)
    if found == 0 || found < 0 && errno == EINTR { return nil }
    return found < 0 ? 127 : exitCode(status)
  }

  private static func exitCode(_ status: Int32) -> Int32 {
    let signalNumber = status & 0x7F
    return signalNumber == 0 ? (status >> 8) & 0xFF : 128 + signalNumber
  }

  // MARK: Signals

  private static let child = Atomic<Int32>(0)
  private static let pending = Atomic<Int32>(0)
  private static let passedOn = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

  private static let passOn:
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
      number, info, _ in
      // The child gets a terminal's signals itself: the kernel's codes are positive.
      if let info, info.pointee.si_code > 0, number == SIGINT || number == SIGQUIT { return }
      let process = ChildProcess.child.load(ordering: .relaxed)
      if process > 0 {
        kill(process, number)
      } else {
        ChildProcess.pending.store(number, ordering: .relaxed)
      }
    }

  // MARK: Starting

  static func spawn(
    _ words: [String], _ variables: [String: String], input: Int32 = 0, output: Int32,
    errors: Int32, caught: [Int32] = [], inOwnGroup: Bool = false
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input != 0 { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    if output != 1 { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    if errors != 2 { posix_spawn_file_actions_adddup2(&actions, errors, 2) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The child gets the default signal actions that it would have without this process.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in caught + [SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    let group = inOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))
    var arguments = words.map { strdup($0) } + [nil]
    var environment =
      variables.sorted { utf8Precedes($0.key, $1.key) }.map { strdup("\($0.key)=\($0.value)") }
      + [nil]
    defer {
      arguments.forEach { free($0) }
      environment.forEach { free($0) }
    }
    var process: pid_t = 0
    let path = find(words[0], variables["PATH"] ?? "/usr/bin:/bin")
    let code = posix_spawn(&process, path, &actions, &attributes, &arguments, &environment)
    guard code == 0 else { throw SystemError("run", words[0], number: code) }
    return process
  }

  /// Finds the first file with a name in the directories of a search path, the child's rather than
  /// this process's.
  private static func find(_ name: String, _ path: String) -> String {
    if name.utf8.contains(UInt8(ascii: "/")) { return name }
    for directory in path.split(separator: ":", omittingEmptySubsequences: false) {
      let candidate = directory.isEmpty ? name : "\(directory)/\(name)"
      if access(candidate, X_OK) == 0, !FileSystem.isDirectory(candidate) { return candidate }
    }
    return name
  }
}
