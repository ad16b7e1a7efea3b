internal import Basics
internal import CloudSync
internal import Commands
internal import Glibc
internal import TestSupport

/// Runs command lines in process, each with a fresh `Session`, as in a fresh process.
///
/// Clock and seed are fixed, and the variables of the real environment are hidden.
final class CommandFixture {
  let directory: TemporaryDirectory
  var variables: [String: String]
  private let isEntered: Bool
  /// The way to other servers; nil for none.
  var transport: (any RemoteTransport)?

  /// The result of a command.
  struct Outcome: Equatable {
    var code: Int32
    var output: String
    var errors: String
  }

  /// A fresh directory. `entering` also makes it the working directory of the commands, for lines
  /// that name files.
  init(entering: Bool = false) throws {
    directory = try TemporaryDirectory()
    variables = [
      "CKDB_CLOCK": "2026-01-01T00:00:00Z", "CKDB_SEED": "7", "HOME": directory.path,
      "XDG_DATA_HOME": directory.path + "/data",
    ]
    isEntered = entering
  }

  /// A fixture with a store and a container.
  static func withContainer() throws -> CommandFixture {
    let fixture = try CommandFixture()
    _ = try fixture.run(["init"])
    _ = try fixture.run(["container", "create", "iCloud.org.example.app"])
    return fixture
  }

  /// A session in this directory, with the text as standard input.
  func session(
    input: String = "", output: ByteOutput, errors: ByteOutput,
    variables extra: [String: String] = [:]
  ) throws -> Session {
    let path = directory.path + "/.input"
    let file = try FileHandle(open: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.writeAll(Array(input.utf8))
    let all = variables.merging(extra) { $1 }
    return Session(
      Surroundings(
        variable: { all[$0] }, workingDirectory: directory.path,
        input: try FileHandle(open: path, O_RDONLY), output: output, errors: errors), transport)
  }

  /// The program that runs the command lines instead of a session in process: `make transcripts`
  /// shows that the release build does the same.
  private static let program = Platform.environmentVariables["CKDB_PROGRAM"]

  private func run(
    program: String, _ words: [String], input: String, variables extra: [String: String]
  ) throws -> Outcome {
    _ = try file(".input", input)
    let paths = [".output", ".errors"].map { "\(directory.path)/\($0)" }
    let files = try paths.map {
      try FileHandle(open: $0, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    }
    let script = "cd \(directory.path) && exec \"$0\" \"$@\" < .input"
    // A handle closes its file when it is released.
    let code = try withExtendedLifetime(files) {
      try ChildProcess.run(
        ["/bin/sh", "-c", script, program] + words, variables.merging(extra) { $1 },
        output: files[0].descriptor, errors: files[1].descriptor)
    }
    let texts = try paths.map {
      String(decoding: try FileSystem.contents(of: $0), as: UTF8.self)
    }
    return Outcome(code: code, output: texts[0], errors: texts[1])
  }

  /// Runs one command line.
  func run(
    _ words: [String], input: String = "", variables: [String: String] = [:]
  ) throws -> Outcome {
    if let program = Self.program, transport == nil {
      return try run(program: program, words, input: input, variables: variables)
    }
    let (output, errors) = (ByteOutput(), ByteOutput())
    let session = try session(input: input, output: output, errors: errors, variables: variables)
    let code =
      try isEntered
      ? ThreadDirectory.enter(directory.path) { session.run(words) } : session.run(words)
    return Outcome(
      code: code, output: String(decoding: output.buffer, as: UTF8.self),
      errors: String(decoding: errors.buffer, as: UTF8.self))
  }

  /// Runs one command line of words without blanks.
  func run(_ line: String) throws -> Outcome {
    try run(line.split(separator: " ").map(String.init))
  }

  /// Writes a file into the directory and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let path = "\(directory.path)/\(name)"
    try FileSystem.makeDirectories(FileSystem.parent(of: path))
    let file = try FileHandle(open: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.writeAll(Array(text.utf8))
    return path
  }
}
