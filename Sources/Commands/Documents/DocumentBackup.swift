internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document backup` and `ckdb document exclude PATH`
enum DocumentBackup {
  private static let output = Option("output", "o", .directory, "New folder to write")
  private static let list = Flag("list", "Only list what a backup contains")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(output), AnyOption(list)],
      discussion: """
        Writes the documents that a backup of the device contains to a new folder: those whose \
        contents are on the device, except tmp, Library/Caches and what 'ckdb document exclude' \
        excludes.
        """,
      examples: [
        .init(
          "List what a backup of the phone contains", "ckdb document backup --list --device phone")
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let items = try store.backedUpItems()
      if arguments[list] { return try DocumentList.write(items, isLong: false, context) }
      guard let folder = arguments[output] else {
        throw CommandError("name a folder with -o DIR, or use --list", .usage)
      }
      guard try FileSystem.makeDirectory(folder) else {
        throw CommandError("\(folder) already exists", .cannotCreate)
      }
      for item in items {
        let target = "\(folder)/\(item.path.text)"
        try FileSystem.makeDirectories(FileSystem.parent(of: target))
        try DocumentGet.write(store.openHere(item.path), to: target)
      }
      context.report("backed up \(items.count.counted("document")) to \(folder)")
    }
  }

  private static let path = Operand(
    "PATH", .documentPath, .optional, "Path of a document, or of a folder with everything in it")
  private static let off = Flag("off", "Back it up again")

  static var exclude: Command<Context> {
    Command(
      operands: [AnyOperand(path)], options: [AnyOption(off)],
      discussion: """
        Excludes a document, or a folder with everything in it, from the device's backups, as \
        isExcludedFromBackup does. Without PATH, lists what is excluded.
        """,
      examples: [.init("Exclude a folder", "ckdb document exclude Documents/big")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      guard let path = arguments[path] else {
        let output = try RowOutput(context, noun: "path", columns: ["path"])
        for path in try store.exclusions() { output.row([.string(path.text)]) }
        return output.finish()
      }
      try store.exclude(path, isExcluded: !arguments[off])
      context.report("\(path.text) is \(arguments[off] ? "backed up" : "not backed up")")
    }
  }
}
