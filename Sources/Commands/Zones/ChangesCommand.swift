internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb changes [database|zone]`
enum ChangesCommand {
  static let feed = Operand(
    "FEED", ValueKind<Feed>.choice("FEED"), .optional,
    "database: changed zones (default); zone: changed records of a zone")
  static let since = Option(
    "since", nil, .changeToken, default: "from the beginning", "Token of the last fetch")
  static let limit = Option(
    "limit", nil, ValueKind<Int>.count("N", atLeast: 1), default: "all",
    "Maximum number of changes")

  /// The feed of the requested changes.
  enum Feed: String, CaseIterable, Sendable {
    case database
    case zone
  }

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(feed)],
      options: [AnyOption(since), AnyOption(limit), AnyOption(FieldsOption.fields)],
      discussion: """
        Prints one JSON object: what changed since a token, what was deleted, and the next token. \
        Each record or zone appears once, in its current state; without --since, the output is \
        everything that exists, with the deletions that are still known. A zone's \
        clientChangeToken is that of the last save or deletion with this option. 'changes zone' \
        needs a zone (-z). The public database and default zones have no change feeds, as in \
        CloudKit.
        """,
      examples: [
        .init("List the zones", "ckdb changes"),
        .init(
          "Fetch the changes of a zone", "ckdb changes zone -z Notes --since z1.54bf794fe21f9787.3"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    switch arguments[feed] ?? .database {
    case .database:
      guard arguments[FieldsOption.fields] == nil else {
        throw CommandError("--fields can only be used with 'changes zone'", .usage)
      }
      try printZones(
        try database.databaseChanges(since: arguments[since], limit: arguments[limit]), context)
    case .zone:
      guard let zone = try context.namedZone() else {
        throw CommandError("'changes zone' needs a zone", .usage, hint: "choose it with -z NAME")
      }
      try printRecords(arguments, context, database, zone)
    }
  }

  private static func printZones(_ changes: DatabaseChanges, _ context: Context) throws {
    let output = context.output
    output.buffer.append(
      changed: changes.changed, deleted: changes.deleted, token: changes.token,
      isMoreComing: changes.isMoreComing)
    output.spill()
  }

  private static func printRecords(
    _ arguments: Arguments, _ context: Context, _ database: CloudDatabase, _ zone: ZoneID
  ) throws {
    try FieldsOption.check(arguments[FieldsOption.fields], of: database.environment.schema())
    let output = context.output
    let damage = DamageList()
    let writer = RecordViewWriter(isExport: false)
    let pipe = RecordViewPipe { view in
      output.buffer.append(beforeChange: writer.isUnused)
      writer.append(view, to: &output.buffer)
      output.spill()
      return output.isWanted
    }
    defer { pipe.finish() }
    let changes = try database.viewChanges(
      in: zone, since: arguments[since], limit: arguments[limit],
      keys: arguments[FieldsOption.fields].map(FieldsOption.keys), damaged: damage.note
    ) { _ = pipe.add($0) }
    pipe.finish()
    output.buffer.append(
      deleted: changes.deleted, after: !writer.isUnused, clientToken: changes.clientToken,
      token: changes.token, isMoreComing: changes.isMoreComing)
    output.spill()
    try damage.finish()
  }
}

extension ValueKind where Value == ChangeToken {
  /// A token of a change feed.
  static let changeToken = ValueKind<ChangeToken>("TOKEN") { (word) throws(ValueError) in
    guard let token = ChangeToken(text: word) else {
      let refusal = CloudError(
        .invalidArguments, "'\(word.visible)' is not a change token",
        remedy: "'ckdb changes' prints the token for the next fetch")
      throw ValueError(refusal.message, refusal: refusal)
    }
    return token
  }
}
