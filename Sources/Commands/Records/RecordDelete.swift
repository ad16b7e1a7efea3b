internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage

/// `ckdb record delete NAME…` and `ckdb record delete --where TYPE PREDICATE`
enum RecordDelete {
  static let words = Operand(
    "NAME", ValueKind<String>.text("NAME", candidates: .question("namesOrPredicate")), .oneOrMore,
    "Name of a record; with --where a type and a predicate")
  static let tag = Option(
    "tag", nil, ValueKind<String>.text("TAG"), "Delete only versions with this change tag")
  static let matching = Flag("where", "Delete the records of TYPE that match PREDICATE")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)],
      options: [
        AnyOption(tag), AnyOption(matching), AnyOption(BatchOptions.atomic),
        AnyOption(BatchOptions.noAtomic), AnyOption(BatchOptions.clientToken),
      ] + PredicateOptions.all,
      discussion: """
        Deleting a missing name succeeds, as in CloudKit. Records that refer to a deleted one with \
        the action DELETE_SELF are deleted, too. Several names are one operation: in a custom zone \
        all are deleted or none. --where shows the number of matching records and asks for \
        confirmation.
        """,
      examples: [
        .init("Delete a record", "ckdb record delete A00001"),
        .init("Delete by predicate", "ckdb record delete --where Artwork 'year < 1700' --yes"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    if arguments[matching] { return try deleteMatching(arguments, context, database) }
    let names = try arguments.all(words).map { try RecordName($0) }
    guard names.count == 1 else {
      let zone = try context.zone()
      return try delete(names.map { item($0, zone, arguments) }, arguments, context, database)
    }
    do {
      let tag = arguments[tag].map { ChangeTag(given: $0) }
      let result = try database.delete(
        names[0], in: context.zone(), tag: tag, clientToken: arguments[BatchOptions.clientToken])
      context.report(result.notices)
      report(result.isDeleted ? 1 : 0, context)
      if !result.isDeleted, let place = Whereabouts(database: database, zone: nil).record(names[0])
      {
        context.report(place)
      }
    } catch let error as CloudError {
      throw error.advising(.tag)
    }
  }

  private static func item(
    _ name: RecordName, _ zone: ZoneID, _ arguments: Arguments
  ) -> ModifyRequest.Item {
    ModifyRequest.Item(
      .delete(name, tag: arguments[tag].map { ChangeTag(given: $0) }), in: zone)
  }

  /// Deletes several records in one operation (R4.4).
  private static func delete(
    _ items: consuming [ModifyRequest.Item], _ arguments: Arguments, _ context: Context,
    _ database: CloudDatabase, isLimited: Bool = true
  ) throws {
    var request = ModifyRequest(items, isAtomic: try BatchOptions.isAtomic(arguments))
    request.isLimited = isLimited
    request.clientToken = arguments[BatchOptions.clientToken]
    let result = try database.modify(request)
    context.report(result.notices)
    if result.deletedCount > 0 || result.error == nil { report(result.deletedCount, context) }
    if result.deletedCount == 0, result.error == nil, !arguments[matching] {
      try hintAtPredicate(arguments.all(words), context, database)
    }
    if let error = result.error { throw CommandError(batch: error, advice: .tag) }
  }

  /// Hints at --where if the names are a type and a predicate.
  private static func hintAtPredicate(
    _ words: [String], _ context: Context, _ database: CloudDatabase
  ) throws {
    guard words.count == 2, let type = try? RecordType(words[0]),
      try database.environment.knownSchema(of: type) != nil,
      (try? PredicateParser.parse(words[1])) != nil
    else { return }
    context.report("to delete by a predicate: ckdb record delete --where \(words[0]) '...'")
  }

  private static func deleteMatching(
    _ arguments: Arguments, _ context: Context, _ database: CloudDatabase
  ) throws {
    let words = arguments.all(words)
    guard words.count == 2 else {
      throw CommandError("--where needs a TYPE and a PREDICATE", .usage)
    }
    var request = QueryRequest(
      type: try RecordType(words[0]), predicate: try context.predicate(words[1], arguments))
    let zone = try context.zone()
    request.zone = zone
    request.keys = []
    var items: [ModifyRequest.Item] = []
    _ = try context.blaming(words[1]) {
      try database.query(request) { record in
        items.append(item(record.name, zone, arguments))
        return true
      }
    }
    if items.isEmpty { return report(0, context) }
    try context.confirm("delete \(items.count.counted("\(words[0]) record"))")
    try delete(items, arguments, context, database, isLimited: false)
  }

  private static func report(_ count: Int, _ context: Context) {
    context.report("deleted \(count.counted("record"))")
  }
}
