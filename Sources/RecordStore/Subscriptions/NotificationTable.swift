internal import Basics
public import CloudModel
internal import SQLite

// The outbox: what subscriptions sent to the devices of their users. A row is for all devices of a
// user but the one that made the change; what a device has seen is in its inbox.
extension EnvironmentStore {
  /// Adds a notification of a subscription, under the next number; `device` is the one of its user
  /// that made the change, nil for none. Throws `StoreError`.
  public func add(
    _ notification: PushNotification, of subscription: StoredSubscription, writtenOn device: Device?
  ) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        INSERT INTO _notification(_id, user, device, subscription, kind, scope, zone, owner,
          record, reason, read, at, contents, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, ?11, ?12,
          ckdb_seal(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, ?11, ?12))
        """)
      row.bind(try lastNotification() + 1, 1)
      row.bind(subscription.user, 2)
      row.bind(optional: device?.name, 3)
      row.bind(notification.subscription.text, 4)
      row.bind(Int64(notification.kind.rawValue), 5)
      row.bind(Int64(notification.scope.rawValue), 6)
      row.bind(optional: notification.zone?.name.text, 7)
      row.bind(
        optional: notification.zone.flatMap { $0.owner == .current ? nil : $0.owner.text }, 8)
      row.bind(optional: notification.record?.text, 9)
      if let reason = notification.reason {
        row.bind(Int64(reason.rawValue), 10)
      } else {
        row.bindNull(10)
      }
      row.bind(notification.at.milliseconds, 11)
      row.bind(notification.contents, 12)
      try row.run()
    }
  }

  /// The greatest number that a notification ever had here.
  func lastNotification() throws(SQLiteError) -> Int64 {
    let row = try connection.statement(Self.lastNotificationNumber)
    defer { row.reset() }
    return try row.step() ? row.int64(0) : 0
  }

  /// Asks a file for the greatest number that a notification ever had: the inbox of nobody
  /// remembers those that are gone.
  static let lastNotificationNumber = """
    SELECT max(ifnull((SELECT max(_id) FROM _notification), 0),
      ifnull((SELECT cleared FROM _inbox WHERE user = 0 AND device = ''), 0))
    """

  /// The notifications of a user for a device after a number, oldest first: those that his other
  /// devices, or other users, caused. Throws `StoreError`, and what `body` throws.
  public func notifications(
    of user: StoredUser, on device: Device, after number: Int64, in container: ContainerID,
    _ body: (PushNotification) throws -> Bool
  ) throws {
    let inbox = try inbox(of: user, on: device)
    let row = try sql { () throws(SQLiteError) in
      try connection.transientStatement(
        """
        SELECT _id, subscription, kind, scope, zone, owner, record, reason, read, at, contents,
          \(RowSeal.fits("_notification"))
        FROM _notification WHERE _id > ? AND _id <= ? AND user = ? AND device IS NOT ?
        ORDER BY _id
        """)
    }
    row.bind(max(number, inbox.cleared), 1)
    row.bind(inbox.held ?? .max, 2)
    row.bind(user.number, 3)
    row.bind(device.name, 4)
    var badge = inbox.counter { (after, end) throws(StoreError) in
      try self.badges(of: user, on: device, after: after, until: end)
    }
    while try sql({ () throws(SQLiteError) in try row.step() }) {
      try sql { () throws(SQLiteError) in try RowSeal.require(row, 11, of: "_notification") }
      var found = notification(in: row, of: user, container)
      if found.info.shouldBadge { found.badge = try badge.next(found.number) }
      guard try body(found) else { return row.reset() }
    }
  }

  private func notification(
    in row: Statement, of user: StoredUser, _ container: ContainerID
  ) -> PushNotification {
    var found = PushNotification(
      number: row.int64(0), id: "", container: container, user: user.name,
      subscription: SubscriptionID(stored: row.text(1)),
      kind: Subscription.Kind(rawValue: Int(row.int64(2))) ?? .query,
      scope: DatabaseScope(rawValue: Int(row.int64(3))) ?? .private, info: NotificationInfo(),
      at: Timestamp(milliseconds: row.int64(9)))
    if !row.isNull(4) {
      let owner: ZoneOwner =
        row.isNull(5) ? .current : .user(UserRecordName(stored: row.text(5)))
      found.zone = ZoneID(ZoneName(stored: row.text(4)), owner: owner)
    }
    found.record = row.isNull(6) ? nil : RecordName(stored: row.text(6))
    found.reason =
      row.isNull(7) ? nil : PushNotification.Reason(rawValue: Int(row.int64(7)))
    found.isRead = row.int64(8) != 0
    found.set(contents: row.text(10))
    return found
  }

  /// How many notifications of a user for a device count up his badge after a number and until
  /// another.
  private func badges(
    of user: StoredUser, on device: Device, after number: Int64, until end: Int64
  ) throws(StoreError) -> Int {
    try sql { () throws(SQLiteError) in
      let row = try connection.transientStatement(
        """
        SELECT count(*) FROM _notification WHERE _id > ? AND _id <= ? AND user = ?
          AND device IS NOT ? AND contents ->> '$.info.shouldBadge'
        """)
      row.bind(number, 1)
      row.bind(end, 2)
      row.bind(user.number, 3)
      row.bind(device.name, 4)
      return try row.step() ? Int(row.int64(0)) : 0
    }
  }

  /// The badge of a user's device now. Throws `StoreError`.
  public func badge(of user: StoredUser, on device: Device) throws(StoreError) -> Int {
    let inbox = try inbox(of: user, on: device)
    let last = inbox.badges.last ?? .none
    return try last.value
      + badges(of: user, on: device, after: last.after, until: inbox.held ?? .max)
  }

  /// Marks notifications of a user as read; returns which of the numbers are not there. Throws
  /// `StoreError`.
  public func markRead(
    _ numbers: [Int64], of user: StoredUser
  ) throws(StoreError) -> [Int64] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        UPDATE _notification SET read = 1, seal = ckdb_seal(user, device, subscription, kind,
          scope, zone, owner, record, reason, 1, at, contents)
        WHERE _id = ? AND user = ?
        """)
      row.bind(user.number, 2)
      var missing: [Int64] = []
      for number in numbers {
        row.bind(number, 1)
        try row.run()
        if connection.changedRows == 0 { missing.append(number) }
      }
      return missing
    }
  }

  /// Forgets all notifications of a user; their numbers stay taken. Throws `StoreError`.
  public func removeNotifications(of user: StoredUser) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      try keepNumbers(from: try lastNotification())
      for table in ["_notification", "_inbox"] {
        let row = try connection.transientStatement("DELETE FROM \(table) WHERE user = ?")
        row.bind(user.number, 1)
        try row.run()
      }
    }
  }

  private func keepNumbers(from last: Int64) throws(SQLiteError) {
    try connection.execute(EnvironmentFile.skipping(notification: last))
  }
}

extension EnvironmentFile {
  /// Lets the next notification have a number after a given one.
  static func skipping(notification last: Int64) -> String {
    """
    INSERT OR REPLACE INTO _inbox(user, device, cleared, held, badges, seal)
    SELECT 0, '', \(last), NULL, '[]', ckdb_seal(0, '', \(last), NULL, '[]')
    WHERE \(last) > ifnull((SELECT cleared FROM _inbox WHERE user = 0 AND device = ''), 0);
    """
  }
}
