internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// The row of a subscription.
public struct StoredSubscription: Sendable {
  /// The number of the row.
  let number: Int64
  /// The number of its user's row.
  let user: Int64
  /// Its user's record name.
  public let userName: UserRecordName
  /// Its user's account.
  public let account: Account
  /// The subscription.
  public let subscription: Subscription

  fileprivate init(_ statement: Statement) throws(StoreError) {
    let row = try Row(EnvironmentTables.subscription, in: statement)
    let owner = try Row(
      EnvironmentTables.user, in: statement, from: EnvironmentTables.subscription.width)
    number = row.number
    user = row["user"]
    userName = owner["name"]
    account = owner["account"]
    var found = Subscription(
      row["name"], Subscription.Kind(rawValue: row["kind"]) ?? .query,
      in: DatabaseScope(rawValue: row["scope"]) ?? .private)
    found.zone = (row["zone"] as ZoneName?).map { ZoneID($0) }
    found.type = row["type"]
    found.predicate = row["predicate"]
    found.events = Subscription.Events(rawValue: row["events"])
    found.firesOnce = row["once"]
    found.info = (row["info"] as String?).flatMap { NotificationInfo(stored: $0) }
    subscription = found
  }

  fileprivate static let columns =
    EnvironmentTables.subscription.selection("s") + ", " + EnvironmentTables.user.selection("u")
}

extension EnvironmentStore {
  /// All subscriptions, in the order of their creation.
  public func subscriptions() throws(StoreError) -> [StoredSubscription] {
    try subscriptions("ORDER BY s._id", [])
  }

  /// The subscriptions of a user in a database, in the order of their creation.
  public func subscriptions(
    of user: StoredUser, in scope: DatabaseScope
  ) throws(StoreError) -> [StoredSubscription] {
    try subscriptions(
      "WHERE s.user = ? AND s.scope = ? ORDER BY s._id", [user.number, scope.rawValue])
  }

  /// The subscription of a user with a name; nil for none.
  public func subscription(
    _ id: SubscriptionID, of user: StoredUser, in scope: DatabaseScope
  ) throws(StoreError) -> StoredSubscription? {
    try subscriptions(
      "WHERE s.user = ? AND s.scope = ? AND s.name = ?", [user.number, scope.rawValue, id]
    ).first
  }

  /// How many subscriptions a user has in a database.
  public func subscriptionCount(
    of user: StoredUser, in scope: DatabaseScope
  ) throws(StoreError) -> Int64 {
    try database.value(
      "SELECT count(*) FROM _subscription WHERE user = ? AND scope = ?",
      [user.number, scope.rawValue]) ?? 0
  }

  /// Another subscription of a user that fires for the same changes; nil for none (R8.1.6).
  public func duplicate(
    of subscription: Subscription, by user: StoredUser
  ) throws(StoreError) -> Subscription? {
    if let index = currentSubscriptions { return index.duplicate(of: subscription, by: user) }
    return try subscriptions(
      "WHERE s.user = ? AND s.scope = ? AND s.predicate = ? ORDER BY s._id",
      [user.number, subscription.scope.rawValue, subscription.predicate]
    ).map(\.subscription).first { $0.isDuplicate(of: subscription) }
  }

  private func subscriptions(
    _ condition: String, _ values: [any StoredValue]
  ) throws(StoreError) -> [StoredSubscription] {
    try database.all(
      """
      SELECT \(StoredSubscription.columns) FROM _subscription s CROSS JOIN _user u
      ON u._id = s.user \(condition)
      """, values
    ) { (row) throws(StoreError) in try StoredSubscription(row) }
  }

  /// Makes a subscription of a user, or replaces the one with its name (R8.1.4). Returns whether it
  /// is new. Throws `StoreError`, and the errors of the journal's `select`.
  public func set(_ subscription: Subscription, of user: StoredUser) throws -> Bool {
    func stored() throws(StoreError) -> StoredSubscription? {
      try self.subscription(subscription.id, of: user, in: subscription.scope)
    }
    let isNew = try stored() == nil
    let index = currentSubscriptions
    try database.insert(
      EnvironmentTables.subscription,
      [
        "user": user.number, "scope": subscription.scope.rawValue, "name": subscription.id,
        "kind": subscription.kind.rawValue, "zone": subscription.zone?.name,
        "type": subscription.type, "predicate": subscription.predicate,
        "events": subscription.events.rawValue, "once": subscription.firesOnce,
        "info": subscription.info?.stored,
      ], .update)
    try subscriptionsChanged()
    guard isNew, let index, let journal = state.journal, let stored = try stored() else {
      return isNew
    }
    // Rebuilding the index for each new subscription would take quadratic time.
    let found = try journal.select(stored)
    index.add(
      .init(stored: stored, selection: found?.selection), isVolatile: found?.isVolatile == true,
      version: catalog.version)
    return true
  }

  /// Deletes a subscription.
  public func remove(_ subscription: StoredSubscription) throws(StoreError) {
    let index = currentSubscriptions
    try database.delete(from: EnvironmentTables.subscription, "_id = ?", [subscription.number])
    try subscriptionsChanged()
    index?.remove(subscription, version: catalog.version)
  }

  /// The index, if it matches the current schema.
  private var currentSubscriptions: SubscriptionIndex? {
    subscriptionIndex.flatMap { $0.version == catalog.version ? $0 : nil }
  }

  /// All processes notice a change by the number of the schema, which each transaction reads
  /// anyway.
  private func subscriptionsChanged() throws(StoreError) { try catalog.changed() }
}
