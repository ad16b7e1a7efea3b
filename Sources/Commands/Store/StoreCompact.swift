internal import CloudServices
internal import CommandKit

/// `ckdb store compact`
enum StoreCompact {
  static var command: Command<Context> {
    Command(
      discussion: """
        Forgets which records and zones were deleted, and gives the room of deleted things back \
        to the file system. Change tokens that were given out before expire \
        (changeTokenExpired), as CloudKit's do after a long time.
        """,
      examples: [.init("Make all change tokens expire", "ckdb store compact")]
    ) { _, context in
      try context.environment().compact()
      context.report("compacted; change tokens of before have expired")
    }
  }
}
