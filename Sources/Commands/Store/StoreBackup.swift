internal import CloudServices
internal import CommandKit

/// `ckdb store backup DIR`
enum StoreBackup {
  static let directory = Operand("DIR", .directory, "Where to make the copy")
  static let replace = Flag("replace", "Take the place of a store that is there")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(directory)], options: [AnyOption(replace)],
      discussion: """
        Copies the whole store, as it is at one moment, to a directory that is not there yet, or \
        with --replace in the place of the store that is there, once the copy is whole. The \
        copy is a store itself: --store DIR uses it, and cp brings it back. Writers wait \
        meanwhile, readers do not. Where the file system can share blocks, and for the contents \
        of assets on the same file system, it takes no room of its own.
        """,
      examples: [.init("Copy the store while others use it", "ckdb store backup before.ckdb")]
    ) { arguments, context in
      let path = arguments.required(directory)
      try context.anyStore().copy(
        to: path, for: context.request(), replaces: arguments[replace])
      context.report("copied the store to \(path)")
    }
  }
}

/// `ckdb store checkpoint`
enum StoreCheckpoint {
  static var command: Command<Context> {
    Command(
      discussion: """
        Copies SQLite's write-ahead log into the database of the environment and empties it, so \
        that records.sqlite alone is all there is of it. That happens by itself whenever the log \
        is long; by hand it is of use before records.sqlite is given to another program.
        """,
      examples: [.init("Empty the log", "ckdb store checkpoint")]
    ) { _, context in
      try context.environment().checkpoint()
      context.report("the log is empty")
    }
  }
}
