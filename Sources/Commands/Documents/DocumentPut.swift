internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb document put FILE [PATH]` and `ckdb document take PATH FILE`
enum DocumentPut {
  private static let source = Operand(
    "FILE", .file, "File, or a folder that becomes a package; - is standard input")
  private static let target = Operand(
    "PATH", ValueKind<String>.text("PATH", candidates: .question("documents")), .optional,
    "Path in the container (default: FILE's name in Documents)")
  private static let scope = Option(
    "scope", nil, ValueKind<DocumentScope>.choice("SCOPE"), default: "documents",
    "Without PATH: save in Documents, or with data outside it")
  private static let create = Flag("create", "Fail if the document exists")
  private static let overwrite = Flag("overwrite", "Fail if the document does not exist")
  private static let moves = Flag("move", "Remove FILE afterwards, as setUbiquitous does")
  static let time = Option(
    "at", nil, .time, default: "the clock of the device", "When the device saved it")

  static var put: Command<Context> {
    Command(
      operands: [AnyOperand(source), AnyOperand(target)],
      options: [
        AnyOption(scope), AnyOption(create), AnyOption(overwrite), AnyOption(moves),
        AnyOption(time), AnyOption(KeyValueNoun.auto),
      ],
      discussion: """
        Saves a file in the container of the device. Other devices see it after 'ckdb document \
        sync' on both. A folder becomes a package, one document with everything in it. What is in \
        Documents belongs to the user, everything else to the app. Names with .nosync or .weakpkg, \
        tmp, desktop.ini, *.photoslibrary, and names of editors' temporary files (a~, a.tmp, \
        .a.swp, .DS_Store) stay on the device.
        """,
      examples: [
        .init("Save a file in Documents", "ckdb document put notes.txt"),
        .init("Save it on the phone", "ckdb document put notes.txt Documents/a.txt --device phone"),
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let file = arguments.required(source)
      guard !arguments[create] || !arguments[overwrite] else {
        throw CommandError("--create cannot be used with --overwrite", .usage)
      }
      let path = try path(for: file, arguments, store)
      let operation: DocumentStore.SaveOperation? =
        arguments[create] ? .creating : arguments[overwrite] ? .overwriting : nil
      if file == "-" {
        let bytes = try FileSystem.contents(of: context.surroundings.input)
        try store.put(bytes, at: path, operation, saved: arguments[time])
      } else {
        let saved = try store.put(file, at: path, operation, saved: arguments[time])
        for left in arguments[moves] ? try saved.remove() : [] {
          context.warn("\(left) was changed or added meanwhile: not removed")
        }
      }
      try DocumentNoun.synchronizeIfWanted(store, context)
      let place = path.isLocal ? ", on this device only: its name is not uploaded" : ""
      context.report("saved \(path.text)\(place)")
    }
  }

  private static func path(
    for file: String, _ arguments: Arguments, _ store: DocumentStore
  ) throws -> DocumentPath {
    var source = file
    while source.hasSuffix("/"), source.utf8.count > 1 { source.removeLast() }
    let name = FileSystem.name(of: source)
    if let target = arguments[target] { return try store.place(target, for: name) }
    guard file != "-" else { throw CommandError("standard input needs a PATH", .usage) }
    return try DocumentPath(
      arguments[scope] == .data ? name : "\(DocumentScope.folder)/\(name)")
  }

  private static let destination = Operand("FILE", .file, "Where to write it")

  static var take: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path), AnyOperand(destination)],
      options: [AnyOption(KeyValueNoun.auto)],
      discussion: """
        Moves a document out of iCloud, as setUbiquitous does with false: writes it to FILE, and \
        deletes it on all devices with their next sync.
        """,
      examples: [.init("Move a document out", "ckdb document take Documents/notes.txt taken.txt")]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let (path, file) = (arguments.required(DocumentNoun.path), arguments.required(destination))
      guard FileSystem.status(of: file) == nil else {
        throw CommandError("\(file) already exists", .cannotCreate)
      }
      try DocumentGet.write(store.open(path), to: file)
      try store.remove(path)
      try DocumentNoun.synchronizeIfWanted(store, context)
      context.report("took \(path.text) out of iCloud")
    }
  }
}
