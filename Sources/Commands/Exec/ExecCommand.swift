internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import Fixtures

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb exec [--fixture PATH…] -- COMMAND…`
enum ExecCommand {
  /// When to keep the store after the command.
  enum Keeping: String, CaseIterable {
    case always
    case onFailure = "on-failure"
    case never
  }

  static let words = Operand(
    "COMMAND", ValueKind<String>.text("WORD", candidates: .files), .oneOrMore,
    "Command and its arguments")
  static let fixtures = Option(
    "fixture", nil, .file, takesMany: true, "Files or directories to load into the store")
  static let serve = Flag("serve", "Serve the store over HTTP while the command runs")
  static let keep = Option(
    "keep", nil, ValueKind<Keeping>.choice("WHEN"), default: "on-failure",
    "Keep the store afterwards: always, on-failure, never")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)],
      options: [
        AnyOption(fixtures), AnyOption(FixtureOptions.allowed), AnyOption(serve), AnyOption(keep),
      ],
      discussion: """
        Runs a command with its own temporary store: CKDB_STORE names it, and PATH finds this ckdb \
        first. With --fixture the store contains these records; the loaded store is cached until \
        the files change. Signals are forwarded to the command, and its exit code is returned. \
        Options of exec (--user, --clock) apply to the fixture only; the variables CKDB_USER and \
        CKDB_CLOCK apply to the command, too. What 'ckdb use' saved applies to neither. A clock \
        that the fixture sets also applies to the command. If the command fails, the store is kept \
        and its path printed. Any number of exec commands may run at once. With --serve the \
        command also gets CKDB_URL, CKDB_API_TOKEN and CKDB_ADMIN_TOKEN of a server on a free port \
        ('ckdb serve').
        """,
      examples: [
        .init("Test a Swift package", "ckdb exec --fixture Tests/Fixtures -- swift test"),
        .init(
          "Experiment in a temporary store", "ckdb exec --fixture library.json -- ckdb query Book"),
      ], takesRest: true, run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let temporary = try TemporaryStore(context)
    defer { withExtendedLifetime(temporary) {} }
    let allowed = arguments.all(FixtureOptions.allowed)
    try ExecStore(context: context, allowed: allowed)
      .fill(temporary.store, with: arguments.all(fixtures))
    let server = arguments[serve] ? try ServedStore(temporary.store, context) : nil
    defer { server?.stop() }
    let code = try run(
      arguments.all(words), with: temporary.store, in: temporary.path, server, context)
    let keeping = arguments[keep] ?? .onFailure
    if keeping == .always || keeping == .onFailure && code != 0 {
      let request = try context.request()
      do throws(CloudError) { try temporary.keep(for: request) } catch {
        context.warn("a power loss may damage the kept store: \(error.message)")
      }
      context.report("kept the store: \(temporary.store.path)")
    }
    throw ChildEnd(code: code)
  }

  private static func run(
    _ words: [String], with store: CloudStore, in directory: String, _ server: ServedStore?,
    _ context: Context
  ) throws -> Int32 {
    let surroundings = context.surroundings
    let programs = directory + "/bin"
    try FileSystem.makeDirectory(programs)
    guard symlink(surroundings.executable(), programs + "/ckdb") == 0 else {
      throw SystemError("link", programs + "/ckdb")
    }
    var variables = surroundings.allVariables()
    variables["CKDB_STORE"] = store.path
    for (name, value) in server?.variables ?? [] { variables[name] = value }
    variables["PATH"] = [programs, variables["PATH"]].compactMap { $0 }.joined(separator: ":")
    surroundings.flush()
    do throws(SystemError) {
      return try ChildProcess.run(
        words, variables, output: surroundings.output.descriptor ?? 1,
        errors: surroundings.errors.descriptor ?? 2)
    } catch {
      // The message and the exit codes follow shells and env(1).
      surroundings.errors.line("ckdb: error: \(error.description.visible)")
      throw ChildEnd(code: error.isMissingFile ? 127 : 126)
    }
  }
}
