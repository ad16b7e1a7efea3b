internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage

/// `ckdb document find PREDICATE`
enum DocumentFind {
  private static let predicate = Operand("PREDICATE", .predicate, "Metadata query")
  private static let long = Flag("long", "l", "Show everything known about each document")
  private static let watches = Flag("watch", "Print changes to the results as they happen")
  private static let batch = Option(
    "batch", nil, .seconds, default: "0",
    "With --watch: merge changes within this many seconds")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(predicate)],
      options: [
        AnyOption(DocumentList.scope), AnyOption(long), AnyOption(watches), AnyOption(batch),
        AnyOption(Watching.timeout), AnyOption(Watching.count),
      ] + PredicateOptions.all,
      discussion: """
        Finds documents as NSMetadataQuery does, whether their contents are on the device or not. \
        Keys are those of NSMetadataItem: kMDItemFSName (or NSMetadataItemFSNameKey), \
        kMDItemFSSize, kMDItemFSContentChangeDate, kMDItemContentType, \
        NSMetadataUbiquitousItemDownloadingStatusKey and so on. Paths and URLs begin with the \
        folder that 'ckdb document container' prints.

        With --watch, the first line is didFinishGathering with all results. A didUpdate line \
        follows for each change, with what was added, changed and removed, whichever process did it.
        """,
      examples: [
        .init("Find a document", "ckdb document find \"kMDItemFSName == 'notes.txt'\""),
        .init(
          "Find all text files, using arguments",
          "ckdb document find '%K LIKE %@' --argument NSMetadataItemFSNameKey --argument '*.txt'"),
      ]
    ) { arguments, context in
      let text = arguments.required(predicate)
      let store = try DocumentNoun.open(context)
      let parsed = try context.predicate(text, arguments)
      let query = try finding(text) {
        try DocumentQuery(
          parsed, in: arguments[DocumentList.scope] ?? DocumentList.all, of: store)
      }
      if arguments[watches] { return try watch(query, text, store, arguments, context) }
      let items = try finding(text) { try store.find(query) }
      try DocumentList.write(items, isLong: arguments[long], context)
    }
  }

  private static func finding<T>(_ text: String, _ work: () throws -> T) throws -> T {
    do { return try work() } catch let error as PredicateError {
      throw CommandError(error, in: text)
    }
  }

  private static func watch(
    _ query: DocumentQuery, _ text: String, _ store: DocumentStore, _ arguments: Arguments,
    _ context: Context
  ) throws {
    let live = try LiveDocumentQuery(query, of: store)
    let pause = Int64((arguments[batch] ?? 0) * 1000)
    try Watching.run(arguments, context) { end, body in
      let results = try finding(text) { try live.gather() }
      guard try body(.didFinishGathering(results)) else { return true }
      return try live.next(until: end, batch: pause) { try body(.didUpdate($0)) }
    } write: { (event: QueryEvent, _) in
      context.output.buffer.append(json: event.json)
      context.output.line("")
    }
  }

  /// A line of `--watch`.
  private enum QueryEvent {
    case didFinishGathering([DocumentItem])
    case didUpdate(LiveDocumentQuery.Update)

    var json: JSONValue {
      let (name, lists) =
        switch self {
        case .didFinishGathering(let items): ("didFinishGathering", [("results", items)])
        case .didUpdate(let update):
          (
            "didUpdate",
            [("added", update.added), ("changed", update.changed), ("removed", update.removed)]
          )
        }
      return .object(
        [JSONMember("notification", .string(name))]
          + lists.map { name, items in
            JSONMember(name, .array(items.map { .string($0.path.text) }))
          })
    }
  }
}
