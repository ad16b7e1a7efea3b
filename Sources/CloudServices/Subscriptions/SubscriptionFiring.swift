internal import Basics
public import CloudModel
internal import FieldCodecs
internal import PredicateLanguage
internal import RecordStore

// A change and the notifications that it causes are one transaction.
extension CloudEnvironment {
  /// Begins to journal an operation for subscriptions.
  func beginJournal() throws {
    guard request.notifies else { return store.endJournal() }
    try store.beginJournal { try self.selection(of: $0) }
  }

  /// Sends the notifications that the operation causes.
  func fireSubscriptions() throws {
    guard store.hasJournal else { return }
    let (queries, feeds) = (try store.queryMatches(), try store.feedMatches())
    defer { store.endJournal() }
    if queries.isEmpty, feeds.isEmpty { return }
    var firing = try SubscriptionFiring(self)
    for match in queries { try firing.fire(match) }
    for match in feeds { try firing.fire(match) }
  }

  /// Fires all zone and database subscriptions, because anything may have changed.
  fileprivate func fireFeeds() throws(CloudError) {
    try write {
      var firing = try SubscriptionFiring(self)
      for stored in try store.subscriptions() where stored.subscription.kind != .query {
        try firing.fire(FeedMatch(subscription: stored, zone: stored.subscription.zone))
      }
    }
  }

  /// Returns the records that a query subscription selects, as its user sees them. Nil if it can no
  /// longer match: its type or a field is gone, or its user may not read the type.
  private func selection(
    of stored: StoredSubscription
  ) throws -> (selection: RecordSelection, isVolatile: Bool)? {
    let subscription = stored.subscription
    guard subscription.kind == .query, let type = subscription.type,
      let table = try store.table(type)
    else { return nil }
    var request = request
    request.account = stored.account
    request.isStrict = false
    let database = try acting(for: request).database(subscription.scope)
    let schema = table.schema
    let hasRoles =
      subscription.scope == .public
      && schema.grants.entries.contains { !$0.role.isImplicit }
    do {
      let predicate = try PredicateParser.parse(subscription.predicate)
      let selection = try database.matching(QueryRequest(type: type, predicate: predicate), table)
      return (selection, predicate.isVolatile || hasRoles)
    } catch is PredicateError {
      return nil
    } catch let error as CloudError where error.storage == nil {
      return nil
    }
  }
}

extension CloudStore {
  /// Notifies the clients of all environments that these were replaced.
  public func notifyOfRestore(for request: Request) throws(CloudError) {
    var request = request
    // No device made this change itself.
    request.account = nil
    try forEachEnvironment { (container, environment) throws(CloudError) in
      try self.environment(container, environment, for: request).fireFeeds()
    }
  }
}

/// Sends notifications.
private struct SubscriptionFiring {
  let environment: CloudEnvironment
  /// The subscriptions that fire only once and have fired.
  private var ended: Set<SubscriptionKey> = []
  private var store: EnvironmentStore { environment.store }

  private struct SubscriptionKey: Hashable {
    let user: UserRecordName
    let scope: DatabaseScope
    let id: SubscriptionID
  }

  /// Whether any faults strike pushes.
  private let hasFaults: Bool

  init(_ environment: CloudEnvironment) throws(CloudError) {
    self.environment = environment
    hasFaults = try environment.owner.faults().contains { $0.operation == .push }
  }

  /// Sends the push of a query subscription.
  mutating func fire(_ match: SubscriptionMatch) throws {
    let subscription = match.subscription.subscription
    let key = SubscriptionKey(
      user: match.subscription.userName, scope: subscription.scope, id: subscription.id)
    if ended.contains(key) { return }
    var notification = notification(of: match.subscription, at: match.sequence)
    notification.zone = ZoneID(match.zone.name)
    notification.record = match.name
    notification.reason = match.reason
    if let record = match.record { notification.fill(from: record) }
    try send(notification, match.subscription)
    guard subscription.firesOnce else { return }
    ended.insert(key)
    try store.remove(match.subscription)
  }

  /// Sends the push of a zone or database subscription.
  mutating func fire(_ match: FeedMatch) throws {
    var notification = notification(of: match.subscription, at: store.lastSequence)
    notification.zone = match.subscription.subscription.zone
    notification.changedZone = match.zone
    try send(notification, match.subscription)
  }

  private func notification(
    of stored: StoredSubscription, at sequence: Int64
  ) -> PushNotification {
    let subscription = stored.subscription
    return PushNotification(
      number: 0, id: String(sequence), container: environment.container, user: stored.userName,
      subscription: subscription.id, kind: subscription.kind, scope: subscription.scope,
      info: subscription.info ?? NotificationInfo(), at: environment.request.now)
  }

  /// Sends a notification, except to the device that made the change (R8.1.2).
  private mutating func send(_ notification: PushNotification, _ stored: StoredSubscription) throws
  {
    let isOwn = environment.request.account == stored.account
    let device = isOwn ? environment.request.device : nil
    let effect = hasFaults ? try effect(on: notification, stored) : nil
    if effect == .lost { return }
    if let effect, effect == .late || effect == .reordered {
      return try store.hold(
        notification, of: stored, writtenOn: device, isAfterNext: effect == .reordered)
    }
    try store.sendHeld(for: stored, isAfterNext: false)
    try store.add(notification, of: stored, writtenOn: device)
    if effect == .duplicated { try store.add(notification, of: stored, writtenOn: device) }
    try store.sendHeld(for: stored, isAfterNext: true)
  }

  private func effect(
    on notification: PushNotification, _ stored: StoredSubscription
  ) throws -> FaultRule.PushEffect? {
    try environment.owner.pushEffect(
      type: stored.subscription.type, zone: notification.zone, environment.request)
  }
}

extension PushNotification {
  /// Fills in the push's values from a record; a deleted record has no values for the desired keys
  /// (C184).
  fileprivate mutating func fill(from record: Record) {
    func text(_ name: FieldName) -> String { record.fields[name]?.argument ?? "" }
    if reason != .deleted {
      fields = info.desiredKeys.compactMap { name in
        record.fields[name].map { value in
          var bytes: [UInt8] = []
          bytes.append(plain: value)
          return Value(name, json: String(decoding: bytes, as: UTF8.self))
        }
      }
    }
    arguments.alert = info.alertLocalizationArgs.map(text)
    arguments.title = info.titleLocalizationArgs.map(text)
    arguments.subtitle = info.subtitleLocalizationArgs.map(text)
  }
}

extension FieldValue {
  /// The value as the argument of a localized text.
  fileprivate var argument: String {
    if case .string(let text) = self { return text }
    var bytes: [UInt8] = []
    bytes.append(plain: self)
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
  }
}
