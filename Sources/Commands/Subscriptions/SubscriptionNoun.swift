internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb subscription …`
enum SubscriptionNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("create", "Create or update a subscription", verb: { SubscriptionCreate.command }),
    CommandRow("save", "Save subscriptions from a JSON file", verb: { SubscriptionSave.command }),
    CommandRow("list", "List the subscriptions of the account", verb: { list }),
    CommandRow("show", "Show a subscription", verb: { show }),
    CommandRow("delete", "Delete subscriptions", verb: { delete }),
  ]

  static let id = Operand("ID", .subscription, "ID of the subscription")
  static let ids = Operand("ID", .subscription, .oneOrMore, "ID of a subscription")

  private static var list: Command<Context> {
    Command(
      discussion: """
        Lists the subscriptions that the account has in the database, in the order in which they \
        were created. JSON formats print them as CloudKit's web services do, with the predicate as \
        text.
        """,
      examples: [
        .init("List the subscriptions", "ckdb subscription list"),
        .init("Print them for 'ckdb subscription save'", "ckdb subscription list --json"),
      ]
    ) { _, context in
      try SubscriptionOutput.write(try context.database().subscriptions(), context)
    }
  }

  private static var show: Command<Context> {
    Command(
      operands: [AnyOperand(id)],
      examples: [.init("Show a subscription", "ckdb subscription show big --json")]
    ) { arguments, context in
      let found = try context.database().subscription(arguments.required(id))
      try SubscriptionOutput.write([found], context)
    }
  }

  private static var delete: Command<Context> {
    Command(
      operands: [AnyOperand(ids)],
      discussion: """
        Deletes all of them or none: an ID that does not exist is an error (rule R8.1.4). \
        Notifications already sent stay.
        """,
      examples: [.init("Delete a subscription", "ckdb subscription delete big")]
    ) { arguments, context in
      let ids = arguments.all(ids)
      try context.database().deleteSubscriptions(ids)
      for id in ids { context.report("deleted subscription \(id.text)") }
    }
  }
}

/// Prints subscriptions: as on the wire in JSON, one line each in other formats.
enum SubscriptionOutput {
  private static let columns = [
    "subscriptionID", "type", "zone", "recordType", "predicate", "firesOn", "firesOnce", "alert",
  ]
  private static let jsonColumns = [
    "subscriptionID", "subscriptionType", "recordType", "query", "zoneID", "firesOn", "firesOnce",
    "notificationInfo",
  ]

  static func write(_ subscriptions: [Subscription], _ context: Context) throws {
    let isJSON = try context.format().isJSON
    let output = try RowOutput(
      context, noun: "subscription", columns: isJSON ? jsonColumns : columns)
    for subscription in subscriptions {
      let json = subscription.json
      output.row(isJSON ? jsonColumns.map { json[$0] ?? .null } : cells(subscription))
    }
    output.finish()
  }

  private static func cells(_ subscription: Subscription) -> [JSONValue] {
    let isQuery = subscription.kind == .query
    return [
      .string(subscription.id.text), .string(subscription.kind.name),
      subscription.zone.map { .string($0.name.text) } ?? .null,
      subscription.type.map { .string($0.text) } ?? .null,
      isQuery ? .string(subscription.predicate) : .null,
      isQuery ? .string(subscription.events.names.joined(separator: ",")) : .null,
      isQuery && subscription.firesOnce ? .bool(true) : .null,
      (subscription.info?.alertLocalizationKey ?? subscription.info?.alertBody
        ?? subscription.info?.title).map { .string($0) } ?? .null,
    ]
  }
}

extension ValueKind where Value == SubscriptionID {
  /// A subscription's ID.
  static let subscription = ValueKind<SubscriptionID>(
    "ID", candidates: .question("subscriptions")
  ) { (word) throws(ValueError) in
    try checked { () throws(CloudError) in try SubscriptionID(word) }
  }
}
