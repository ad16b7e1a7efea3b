internal import Basics
internal import CloudServices
internal import CommandKit

/// `ckdb init [DIR]`
enum InitCommand {
  static let directory = Operand(
    "DIR", .directory, .optional, "Directory of the store (default: ./.ckdb)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(directory)],
      discussion: """
        A store is a directory of containers. Commands find it by --store, by the variable \
        CKDB_STORE, or as .ckdb in the working directory or above it. An existing store is left \
        unchanged.
        """,
      examples: [.init("Create a store for this project", "ckdb init")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let named = try context.settings.find(GlobalOptions.store)?.value
    let path = arguments[directory] ?? named ?? context.surroundings.workingDirectory + "/.ckdb"
    let made = try CloudStore(path: path, .bySignals).create()
    context.report(made ? "created the store \(path)" : "the store \(path) already exists")
  }
}
