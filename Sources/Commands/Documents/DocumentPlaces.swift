internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// Commands that move, delete, restore, download and evict documents.
enum DocumentPlaces {
  private static let target = Operand("TARGET", .documentPath, "New path")

  static var move: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.place), AnyOperand(target)],
      options: [AnyOption(KeyValueNoun.auto)],
      discussion: """
        Moves or renames a document, or a folder with everything in it. It stays the same \
        document: changes that another device makes to it in the meantime are kept.
        """,
      examples: [
        .init("Rename a document", "ckdb document move Documents/a.txt Documents/b.txt")
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let (path, target) = (arguments.required(DocumentNoun.place), arguments.required(target))
      try store.move(path, to: target)
      try DocumentNoun.synchronizeIfWanted(store, context)
      context.report("moved \(path.text) to \(target.text)")
    }
  }

  private static let removed = Operand(
    "PATH", .documentPath, .optional, "Path of a document, or of a folder with everything in it")
  private static let allData = Flag("all-data", "Delete everything outside Documents")

  static var remove: Command<Context> {
    Command(
      operands: [AnyOperand(removed)],
      options: [AnyOption(allData), AnyOption(KeyValueNoun.auto)],
      discussion: """
        Deletes a document on the device, and with the next sync on all others, unless one of them \
        has changed it in the meantime. 'ckdb document restore' restores it within 30 days.
        """,
      examples: [.init("Delete a document", "ckdb document remove Documents/notes.txt")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let count: Int
      switch (arguments[removed], arguments[allData]) {
      case (nil, true): count = try store.removeData()
      case (let path?, false): count = try store.remove(path)
      case (nil, false), (.some, true):
        throw CommandError("specify a PATH or --all-data", .usage)
      }
      try DocumentNoun.synchronizeIfWanted(store, context)
      context.report("deleted \(count.counted("document"))")
    }
  }

  static var restore: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)],
      options: [AnyOption(KeyValueNoun.auto)],
      discussion: """
        Restores the document most recently deleted at a path, on all devices. iCloud keeps \
        deleted documents for 30 days.
        """,
      examples: [.init("Restore a document", "ckdb document restore Documents/old.txt")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let place = try store.restore(arguments.required(DocumentNoun.path))
      try DocumentNoun.synchronizeIfWanted(store, context)
      context.report("restored \(place.text)")
    }
  }

  static var download: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.place)],
      discussion: """
        Downloads the newest contents of documents to the device; later ones come with each sync. \
        Contents already on the device stay as they are.
        """,
      examples: [
        .init(
          "Download a document to the phone",
          "ckdb document download Documents/notes.txt --device phone")
      ]
    ) { arguments, context in
      let path = arguments.required(DocumentNoun.place)
      try DocumentNoun.open(context).download(path)
      context.report("downloaded \(path.text)")
    }
  }

  static var evict: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.place)],
      discussion: """
        Removes the contents of documents from the device, but not from iCloud: the device still \
        lists them. Contents that iCloud does not have yet are refused (notUploadedYet).
        """,
      examples: [
        .init(
          "Free space on the phone", "ckdb document evict Documents/notes.txt --device phone")
      ]
    ) { arguments, context in
      let path = arguments.required(DocumentNoun.place)
      try DocumentNoun.open(context).evict(path)
      context.report("evicted \(path.text)")
    }
  }
}
