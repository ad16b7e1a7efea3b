internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb snapshot …`
enum SnapshotNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("save", "Save the current state of the store", verb: { SnapshotSave.command }),
    CommandRow("list", "List the snapshots", verb: { SnapshotList.command }),
    CommandRow(
      "restore", "Restore the store from a snapshot", verb: { SnapshotRestore.command }),
    CommandRow("delete", "Delete snapshots", verb: { SnapshotDelete.command }),
    CommandRow(
      "diff", "Show what changed since a snapshot", verb: { SnapshotDiff.command }),
  ]

  static let name = Operand("NAME", .snapshot, "Name of the snapshot")
}

extension ValueKind where Value == SnapshotName {
  /// A snapshot's name.
  static let snapshot = ValueKind<SnapshotName>("NAME", candidates: .question("snapshots")) {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) in try SnapshotName(word) }
  }
}

/// `ckdb snapshot save NAME`
enum SnapshotSave {
  static let replace = Flag("replace", "Replace an existing snapshot of that name")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(SnapshotNoun.name)], options: [AnyOption(replace)],
      discussion: """
        Copies the whole store, with all containers and settings, into its directory 'snapshots', \
        as of one moment; writers wait meanwhile, readers do not. Where the file system can share \
        blocks, and for asset contents, the copy takes no additional space.
        """,
      examples: [.init("Save the initial state of tests", "ckdb snapshot save seeded")]
    ) { arguments, context in
      let name = arguments.required(SnapshotNoun.name)
      guard name != .previous else {
        throw CommandError(
          "'\(name.text)' is reserved for the contents before the last restore", .usage,
          hint: "choose another name")
      }
      try context.showingProgress("save snapshot") { progress in
        try context.store().saveSnapshot(
          name, replaces: arguments[replace], for: context.request(), progress.meter)
      }
      context.report("saved snapshot \(name.text)")
    }
  }
}

/// `ckdb snapshot list`
enum SnapshotList {
  static var command: Command<Context> {
    Command(examples: [.init("List the snapshots", "ckdb snapshot list")]) { _, context in
      let output = try RowOutput(
        context, noun: "snapshot", columns: ["snapshot", "made", "bytes"])
      for snapshot in try context.store().snapshots() {
        output.row([
          .string(snapshot.name.text), .string(snapshot.made.text), .int(snapshot.bytes),
        ])
      }
      output.finish()
    }
  }
}

/// `ckdb snapshot restore NAME`
enum SnapshotRestore {
  static let notify = Flag("notify", "Fire all zone and database subscriptions afterwards")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(SnapshotNoun.name)], options: [AnyOption(notify)],
      discussion: """
        Replaces the contents of the store with a copy of the snapshot. The previous contents \
        become the snapshot 'previous', so 'snapshot restore previous' undoes the restore. \
        Processes that have the store open get an error at their next change. No subscription \
        fires without --notify.
        """,
      examples: [.init("Return to the saved state", "ckdb snapshot restore seeded")]
    ) { arguments, context in
      let name = arguments.required(SnapshotNoun.name)
      try context.showingProgress("restore snapshot") { progress in
        try context.store().restore(name, for: context.request(), progress.meter)
        if arguments[notify] { try context.store().notifyOfRestore(for: context.request()) }
      }
      context.report(
        "restored snapshot \(name.text); the old contents are snapshot "
          + SnapshotName.previous.text)
    }
  }
}

/// `ckdb snapshot delete NAME…`
enum SnapshotDelete {
  static let names = Operand("NAME", .snapshot, .oneOrMore, "Snapshots to delete")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(names)],
      examples: [.init("Delete a snapshot", "ckdb snapshot delete seeded")]
    ) { arguments, context in
      for name in arguments.all(names) {
        try context.store().deleteSnapshot(name, for: context.request())
        context.report("deleted snapshot \(name.text)")
      }
    }
  }
}
