internal import CloudServices
internal import CommandKit

/// `ckdb store compact`
enum StoreCompact {
  static var command: Command<Context> {
    Command(
      discussion: """
        Forgets which records and zones were deleted and returns their space to the file system. \
        Change tokens expire (changeTokenExpired), as CloudKit's do after a long time, except \
        those that have seen every change.
        """,
      examples: [.init("Expire older change tokens", "ckdb store compact")]
    ) { _, context in
      try context.showingProgress("compact") { _ in try context.environment().compact() }
      context.report("compacted; change tokens that have not seen every change have expired")
    }
  }
}
