internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document versions PATH`, `ckdb document conflicts` and `ckdb document resolve PATH`
enum DocumentVersions {
  private static let all = Flag("all", "a", "Also list resolved versions that were kept")
  private static let removes = Flag("remove", "Delete the resolved versions that were kept")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)], options: [AnyOption(all), AnyOption(removes)],
      discussion: """
        Lists the current version of a document and the unresolved versions in conflict with it. \
        'ckdb document get --version ID' prints one.
        """,
      examples: [.init("List the versions", "ckdb document versions Documents/notes.txt")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let path = arguments.required(DocumentNoun.path)
      if arguments[removes] {
        let count = try store.removeVersions(of: path)
        return context.report("deleted \(count.counted("version"))")
      }
      let output = try RowOutput(
        context, noun: "version",
        columns: [
          "version", "device", "changed", "size", "isCurrent", "isConflict", "isResolved",
          "hasLocalContents",
        ])
      for version in try store.versions(of: path, all: arguments[all]) {
        output.row([
          .string(version.identifier), .string(version.device.name), .string(version.changed.text),
          .int(version.size), .bool(version.isCurrent), .bool(version.isConflict),
          .bool(version.isResolved), .bool(version.hasLocalContents),
        ])
      }
      output.finish()
    }
  }

  private static let onlyPath = Operand(
    "PATH", .documentPath, .optional, "Only versions of this document")

  static var conflicts: Command<Context> {
    Command(
      operands: [AnyOperand(onlyPath)],
      discussion: """
        Lists the versions in conflict: those that lost when two devices saved a document without \
        having seen each other's version. They count towards the quota until 'ckdb document \
        resolve' on any device.
        """,
      examples: [.init("List all conflicts", "ckdb document conflicts")]
    ) { arguments, context in
      let wanted = arguments[onlyPath]?.key
      let output = try RowOutput(
        context, noun: "version",
        columns: ["path", "version", "device", "changed", "size", "hasLocalContents"])
      for (path, version) in try DocumentNoun.open(context).conflicts()
      where wanted == nil || path.key == wanted {
        output.row([
          .string(path.text), .string(version.identifier), .string(version.device.name),
          .string(version.changed.text), .int(version.size), .bool(version.hasLocalContents),
        ])
      }
      output.finish()
    }
  }

  private static let keep = Option(
    "keep", nil,
    ValueKind<String>.text(
      "VERSION", candidates: .words(["current", "newest", "both", "merge"])),
    default: "current", "current, newest, both, merge, or the ID of a version")
  private static let merged = Operand(
    "FILE", .file, .optional, "With --keep merge: file with the merged contents")
  private static let keepsVersions = Flag(
    "keep-versions", "Keep the other versions, marked as resolved")

  static var resolve: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path), AnyOperand(merged)],
      options: [AnyOption(keep), AnyOption(keepsVersions), AnyOption(KeyValueNoun.auto)],
      discussion: """
        Makes one version of a document current and deletes the others, on all devices with their \
        next sync. With both, each other version becomes a separate document, "name 2.txt". Does \
        nothing if the conflict is already resolved.
        """,
      examples: [
        .init("Keep the current version", "ckdb document resolve Documents/notes.txt"),
        .init(
          "Replace both with a merged file",
          "ckdb document resolve Documents/notes.txt --keep merge merged.txt"),
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let path = arguments.required(DocumentNoun.path)
      let count = try store.resolve(path, choice(arguments), keeps: arguments[keepsVersions])
      try DocumentNoun.synchronizeIfWanted(store, context)
      context.report(
        count == 0
          ? "\(path.text) is already resolved"
          : "resolved \(count.counted("version")) of \(path.text)")
    }
  }

  private static func choice(_ arguments: Arguments) throws -> DocumentStore.Choice {
    let word = arguments[keep] ?? "current"
    guard (word == "merge") == (arguments[merged] != nil) else {
      throw CommandError("FILE is required with --keep merge and cannot be used without it", .usage)
    }
    switch word {
    case "current": return .current
    case "newest": return .newest
    case "both": return .all
    case "merge": return .merged(arguments[merged] ?? "")
    default: return .version(word)
    }
  }
}
