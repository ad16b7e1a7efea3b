internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// Commands that use a document like an app that has it open (`UIDocument`).
enum DocumentEditing {
  // MARK: Opening and closing

  static var open: Command<Context> {
    command(
      """
      Opens a document on the device; it stays open until 'ckdb document close'. Its contents are \
      fetched if they are not on the device. Newer contents that a sync brings are reloaded \
      (loadFromContents), or conflict with unsaved changes if there are any.
      """, example: "Open a document", "open"
    ) { store, path, context in
      try store.openDocument(path)
      context.report("opened \(path.text)")
    }
  }

  static var close: Command<Context> {
    command(
      "Saves an open document if it has changes, and closes it.", example: "Close a document",
      "close", synchronizes: true
    ) { store, path, context in
      try store.closeDocument(path)
      context.report("closed \(path.text)")
    }
  }

  static var revert: Command<Context> {
    command(
      "Replaces the contents of an open document with those of its file.",
      example: "Discard all changes", "revert"
    ) { store, path, context in
      try store.revert(path)
      context.report("reverted \(path.text)")
    }
  }

  static var autosave: Command<Context> {
    command(
      "Saves an open document if it has unsaved changes, as UIDocument does automatically.",
      example: "Save if there are changes", "autosave", synchronizes: true
    ) { store, path, context in
      let isSaved = try store.autosave(path)
      context.report(isSaved ? "saved \(path.text)" : "\(path.text) has no unsaved changes")
    }
  }

  static var state: Command<Context> {
    command(
      """
      Prints the state of a document as in UIDocument: closed (1), or if it is open normal (0) or \
      inConflict (2), savingError (4), editingDisabled (8) and progressAvailable (16), joined by \
      |. With a format option, also prints the number and whether there are unsaved changes.
      """, example: "Show the state", "state"
    ) { store, path, context in
      let (state, hasUnsavedChanges) = try store.state(of: path)
      guard try context.settings.chosenFormat() != nil else {
        return context.output.line(state.text)
      }
      let output = try RowOutput(
        context, noun: "document", columns: ["path", "state", "value", "hasUnsavedChanges"])
      output.row([
        .string(path.text), .string(state.text), .int(Int64(state.rawValue)),
        .bool(hasUnsavedChanges),
      ])
      output.finish()
    }
  }

  private static func command(
    _ discussion: String, example: String, _ verb: String, synchronizes: Bool = false,
    _ work: @escaping @Sendable (DocumentStore, DocumentPath, Context) throws -> Void
  ) -> Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)],
      options: synchronizes ? [AnyOption(KeyValueNoun.auto)] : [], discussion: discussion,
      examples: [.init(example, "ckdb document \(verb) Documents/notes.txt")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      try work(store, arguments.required(DocumentNoun.path), context)
      if synchronizes { try DocumentNoun.synchronizeIfWanted(store, context) }
    }
  }

  // MARK: Changing

  private static let text = Option(
    "set-text", nil, ValueKind<String>.text("TEXT"), "Replace the contents with TEXT")
  private static let appended = Option(
    "append", nil, ValueKind<String>.text("TEXT"), "Append TEXT")
  private static let file = Option("file", nil, .file, "Replace the contents with those of a file")
  private static let kind = Option(
    "change", nil, ValueKind<DocumentChangeKind>.choice("KIND"), default: "done",
    "Kind of change: done, undone, redone or cleared")

  static var change: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)],
      options: [AnyOption(text), AnyOption(appended), AnyOption(file), AnyOption(kind)],
      discussion: """
        Changes an open document without saving it, and counts the change as updateChangeCount \
        does: done and redone add one, undone subtracts one, cleared sets the count to zero. There \
        are unsaved changes while the count is not zero.
        """,
      examples: [
        .init("Append a line", "ckdb document change Documents/notes.txt --append more"),
        .init("Undo a change", "ckdb document change Documents/notes.txt --change undone"),
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let hasChanges = try store.change(
        arguments.required(DocumentNoun.path), edit(arguments) ?? .none,
        arguments[kind] ?? .done)
      context.report(hasChanges ? "unsaved changes" : "no unsaved changes")
    }
  }

  private static func edit(_ arguments: Arguments) throws -> DocumentStore.Edit? {
    switch (arguments[text], arguments[appended], arguments[file]) {
    case (nil, nil, nil): return nil
    case (let text?, nil, nil): return .set(Array(text.utf8))
    case (nil, let text?, nil): return .append(Array(text.utf8))
    case (nil, nil, let path?): return .set(try FileSystem.contents(of: path))
    default: throw CommandError("--set-text, --append and --file cannot be used together", .usage)
    }
  }

  private static let create = Flag("create", "Save for creating: the document must be new")
  private static let overwrite = Flag("overwrite", "Save for overwriting (default)")

  static var save: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)],
      options: [AnyOption(create), AnyOption(overwrite), AnyOption(KeyValueNoun.auto)],
      discussion: """
        Saves an open document, whether it has changes or not. With --create, creates an empty \
        document at PATH, saves it for creating, and leaves it open; PATH must not exist.
        """,
      examples: [.init("Save a document", "ckdb document save Documents/notes.txt")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let path = arguments.required(DocumentNoun.path)
      guard !arguments[create] || !arguments[overwrite] else {
        throw CommandError("--create cannot be used with --overwrite", .usage)
      }
      if arguments[create] {
        try store.createDocument(path)
      } else {
        try store.saveDocument(path)
      }
      try DocumentNoun.synchronizeIfWanted(store, context)
      context.report("saved \(path.text)")
    }
  }

  // MARK: All at once

  private static let usesEditor = Flag("editor", "Edit it in $VISUAL, $EDITOR or vi")

  static var edit: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)],
      options: [
        AnyOption(text), AnyOption(appended), AnyOption(file), AnyOption(usesEditor),
        AnyOption(KeyValueNoun.auto),
      ],
      discussion: "Opens a document, changes it, saves it and closes it.",
      examples: [
        .init("Append a line", "ckdb document edit Documents/notes.txt --append more"),
        .init("Edit it in an editor", "ckdb document edit Documents/notes.txt --editor"),
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let path = arguments.required(DocumentNoun.path)
      let given = try edit(arguments)
      guard (given != nil) != arguments[usesEditor] else {
        throw CommandError("specify one of --set-text, --append, --file or --editor", .usage)
      }
      try store.edit(path) { old in
        switch given {
        case .set(let bytes): return bytes
        case .append(let bytes): return old + bytes
        case DocumentStore.Edit.none?: return old
        case nil: return try edited(old, path, context)
        }
      }
      try DocumentNoun.synchronizeIfWanted(store, context)
      context.report("saved \(path.text)")
    }
  }

  private static func edited(
    _ contents: [UInt8], _ path: DocumentPath, _ context: Context
  ) throws -> [UInt8] {
    let folder = context.surroundings.variable("TMPDIR") ?? "/tmp"
    let directory = try FileSystem.makeTemporaryDirectory(in: folder, prefix: "ckdb-")
    defer { try? FileSystem.remove(directory) }
    let copy = "\(directory)/\(path.name)"
    try FileSystem.replace(copy, with: contents)
    guard try Editor(context).open(copy) else {
      throw CommandError("the editor failed; nothing was changed", .no)
    }
    return try FileSystem.contents(of: copy)
  }
}
