#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A command that is run and measured from the outside.
struct ChildProcess {
  /// The words, the first being the program.
  var words: [String]
  /// The file for standard input; nil means empty input.
  var input: String?
  /// The file for standard output; nil discards it.
  var output: String?

  init(_ words: [String], input: String? = nil, output: String? = nil) {
    self.words = words
    self.input = input
    self.output = output
  }

  /// The cost of a run.
  struct Measure {
    /// Wall time.
    var milliseconds: Double
    /// Peak memory, in kilobytes.
    var peakKilobytes: Int
    /// Accesses to pages that were not mapped.
    var pageFaults: Int
  }

  /// A command that failed.
  struct Failure: Error {
    var words: [String]
    var code: Int32
  }

  /// Runs the command and waits for it. Throws `Failure`.
  @discardableResult
  func run() throws -> Measure {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(
      &actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    let start = Self.now
    var process = pid_t()
    let code = posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
    guard code == 0 else { throw Failure(words: words, code: code) }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
    let end = Self.now
    guard status == 0 else { throw Failure(words: words, code: status >> 8) }
    return Measure(
      milliseconds: end - start, peakKilobytes: Int(usage.ru_maxrss),
      pageFaults: Int(usage.ru_minflt + usage.ru_majflt))
  }

  /// The output of a command without its last line end; empty when it fails.
  static func text(_ words: [String]) -> String {
    let path = "/tmp/ckdb-bench-\(getpid()).txt"
    defer { unlink(path) }
    guard (try? ChildProcess(words, output: path).run()) != nil else { return "" }
    return TextFile.read(path).split(separator: "\n").first.map(String.init) ?? ""
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}

/// Small text files.
enum TextFile {
  static func write(_ path: String, _ text: String) {
    guard let file = fopen(path, "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  static func read(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }
}
