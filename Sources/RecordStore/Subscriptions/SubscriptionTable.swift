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
  /// What it says.
  public let subscription: Subscription

  fileprivate init(in row: Statement) throws(SQLiteError) {
    try RowSeal.require(row, 12, of: "_subscription")
    number = row.int64(0)
    user = row.int64(1)
    var found = Subscription(
      SubscriptionID(stored: row.text(3)),
      Subscription.Kind(rawValue: Int(row.int64(4))) ?? .query,
      in: DatabaseScope(rawValue: Int(row.int64(2))) ?? .private)
    found.zone = row.isNull(5) ? nil : ZoneID(ZoneName(stored: row.text(5)))
    found.type = row.isNull(6) ? nil : RecordType(stored: row.text(6))
    found.predicate = row.text(7)
    found.events = Subscription.Events(rawValue: Int(row.int64(8)))
    found.firesOnce = row.int64(9) != 0
    found.info = row.isNull(10) ? nil : NotificationInfo(stored: row.text(10))
    subscription = found
    userName = UserRecordName(stored: row.text(11))
    account = Account(stored: row.text(13))
  }

  fileprivate static let columns = """
    s._id, s.user, s.scope, s.name, s.kind, s.zone, s.type, s.predicate, s.events, s.once, \
    s.info, u.name, \(RowSeal.fits("_subscription", "s")) AND \(RowSeal.fits("_user", "u")), \
    u.account
    """
}

extension EnvironmentStore {
  /// All subscriptions, in the order in which they were made.
  public func subscriptions() throws(StoreError) -> [StoredSubscription] {
    try subscriptions("ORDER BY s._id") { _ in }
  }

  /// The subscriptions of a user in a database, in the order in which they were made.
  public func subscriptions(
    of user: StoredUser, in scope: DatabaseScope
  ) throws(StoreError) -> [StoredSubscription] {
    try subscriptions("WHERE s.user = ? AND s.scope = ? ORDER BY s._id") {
      $0.bind(user.number, 1)
      $0.bind(Int64(scope.rawValue), 2)
    }
  }

  private func subscriptions(
    _ condition: String, _ bind: (Statement) -> Void
  ) throws(StoreError) -> [StoredSubscription] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT \(StoredSubscription.columns) FROM _subscription s CROSS JOIN _user u
        ON u._id = s.user \(condition)
        """)
      bind(row)
      var found: [StoredSubscription] = []
      while try row.step() { found.append(try StoredSubscription(in: row)) }
      return found
    }
  }

  /// Makes a subscription of a user, or replaces the one of its name (R8.1.4).
  public func set(_ subscription: Subscription, of user: StoredUser) throws(StoreError) {
    try changingSubscriptions { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        INSERT INTO _subscription(user, scope, name, kind, zone, type, predicate, events, once,
          info, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
          ckdb_seal(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10))
        ON CONFLICT(user, scope, name) DO UPDATE SET kind = ?4, zone = ?5, type = ?6,
          predicate = ?7, events = ?8, once = ?9, info = ?10,
          seal = ckdb_seal(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """)
      row.bind(user.number, 1)
      row.bind(Int64(subscription.scope.rawValue), 2)
      row.bind(subscription.id.text, 3)
      row.bind(Int64(subscription.kind.rawValue), 4)
      row.bind(optional: subscription.zone?.name.text, 5)
      row.bind(optional: subscription.type?.text, 6)
      row.bind(subscription.predicate, 7)
      row.bind(Int64(subscription.events.rawValue), 8)
      row.bind(Int64(subscription.firesOnce ? 1 : 0), 9)
      row.bind(optional: subscription.info?.stored, 10)
      try row.run()
    }
  }

  /// Deletes a subscription.
  public func remove(_ subscription: StoredSubscription) throws(StoreError) {
    try changingSubscriptions { () throws(SQLiteError) in
      let row = try connection.statement("DELETE FROM _subscription WHERE _id = ?")
      row.bind(subscription.number, 1)
      try row.run()
    }
  }

  /// Every process learns of a change by the number of the schema, which each transaction reads
  /// anyway.
  private func changingSubscriptions(
    _ change: () throws(SQLiteError) -> Void
  ) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      try change()
      try catalog.changed()
    }
  }
}
