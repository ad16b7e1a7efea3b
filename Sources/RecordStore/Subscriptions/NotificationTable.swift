public import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

// The outbox: what subscriptions sent to the devices of their users. A row is for all devices of a
// user but the one that made the change; what a device has seen is in its inbox.
extension EnvironmentStore {
  /// Adds a notification of a subscription, under the next number. One without an id gets it from
  /// its number when it is read; `device` is the one of its user that made the change, nil for
  /// none.
  public func add(
    _ notification: PushNotification, of subscription: StoredSubscription, writtenOn device: Device?
  ) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        INSERT INTO _notification(_id, user, device, subscription, kind, scope, zone, owner,
          record, reason, read, at, contents, seal)
        VALUES (NULL, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, ?11, ?12,
          ckdb_seal(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, ?11, ?12))
        """)
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

  /// Holds a notification back until the next one of its user: it comes before that one, or after
  /// it.
  public func hold(
    _ notification: PushNotification, of subscription: StoredSubscription,
    writtenOn device: Device?, isAfterNext: Bool
  ) throws(StoreError) {
    try add(notification, of: subscription, writtenOn: device)
    try sql { () throws(SQLiteError) in
      // A row of nobody, until it is sent under a number of its own.
      try connection.execute(
        """
        UPDATE _notification SET user = -user, read = \(isAfterNext ? Self.after : Self.before)
        WHERE _id = (SELECT max(_id) FROM _notification);
        \(Self.sealing("user < 0"))
        """)
      try catalog.changed()
    }
  }

  private static let (before, after) = (2, 3)

  private static func sealing(_ condition: String) -> String {
    let columns = RowSeal.columns(of: "_notification").joined(separator: ", ")
    return "UPDATE _notification SET seal = ckdb_seal(\(columns)) WHERE \(condition);"
  }

  /// Sends what was held back for the user of a subscription: what comes before the next
  /// notification, or after it.
  public func sendHeld(
    for subscription: StoredSubscription, isAfterNext: Bool
  ) throws(StoreError) {
    guard subscriptionIndex?.hasHeld == true else { return }
    try sql { () throws(SQLiteError) in
      let user = subscription.user
      let state = isAfterNext ? Self.after : Self.before
      let waiting = try connection.integers(
        """
        SELECT _id FROM _notification WHERE user < 0 AND user = -\(user) AND read = \(state)
        ORDER BY _id
        """)
      for number in waiting {
        try connection.execute(
          """
          UPDATE _notification SET user = \(user), read = 0,
            _id = (SELECT max(_id) FROM _notification) + 1 WHERE _id = \(number);
          \(Self.sealing("_id = (SELECT max(_id) FROM _notification)"))
          """)
      }
    }
  }

  /// The greatest number that a notification ever had here.
  public func lastNotificationNumber() throws(StoreError) -> Int64 {
    try sql { () throws(SQLiteError) in try lastNotification() }
  }

  /// What is written to last by each process that changes the store.
  public func watch() throws(StoreError) -> FileWatch {
    try onDisk { () throws(SystemError) in try FileWatch(file.lockPath) }
  }

  func lastNotification() throws(SQLiteError) -> Int64 {
    let row = try connection.statement(Self.lastNotificationNumber)
    defer { row.reset() }
    return try row.step() ? row.int64(0) : 0
  }

  /// Asks a file for the greatest number that a notification ever had.
  static let lastNotificationNumber = "SELECT ifnull(max(_id), 0) FROM _notification"

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
        SELECT \(Self.notificationColumns) FROM _notification
        WHERE _id > ? AND _id <= ? AND user = ? AND device IS NOT ? ORDER BY _id
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

  /// All notifications of a user, whichever device made the change.
  public func allNotifications(
    of user: StoredUser, in container: ContainerID
  ) throws(StoreError) -> [PushNotification] {
    try sql { () throws(SQLiteError) in
      let row = try connection.transientStatement(
        "SELECT \(Self.notificationColumns) FROM _notification WHERE user = ? ORDER BY _id")
      row.bind(user.number, 1)
      var found: [PushNotification] = []
      while try row.step() {
        try RowSeal.require(row, 11, of: "_notification")
        found.append(notification(in: row, of: user, container))
      }
      return found
    }
  }

  /// How many notifications there are of a user.
  public func notificationCount(of user: StoredUser) throws(StoreError) -> Int {
    try sql { () throws(SQLiteError) in
      let row = try connection.transientStatement(
        "SELECT count(*) FROM _notification WHERE user = ?")
      row.bind(user.number, 1)
      return try row.step() ? Int(row.int64(0)) : 0
    }
  }

  private static let notificationColumns = """
    _id, subscription, kind, scope, zone, owner, record, reason, read, at, contents, \
    \(RowSeal.fits("_notification"))
    """

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

  /// The badge of a user's device now.
  public func badge(of user: StoredUser, on device: Device) throws(StoreError) -> Int {
    let inbox = try inbox(of: user, on: device)
    let last = inbox.badges.last ?? .none
    return try last.value
      + badges(of: user, on: device, after: last.after, until: inbox.held ?? .max)
  }

  /// Marks notifications of a user as read; returns which of the numbers are not there.
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

  /// Forgets all notifications of a user; their numbers stay taken.
  public func removeNotifications(of user: StoredUser) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let last = try lastNotification()
      for table in ["_notification", "_inbox"] {
        let row = try connection.transientStatement("DELETE FROM \(table) WHERE user IN (?1, -?1)")
        row.bind(user.number, 1)
        try row.run()
      }
      try connection.execute(EnvironmentFile.skipping(notification: last))
    }
  }
}

extension EnvironmentFile {
  /// Lets the next notification have a number after a given one: a row of nobody keeps it.
  static func skipping(notification last: Int64) -> String {
    """
    INSERT INTO _notification(_id, user, subscription, kind, scope, read, at, contents, seal)
    SELECT \(last), 0, '', 0, 0, 0, 0, '',
      ckdb_seal(0, NULL, '', 0, 0, NULL, NULL, NULL, NULL, 0, 0, '')
    WHERE \(last) > (SELECT ifnull(max(_id), 0) FROM _notification);
    """
  }
}
