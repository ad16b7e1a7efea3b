internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document list` and `ckdb document status PATH`
enum DocumentList {
  private static let long = Flag("long", "l", "Show everything known about each document")
  private static let isUserVisible = Flag("user-visible", "Only what is in Documents")
  static let scope = Option(
    "scope", nil, .documentScopes, default: "both", "Only documents, or only data")
  private static let deleted = Flag("deleted", "Deleted documents that can be restored")

  static var command: Command<Context> {
    Command(
      options: [
        AnyOption(long), AnyOption(scope), AnyOption(isUserVisible), AnyOption(deleted),
      ],
      discussion: """
        Lists the documents that the device knows about, in byte order of their paths. The status \
        is notDownloaded, downloaded (there are newer contents in iCloud) or current.
        """,
      examples: [
        .init("List the documents of the phone", "ckdb document list --device phone"),
        .init("List everything known about them as JSON", "ckdb document list -l --json"),
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      if arguments[deleted] { return try list(deleted: store, context) }
      let scopes = arguments[isUserVisible] ? [.documents] : arguments[scope] ?? Self.all
      let items = try store.items().filter { scopes.contains($0.path.scope) }
      try write(items, isLong: arguments[long], context)
    }
  }

  static let all = DocumentScope.allCases

  static func write(_ items: [DocumentItem], isLong: Bool, _ context: Context) throws {
    let output = try RowOutput(
      context, noun: "document", columns: isLong ? columns : Array(columns.prefix(shortCount)))
    for item in items {
      output.row(isLong ? cells(of: item) : Array(cells(of: item).prefix(shortCount)))
    }
    output.finish()
  }

  private static func list(deleted store: DocumentStore, _ context: Context) throws {
    let output = try RowOutput(context, noun: "document", columns: ["path", "deleted"])
    for item in try store.deletedItems() {
      output.row([.string(item.path.text), .string(item.deleted.text)])
    }
    output.finish()
  }

  static var status: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)],
      discussion: """
        Shows the device's resource values for a document, without the prefix ubiquitousItem.
        """,
      examples: [
        .init(
          "Show the status on the phone", "ckdb document status Documents/notes.txt --device phone")
      ]
    ) { arguments, context in
      let item = try DocumentNoun.open(context).item(arguments.required(DocumentNoun.path))
      try write([item], isLong: true, context)
    }
  }

  // MARK: Columns

  private static let shortCount = 5
  private static let columns = [
    "path", "size", "changed", "downloadingStatus", "isUploaded", "name", "scope", "created",
    "device", "isPackage", "isLocal", "isDownloadRequested", "isDownloading", "percentDownloaded",
    "isUploading", "percentUploaded", "uploadingError", "hasUnresolvedConflicts",
  ]

  private static func cells(of item: DocumentItem) -> [JSONValue] {
    [
      .string(item.path.text), .int(item.size), .string(item.changed.text),
      .string(item.downloading.rawValue), .bool(item.isUploaded), .string(item.path.name),
      .string(item.path.scope.rawValue), .string(item.created.text), .string(item.device.name),
      .bool(item.isPackage), .bool(item.isLocal), .bool(item.isDownloadRequested),
      .bool(item.isDownloading), .double(item.percentDownloaded), .bool(item.isUploading),
      .double(item.percentUploaded), item.uploadingError.map { .string($0) } ?? .null,
      .bool(item.hasConflicts),
    ]
  }
}

extension ValueKind where Value == [DocumentScope] {
  /// One part of a container, or both.
  static let documentScopes = ValueKind<[DocumentScope]>(
    "SCOPE", candidates: .words(DocumentScope.allCases.map(\.rawValue) + ["both"])
  ) { (word) throws(ValueError) in
    if word == "both" { return DocumentScope.allCases }
    return [try ValueKind<DocumentScope>.choice("SCOPE").parse(word)]
  }
}
