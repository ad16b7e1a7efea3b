internal import Basics
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb run FILE`
enum RunCommand {
  static let file = Operand("FILE", .file, "File with commands; - is standard input")
  static let keepGoing = Flag("keep-going", "Continue after a failed command")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(file)], options: [AnyOption(keepGoing)],
      discussion: """
        Commands are written as in the shell, without 'ckdb'. A newline or ';' separates them, '#' \
        begins a comment, quotes keep spaces; there are no variables. The first error ends the \
        batch and is reported with its line. Options of 'run' apply to all commands that do not \
        set their own.
        """,
      examples: [.init("Run a script", "ckdb run seed.ckdb-commands")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let path = arguments.required(file)
    let input =
      path == "-" ? context.surroundings.input : try FileHandle(open: path, O_RDONLY)
    let reader = LineReader(input)
    let session = context.session
    let outer = session.baseArguments
    session.baseArguments = arguments.after(outer)
    defer { session.baseArguments = outer }
    let code = try session.nested {
      try Batch(session: session, name: path, keepsGoing: arguments[keepGoing]).run(
        reader)
    }
    if code != 0 { throw QuietExit(code: ExitCode(rawValue: code) ?? .software) }
  }
}
