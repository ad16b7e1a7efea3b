internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb cktool delete-records`
enum CKToolDeleteRecords {
  static let dryRun = Option(
    "dry-run", nil, ValueKind<Choice>.choice("WHETHER"), default: "true",
    "Print the matches without deleting them: true or false")

  enum Choice: String, CaseIterable {
    case `true`
    case `false`
  }

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.data + [
        AnyOption(CKToolOptions.type), AnyOption(CKToolOptions.filters), AnyOption(dryRun),
      ],
      discussion: """
        Prints the records that match all filters; with --dry-run false deletes them, after a \
        confirmation unless --yes is given.
        """,
      examples: [
        .init(
          "Delete matching records",
          "ckdb cktool delete-records --container-id iCloud.org.example.app --environment development --database-type public --record-type Book --filters \"pageCount < 1000\" --dry-run false --yes"
        )
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let place = CKToolPlace(arguments, context)
    let database = try place.database()
    var request = try CKToolRequest.make(arguments, context)
    guard arguments[dryRun] == .false else {
      return try CKToolRequest.printRecords(of: request, database, context)
    }
    request.keys = []
    var names: [RecordName] = []
    _ = try database.query(request) {
      names.append($0.name)
      return true
    }
    if !names.isEmpty {
      try context.confirm("delete \(names.count.counted("\(request.type.text) record"))")
    }
    let items = names.map { ModifyRequest.Item(.delete($0, tag: nil), in: place.zone) }
    var modify = ModifyRequest(items, isAtomic: false)
    modify.isLimited = false
    let result = try database.modify(modify)
    context.output.line("{\"deletedCount\":\(result.deletedCount),\"errors\":[]}")
    if let error = result.error { throw CommandError(batch: error, advice: .tag) }
  }
}
