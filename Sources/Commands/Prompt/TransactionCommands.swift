internal import CloudServices
internal import CommandKit

/// `begin`, `commit` and `rollback`: several commands as one transaction.
enum TransactionCommands {
  /// The commands that work in a transaction.
  private static let parts = [
    "record", "query", "q", "explain", "predicate", "changes", "asset", "import", "export", "zone",
    "schema", "assert", "context", "help", "version", "config",
  ]

  static var begin: Command<Context> {
    Command(
      discussion: """
        The record commands until 'commit' or 'rollback' are one transaction: all of them take \
        effect, or none. Meanwhile other processes read the state before it, and wait with their \
        writes. ^D, SIGTERM and 60 seconds without a key roll it back.
        """
    ) { _, context in
      let state = try PromptRows.state(context)
      guard state.transaction == nil else {
        throw CommandError("a transaction is open", .usage, hint: "commit or rollback ends it")
      }
      let environment = try context.environment()
      try environment.beginTransaction()
      state.transaction = environment
    }
  }

  static var commit: Command<Context> {
    Command { _, context in
      try end(context) { try $0.commitTransaction() }
      context.report("committed")
    }
  }

  static var rollback: Command<Context> {
    Command { _, context in
      try end(context) { $0.rollBackTransaction() }
      context.report("rolled back")
    }
  }

  private static func end(
    _ context: Context, _ work: (CloudEnvironment) throws -> Void
  ) throws {
    let state = try PromptRows.state(context)
    guard let transaction = state.transaction else {
      throw CommandError("no transaction is open", .usage, hint: "begin opens one")
    }
    state.transaction = nil
    try work(transaction)
  }

  /// Throws `CommandError` for a command that cannot be a part of the open transaction.
  static func check(_ path: [String], _ state: PromptState?) throws {
    guard state?.transaction != nil, let noun = path.first else { return }
    let isPrompts = PromptRows.rows.contains { $0.name == noun }
    guard !isPrompts, !parts.contains(noun) || path == ["schema", "reset"] else { return }
    throw CommandError(
      "'\(path.joined(separator: " "))' does not work in a transaction", .usage,
      hint: "commit or rollback ends it")
  }
}
