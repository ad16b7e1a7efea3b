internal import CloudServices
internal import CommandKit

/// `ckdb store backup DIR`
enum StoreBackup {
  static let directory = Operand("DIR", .directory, "Directory of the copy")
  static let replace = Flag("replace", "Replace an existing store")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(directory)], options: [AnyOption(replace)],
      discussion: """
        Copies the whole store, as of one moment, to a new directory, or with --replace over an \
        existing store, once the copy is complete. The copy is a store itself: use it with --store \
        DIR, and restore it with cp. Writers wait meanwhile, readers do not. Where the file system \
        can share blocks, and for asset contents on the same file system, it takes no additional \
        space.
        """,
      examples: [.init("Copy the store while it is in use", "ckdb store backup before.ckdb")]
    ) { arguments, context in
      let path = arguments.required(directory)
      try context.showingProgress("backup") { progress in
        try context.anyStore().copy(
          to: path, for: context.request(), replaces: arguments[replace],
          progress.meter)
      }
      context.report("copied the store to \(path)")
    }
  }
}

/// `ckdb store checkpoint`
enum StoreCheckpoint {
  static var command: Command<Context> {
    Command(
      discussion: """
        Copies SQLite's write-ahead log into the environment's database and empties it, so that \
        records.sqlite is complete on its own; the same for ubiquity.sqlite with the container's \
        keys and documents. This happens automatically when a log is long; do it by hand before \
        you give these files to another program.
        """,
      examples: [.init("Empty the write-ahead log", "ckdb store checkpoint")]
    ) { _, context in
      let environment = try context.environment()
      try environment.checkpoint()
      try context.store().checkpointKeysAndDocuments(
        of: environment.container, for: context.request())
      context.report("the log is empty")
    }
  }
}
