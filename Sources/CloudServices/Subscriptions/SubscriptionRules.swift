internal import CloudModel
internal import PredicateLanguage
internal import RecordStore

/// CloudKit's rules for subscriptions (R8.1, R8.2).
struct SubscriptionRules {
  let database: CloudDatabase
  private var environment: CloudEnvironment { database.environment }

  /// Checks a subscription to be saved, and sets the canonical text of its predicate.
  func check(
    _ subscription: inout Subscription, _ request: SubscriptionRequest
  ) throws {
    try checkPlace(subscription)
    if subscription.kind == .query {
      guard let type = subscription.type else {
        throw refusal("A query subscription needs a record type")
      }
      guard !subscription.events.isEmpty else {
        throw refusal("A query subscription must fire on create, update or delete")
      }
      subscription.predicate = try predicate(of: type, request)
      if request.isForCloudKit { try requireDeployed(SubscriptionType(type, subscription.events)) }
    } else {
      if subscription.firesOnce || subscription.events != .all || request.predicate != nil {
        throw refusal(
          "Only a query subscription can have a predicate, events to fire on and firesOnce")
      }
      if let type = subscription.type { _ = try environment.requireTable(type) }
    }
    if let info = subscription.info { try check(info, of: subscription) }
    if subscription.info?.isEmpty == true { subscription.info = nil }
  }

  /// Production takes only types of subscriptions that were made in development and deployed
  /// (R1.2.14).
  private func requireDeployed(_ type: SubscriptionType) throws {
    guard environment.environment == .production,
      try !database.store.subscriptionTypes().contains(type)
    else { return }
    throw CloudError(
      .invalidArguments, "attempting to create a subscription in a production container",
      serverCode: 2006, remedy: .subscribeInDevelopment)
  }

  private func refusal(_ message: String) -> CloudError { CloudError(.invalidArguments, message) }

  /// Checks the database of each kind: not the shared one for queries, only the private one for
  /// zones, not the public one for databases (C177, C178, C180).
  private func checkPlace(_ subscription: Subscription) throws {
    let zone = subscription.zone
    switch (subscription.kind, database.scope) {
    case (.query, .shared):
      throw CloudError(
        .badDatabase, "Query subscriptions are not supported in the shared database",
        remedy: "use a database subscription")
    case (.zone, .public), (.zone, .shared):
      throw CloudError(
        .badDatabase, "Zone subscriptions are supported in the private database only", zone: zone)
    case (.database, .public):
      throw CloudError(
        .badDatabase, "Database subscriptions are not supported in the public database",
        remedy: "use a query subscription")
    case (.query, _), (.zone, .private), (.database, _): break
    }
    switch (subscription.kind, zone) {
    case (.zone, nil): throw refusal("A zone subscription needs a zone")
    case (.zone, let zone?) where zone.isDefault:
      throw refusal("A zone subscription needs a zone whose changes can be fetched")
    case (.database, .some):
      throw refusal("A database subscription covers all zones and cannot have one")
    case (_, let zone?): _ = try database.zoneToRead(zone)
    case (_, nil): break
    }
  }

  /// Returns the canonical text of a predicate for the type. Values that depend on the time are not
  /// computed before a record is matched.
  private func predicate(
    of type: RecordType, _ request: SubscriptionRequest
  ) throws -> String {
    let predicate = try request.predicate ?? PredicateParser.parse("TRUEPREDICATE")
    let query = QueryRequest(type: type, predicate: predicate)
    let table = try environment.requireTable(type)
    _ = try database.matching(query, table)
    try database.requireAllowed(query, table)
    try request.report(try database.findings(query, table.schema))
    if predicate.isVolatile {
      _ = try database.bound(
        QueryRequest(type: type, predicate: PredicateParser.parse(predicate.text)), table)
      return predicate.text
    }
    return try database.bound(query, table).text
  }

  // MARK: Pushes

  private func check(_ info: NotificationInfo, of subscription: Subscription) throws {
    let schema = try subscription.type.flatMap { try database.store.table($0)?.schema }
    guard subscription.kind == .query || info.keys.isEmpty else {
      throw refusal("Only query subscriptions can send fields of a record")
    }
    guard info.desiredKeys.count <= NotificationInfo.mostDesiredKeys else {
      throw refusal(
        "desiredKeys has \(info.desiredKeys.count) fields; at most "
          + "\(NotificationInfo.mostDesiredKeys) are allowed")
    }
    for key in info.desiredKeys {
      try require(key, in: schema, "desiredKeys", Self.desiredTypes)
    }
    for key in info.alertLocalizationArgs + info.titleLocalizationArgs
      + info.subtitleLocalizationArgs
    {
      try require(key, in: schema, "localization arguments", Self.argumentTypes)
    }
    let lists = [
      ("alert", info.alertLocalizationKey, info.alertLocalizationArgs),
      ("title", info.titleLocalizationKey, info.titleLocalizationArgs),
      ("subtitle", info.subtitleLocalizationKey, info.subtitleLocalizationArgs),
    ]
    for (name, key, fields) in lists where key == nil && !fields.isEmpty {
      throw refusal("\(name)LocalizationArgs need \(name)LocalizationKey")
    }
  }

  private static let argumentTypes: [FieldType.Base] = [.string, .int64, .double, .timestamp]
  private static let desiredTypes = argumentTypes + [.location, .reference]

  /// Checks that a push's key has plain values (R8.2).
  private func require(
    _ key: FieldName, in schema: RecordTypeSchema?, _ what: String, _ types: [FieldType.Base]
  ) throws {
    guard let schema else { return }
    guard let field = schema.field(key.key) else {
      throw CloudError.fieldNotFound(key.key, in: schema.name, among: schema.fields)
    }
    guard !field.type.isList, !field.type.isEncrypted, types.contains(field.type.base) else {
      throw refusal(
        "Field '\(key.text)' has a value type of \(field.type.valueTypeName) and cannot be in "
          + what)
    }
  }
}

extension Predicate {
  /// Whether its result depends on more than a record: the time, or randomness.
  var isVolatile: Bool {
    var isVolatile = false
    visit { expression in
      if case .function(let function, _, _) = expression,
        [.now, .random, .randomBelow].contains(function)
      {
        isVolatile = true
      }
    }
    return isVolatile
  }
}
