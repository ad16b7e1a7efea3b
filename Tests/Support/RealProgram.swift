internal import Basics
internal import Glibc

/// The real program, built next to the tests or named by CKDB_PROGRAM: for tests that need a
/// separate process.
public struct RealProgram: Sendable {
  /// The working directory.
  public let directory: TemporaryDirectory
  /// Variables besides those of every run.
  public var variables: [String: String] = [:]

  /// The program's file.
  public static let path: String = {
    if let named = Platform.environmentVariables["CKDB_PROGRAM"] { return named }
    let beside = FileSystem.parent(of: Platform.executablePath) + "/ckdb"
    return FileSystem.exists(beside) ? beside : ProjectFiles.root + "/.build/debug/ckdb"
  }()

  /// The variables that tell an instrumented program what to look for, as they are for the tests.
  public static let instrumentation = Platform.environmentVariables.filter {
    $0.key == "ASAN_OPTIONS"
  }

  /// The result of a run.
  public struct Outcome: Equatable {
    /// The exit code.
    public var code: Int32
    /// What it wrote to standard output.
    public var output: String
    /// What it wrote to standard error.
    public var errors: String

    /// The expected result of a run.
    public init(code: Int32, output: String, errors: String) {
      self.code = code
      self.output = output
      self.errors = errors
    }
  }

  /// Makes a directory. Throws `SystemError`.
  public init() throws { directory = try TemporaryDirectory() }

  /// Runs a line of sh in the directory, where `ckdb` is the program.
  public func shell(_ line: String) throws -> Outcome {
    let root = directory.path
    let programs = root + "/.bin"
    if try FileSystem.makeDirectory(programs) { symlink(Self.path, programs + "/ckdb") }
    let number = UInt64.random(in: 0...(.max))
    let paths = ["\(root)/.out-\(number)", "\(root)/.err-\(number)"]
    let files = try paths.map {
      try FileHandle(open: $0, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    }
    var all = [
      "PATH": "\(programs):\(Platform.environmentVariables["PATH"] ?? "/usr/bin:/bin")",
      "HOME": root, "XDG_CACHE_HOME": root + "/.cache", "TMPDIR": root,
      "CKDB_STORE": root + "/store",
    ]
    all.merge(Self.instrumentation) { $1 }
    all.merge(variables) { $1 }
    // A handle closes its file when it is released.
    let code = try withExtendedLifetime(files) {
      try ChildProcess.run(
        ["/bin/sh", "-c", "cd \(root) && \(line)"], all, output: files[0].descriptor,
        errors: files[1].descriptor)
    }
    let texts = try paths.map {
      String(decoding: try FileSystem.contents(of: $0), as: UTF8.self)
    }
    return Outcome(code: code, output: texts[0], errors: texts[1])
  }

  /// Writes a file into the directory.
  public func file(_ name: String, _ text: String) throws {
    try FileSystem.replace("\(directory.path)/\(name)", with: Array(text.utf8))
  }
}
