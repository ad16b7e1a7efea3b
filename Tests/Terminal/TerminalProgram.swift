import Basics
import Glibc
import TestSupport

/// The program on a terminal, as for a user: keys go in, the screen's contents come out.
///
/// The terminal is a pseudo-terminal of which the program is the session leader, so that ^C and ^D
/// have their usual effects.
final class TerminalProgram {
  /// An event that did not happen.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The end of the program.
  enum End: Equatable {
    case code(Int32)
    case signal(Int32)
  }

  /// The directory must exist as long as this object.
  private let program: RealProgram
  private let master: FileHandle
  private var process: pid_t = 0
  /// The screen's text, without the sequences that move the cursor and set modes.
  private(set) var screen = ""
  private var raw: [UInt8] = []
  /// The length of the screen's text that `expect` has seen.
  private var seen = 0
  private static let patienceMilliseconds: Int64 = 60_000

  /// Starts the program of `RealProgram` with words in its directory, or with a line of the shell.
  init(
    _ program: RealProgram, _ words: [String] = [], shell line: String? = nil,
    columns: UInt16 = 80, variables: [String: String] = [:], blocking signals: [Int32] = []
  ) throws {
    self.program = program
    var (descriptor, slave): (Int32, Int32) = (-1, -1)
    // Not by `ttyname`: concurrent tests would share its one buffer, and their terminals.
    var name = [CChar](repeating: 0, count: 64)
    guard openpty(&descriptor, &slave, nil, nil, nil) == 0,
      ttyname_r(slave, &name, name.count) == 0
    else {
      throw SystemError("open", "a terminal")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    master = FileHandle(descriptor: descriptor, path: name.text, closesAtEnd: true)
    // The program opens it by its name, and then has it alone.
    defer { close(slave) }
    try resize(columns: columns)
    let home = program.directory.path
    var all = [
      "HOME": home, "TERM": "xterm", "LANG": "C.UTF-8", "CKDB_STORE": home + "/store",
      "CKDB_HISTORY": home + "/history", "INPUTRC": "/dev/null", "TMPDIR": home,
      "PATH": "/usr/bin:/bin",
    ]
    all.merge(RealProgram.instrumentation) { $1 }
    all.merge(variables) { $1 }
    let command = line.map { ["/bin/sh", "-c", $0] } ?? [RealProgram.path] + words
    try spawn(command, all, blocking: signals)
  }

  deinit {
    if process > 0 {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
  }

  private func spawn(
    _ words: [String], _ variables: [String: String], blocking signals: [Int32]
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session leader opens controls it.
    posix_spawn_file_actions_addopen(&actions, 0, master.path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in signals { sigaddset(&blocked, number) }
    posix_spawnattr_setsigmask(&attributes, &blocked)
    let newSession: Int32 = 0x80
    posix_spawnattr_setflags(
      &attributes, Int16(newSession | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var arguments = words.map { strdup($0) } + [nil]
    var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      arguments.forEach { free($0) }
      environment.forEach { free($0) }
    }
    let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &environment)
    guard code == 0 else { throw SystemError("run", words[0], number: code) }
  }

  // MARK: Input

  /// The keys of control characters.
  enum Key {
    static let enter = "\r"
    static let tab = "\t"
    static let interrupt = "\u{3}"
    static let end = "\u{4}"
    static let clear = "\u{C}"
    static let up = "\u{1B}[A"
  }

  /// Types text.
  func type(_ text: String) throws { try master.writeAll(Array(text.utf8)) }

  /// Types a line.
  func enter(_ line: String) throws { try type(line + Key.enter) }

  /// Pastes text with a terminal's marks.
  func paste(_ text: String) throws { try type("\u{1B}[200~\(text)\u{1B}[201~") }

  /// Puts the terminal in raw mode: keys go to the program unchanged.
  func makeRaw() throws {
    var modes = termios()
    guard tcgetattr(master.descriptor, &modes) == 0 else {
      throw SystemError("read the modes of", master.path)
    }
    cfmakeraw(&modes)
    guard tcsetattr(master.descriptor, TCSANOW, &modes) == 0 else {
      throw SystemError("set the modes of", master.path)
    }
  }

  /// Resizes the terminal.
  func resize(columns: UInt16) throws {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(master.descriptor, UInt(TIOCSWINSZ), &size) == 0 else {
      throw SystemError("resize", master.path)
    }
  }

  /// Sends a signal to the program.
  func send(_ signal: Int32) { kill(process, signal) }

  /// Waits until the program is at work: until it has used some time of the processor.
  func expectWork() throws {
    let before = usedTicks()
    try wait(for: "work") { usedTicks() >= before + 10 }
  }

  /// Waits until the program has opened a file, by the end of its path.
  func expectOpen(_ name: String) throws {
    let folder = "/proc/\(process)/fd"
    try wait(for: name) {
      ((try? FileSystem.list(folder)) ?? []).contains { file in
        Self.target(of: "\(folder)/\(file)").hasSuffix(name)
      }
    }
  }

  /// Waits until the program sleeps because nothing reads its output.
  func expectFullOutput() throws {
    try wait(for: "full output") {
      var waiting = pollfd(fd: master.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, 0) == 1 && status(1) == "S"
    }
  }

  private static func target(of link: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map {
        readlink(link, $0.assumingMemoryBound(to: CChar.self), buffer.count)
      } ?? 0
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func wait(for what: String, _ isThere: () -> Bool) throws {
    let end = Platform.monotonicMilliseconds + Self.patienceMilliseconds
    while !isThere() {
      guard Platform.monotonicMilliseconds < end else {
        throw Failure(description: "no \(what); the screen has '\(screen)'")
      }
      usleep(5_000)
    }
  }

  /// The time of the processor that the program has used, in hundredths of a second.
  private func usedTicks() -> Int { (Int(status(12)) ?? 0) + (Int(status(13)) ?? 0) }

  /// A word of the process's status after its name (proc(5)); empty if it has ended.
  private func status(_ place: Int) -> Substring {
    let bytes = (try? FileSystem.contents(of: "/proc/\(process)/stat")) ?? []
    let text = String(decoding: bytes, as: UTF8.self)
    let words = text.drop { $0 != ")" }.split(separator: " ")
    return place < words.count ? words[place] : ""
  }

  // MARK: Output

  /// Waits until a text appears on the screen after the last expected one; returns the text between
  /// them.
  @discardableResult
  func expect(_ text: String) throws -> String {
    let end = Platform.monotonicMilliseconds + Self.patienceMilliseconds
    while true {
      let rest = screen.utf8.dropFirst(seen)
      if let found = Array(rest).firstIndex(of: Array(text.utf8)) {
        seen += found + text.utf8.count
        return String(decoding: rest.prefix(found), as: UTF8.self)
      }
      guard Platform.monotonicMilliseconds < end, try read() else {
        throw Failure(
          description: "no '\(text)' after '\(String(decoding: rest, as: UTF8.self))'")
      }
    }
  }

  /// Waits for the prompt.
  @discardableResult
  func expectPrompt() throws -> String { try expect("private> ") }

  /// Waits for the end of the program.
  func expectEnd() throws -> End {
    let end = Platform.monotonicMilliseconds + Self.patienceMilliseconds
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      guard Platform.monotonicMilliseconds < end else {
        throw Failure(description: "the program goes on; the screen has '\(screen)'")
      }
      // Its last output must not block it.
      _ = try read(waiting: 10)
    }
    process = 0
    while try read(waiting: 0) {}
    let signal = status & 0x7F
    return signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal)
  }

  /// Whether the program ends within ten seconds while nothing reads its output.
  func endsUnread() -> Bool {
    for _ in 0..<1000 {
      var info = siginfo_t()
      let answer = waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
      if answer == 0, info._sifields._sigchld.si_pid == process { return true }
      usleep(10_000)
    }
    return false
  }

  /// Waits until the program is stopped.
  func expectStop() throws {
    var status: Int32 = 0
    guard waitpid(process, &status, WUNTRACED) == process, status & 0xFF == 0x7F else {
      throw Failure(description: "the program did not stop: \(status)")
    }
  }

  /// The current lines of a screen of 24 lines.
  func lines(columns: Int = 80) -> [String] {
    var model = ScreenModel(columns: columns, rows: 24)
    model.take(raw)
    return model.lines
  }

  /// Whether a line of the screen begins with a text, or contains it, within ten seconds.
  func shows(_ text: String, columns: Int) throws -> Bool {
    let end = Platform.monotonicMilliseconds + 10_000
    while Platform.monotonicMilliseconds < end {
      if lines(columns: columns).contains(where: { ($0 + " ").contains(text) }) { return true }
      guard try read(waiting: 100) || process > 0 else { return false }
    }
    return false
  }

  /// Whether the screen has had a color.
  func hasColor(_ code: String) -> Bool {
    String(decoding: raw, as: UTF8.self).contains("\u{1B}[\(code)m")
  }

  /// Whether the screen has had an escape sequence.
  var hasEscapes: Bool { raw.contains(0x1B) }

  /// Reads the program's output; false if it writes no more, or nothing in time.
  private func read(waiting milliseconds: Int32 = 1000) throws -> Bool {
    var request = pollfd(fd: master.descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(&request, 1, milliseconds)
    if ready == 0 { return milliseconds >= 1000 }
    if ready < 0 { return errno == EINTR }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(master.descriptor, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    raw += bytes.prefix(count)
    screen = Self.text(of: raw)
    return true
  }

  /// The text that a terminal was sent, without escape sequences and carriage returns.
  private static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x1B:
        let kind = rest.popFirst()
        guard kind == UInt8(ascii: "[") else { continue }
        while let next = rest.popFirst(), !(0x40...0x7E).contains(next) {}
      case 0x0D, 0x07: continue
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The first place of other bytes.
  fileprivate func firstIndex(of part: [UInt8]) -> Int? {
    guard count >= part.count else { return nil }
    return (0...(count - part.count)).first { self[$0...].starts(with: part) }
  }
}

extension [CChar] {
  /// The text up to its first zero.
  fileprivate var text: String {
    String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
