internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document mount DIR` and `ckdb document scan DIR`
enum DocumentMounting {
  private static let folder = Operand("DIR", .directory, "Folder for the files")
  private static let follows = Flag("follow", "Keep running until interrupted")
  private static let placeholders = Flag(
    "placeholders", "Show documents that are not on the device as .NAME.icloud")

  static var mount: Command<Context> {
    Command(
      operands: [AnyOperand(folder)],
      options: [AnyOption(follows), AnyOption(placeholders), AnyOption(KeyValueNoun.auto)],
      discussion: """
        Writes the device's container as plain files to a folder, where any program may change \
        them. Changes since the last time are picked up first ('ckdb document scan'), so that \
        nothing is overwritten that the store does not have. Documents whose contents are not on \
        the device have no file, or with --placeholders a file .NAME.icloud, whose deletion means \
        nothing. A new folder is created and marked; one that contains other files is refused.

        With --follow, changes to the files and to the store are picked up as they happen, until \
        interrupted; with --auto, a sync of all online devices follows each of them.
        """,
      examples: [
        .init("Mount the container of the phone", "ckdb document mount phone --device phone")
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let path = arguments.required(folder)
      let confirm = confirmation(context)
      let shows = arguments[placeholders]
      let result = try store.mount(path, placeholders: shows, confirm: confirm)
      try report(result.scan, context)
      context.report("\(path): wrote \(result.written.counted("file")), removed \(result.removed)")
      if arguments[follows] {
        let isAuto = KeyValueNoun.synchronizes(context)
        try store.followMount(path, placeholders: shows, confirm: confirm) { result in
          if isAuto { _ = try store.synchronizeAll() }
          report(changes: result.scan, context)
          if result.written + result.removed > 0 {
            context.report("wrote \(result.written.counted("file")), removed \(result.removed)")
          }
          context.surroundings.flush()
        }
      }
      try DocumentNoun.synchronizeIfWanted(store, context)
    }
  }

  static var scan: Command<Context> {
    Command(
      operands: [AnyOperand(folder)], options: [AnyOption(KeyValueNoun.auto)],
      discussion: """
        Picks up what other programs changed in a mounted folder: new, changed, renamed and \
        deleted files. An editor that replaces a file changes its document; temporary files are \
        skipped. The date of a version is that of its file, or --clock. Symbolic links and \
        anything else that is not a file are refused. Asks before deleting more than half of the \
        documents; a document whose contents, versions or unsaved changes were not in the folder \
        stays.
        """,
      examples: [.init("Pick up what an editor changed", "ckdb document scan phone --device phone")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let result = try store.scan(
        arguments.required(folder), confirm: confirmation(context))
      try DocumentNoun.synchronizeIfWanted(store, context)
      try report(result, context)
    }
  }

  private static func confirmation(_ context: Context) -> DocumentStore.Confirmation {
    { removed, count in
      try context.confirm("delete \(removed) of \(count.counted("document"))")
    }
  }

  private static func report(changes result: DocumentScanResult, _ context: Context) {
    let counts = [
      ("added", result.added), ("changed", result.changed), ("moved", result.moved),
      ("deleted", result.removed),
    ].filter { $0.1 > 0 }
    if !counts.isEmpty {
      context.report(
        counts.map { "\($0.0) \($0.1.counted("document"))" }.joined(separator: ", "))
    }
    for line in result.refused { context.warn(line) }
  }

  /// Reports a scan. Files that could not be read are a partial failure.
  private static func report(_ result: DocumentScanResult, _ context: Context) throws {
    report(changes: result, context)
    if result.failed.isEmpty { return }
    var error = CommandError("\(result.failed.count.counted("file")) could not be read", .partial)
    error.items = result.failed
    throw error
  }
}
