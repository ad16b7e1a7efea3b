internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb subscription create query|zone|database`
enum SubscriptionCreate {
  enum Kind: String, CaseIterable {
    case query
    case zone
    case database

    var subscription: Subscription.Kind {
      switch self {
      case .query: .query
      case .zone: .zone
      case .database: .database
      }
    }
  }

  static let kind = Operand(
    "KIND", ValueKind<Kind>.choice("KIND"), "What it watches: query, zone or database")
  static let type = Operand("TYPE", .type, .optional, "Record type of a query subscription")
  static let predicate = Operand(
    "PREDICATE", .predicate, .optional, "Which records (default: TRUEPREDICATE)")
  static let id = Option(
    "id", nil, .subscription, default: "a UUID",
    "ID of the subscription; an existing one is updated")
  static let on = Option(
    "on", nil, .events, default: "create,update,delete", "Changes that fire a query subscription")
  static let once = Flag("once", "Delete the subscription after its first notification")
  static let recordType = Option(
    "record-type", nil, .type, "Only records of this type fire a zone or database subscription")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(kind), AnyOperand(type), AnyOperand(predicate)],
      options: [
        AnyOption(id), AnyOption(on), AnyOption(once), AnyOption(recordType),
      ] + PredicateOptions.all + NotificationInfoOptions.all,
      discussion: """
        Changes to matching records send a notification to the devices of the account, except the \
        one that made the change (rule R8.1.2). A query subscription is for the public or the \
        private database and covers all zones without --zone; a zone subscription needs --zone and \
        the private database; a database subscription covers the custom zones of the private \
        database, or the shared database. In production, a query subscription needs one with the \
        same record type and events that was made in development and deployed.

        An updated record matches by its new values, a deleted one by its last (R8.1.7). A zone or \
        database subscription fires once per operation, however many records it changes. \
        --desired-keys names up to three fields that the notification carries, --alert-args the \
        fields that fill the text of --alert-key.
        """,
      examples: [
        .init(
          "Subscribe to new books",
          "ckdb subscription create query Book \"pages > 300\" --on create --alert 'A big book' "
            + "--id big -d public"),
        .init("Watch a zone", "ckdb subscription create zone -z Lists --content-available"),
        .init(
          "Watch everything shared with bob",
          "ckdb subscription create database -d shared -u bob"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let kind = arguments.required(kind).subscription
    try checkWords(arguments, kind)
    let database = try context.database()
    let text = arguments[predicate] ?? "TRUEPREDICATE"
    var subscription = Subscription(
      arguments[id] ?? SubscriptionID(stored: ""), kind, in: database.scope,
      zone: kind == .database ? nil : try context.namedZone(),
      type: arguments[type] ?? arguments[recordType])
    if let events = arguments[on] { subscription.events = events }
    subscription.firesOnce = arguments[once]
    subscription.info = NotificationInfoOptions.info(arguments)
    try context.blaming(text) {
      var request = SubscriptionRequest(subscription, isNamed: arguments[id] != nil)
      if kind == .query { request.predicate = try context.predicate(text, arguments) }
      request.report = {
        context.report($0, in: text, isOmitted: arguments[predicate] == nil)
      }
      let result = try database.save(request)
      try SubscriptionSave.report([result], context)
    }
  }

  /// Throws `CommandError` for words that belong to another kind.
  private static func checkWords(_ arguments: Arguments, _ kind: Subscription.Kind) throws {
    guard kind == .query else {
      let words = [
        (arguments[type] != nil, "TYPE"), (arguments[on] != nil, "--on"),
        (arguments[once], "--once"),
      ]
      if let word = words.first(where: \.0) {
        throw CommandError(
          "\(word.1) can only be used with query subscriptions", .usage,
          hint: arguments[type].map {
            "limit a \(kind.name) subscription with --record-type \($0.text)"
          })
      }
      return
    }
    if arguments[type] == nil {
      throw CommandError(
        "TYPE is missing", .usage, hint: "ckdb subscription create query TYPE [PREDICATE]")
    }
    if arguments[recordType] != nil {
      throw CommandError(
        "--record-type can only be used with zone and database subscriptions", .usage)
    }
  }
}

/// `ckdb subscription save --from FILE`
enum SubscriptionSave {
  static let from = Option("from", nil, .file, "JSON file of a subscription, or of a list of them")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(from)],
      discussion: """
        Saves subscriptions written as CloudKit's web services write them: subscriptionID, \
        subscriptionType, query, zoneID, firesOn, firesOnce and notificationInfo. The predicate of \
        a query is text, in query.predicate. All are saved or none.
        """,
      examples: [
        .init(
          "Save the subscriptions of a file", "ckdb subscription save --from subscriptions.json")
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    guard let path = arguments[from] else {
      throw CommandError(
        "'subscription save' needs --from", .usage, hint: "ckdb subscription save --from FILE")
    }
    let drafts = try drafts(path, context)
    let database = try context.database()
    let requests = try drafts.map { draft in
      try context.blaming(draft.predicate ?? "") {
        SubscriptionRequest(
          draft.subscription, isNamed: draft.isNamed,
          predicate: try draft.filter
            ?? draft.predicate.map { try context.parse($0, [], variables: [:]) })
      }
    }
    try report(try database.save(requests), context)
  }

  private static func drafts(_ path: String, _ context: Context) throws -> [SubscriptionDraft] {
    let bytes =
      try path == "-"
      ? FileSystem.contents(of: context.surroundings.input) : FileSystem.contents(of: path)
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(JSONError) { return try SubscriptionDraft.list(text) } catch {
      let before = text.utf8.prefix(error.offset)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
      let name = path == "-" ? "standard input" : path
      throw CommandError("\(name):\(line):\(column): \(error.message)", .data)
    }
  }

  static func report(_ results: [SubscriptionResult], _ context: Context) throws {
    for result in results {
      context.report(result.notices)
      context.report(
        "\(result.isNew ? "created" : "updated") subscription \(result.subscription.id.text)")
    }
    guard context.settings.explicitFormat != nil else { return }
    try SubscriptionOutput.write(results.map(\.subscription), context)
  }
}

extension ValueKind where Value == Subscription.Events {
  /// Comma-separated events.
  static let events = ValueKind<Subscription.Events>(
    "EVENTS", candidates: .words(Subscription.Events.named.map(\.name))
  ) { (word) throws(ValueError) in
    var events: Subscription.Events = []
    for name in word.split(separator: ",") {
      guard let found = Subscription.Events.named.first(where: { utf8Equal($0.name, String(name)) })
      else { throw .unknown(String(name), among: Subscription.Events.named.map(\.name)) }
      events.insert(found.event)
    }
    return events
  }
}
