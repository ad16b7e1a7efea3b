public import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

// The outbox: what subscriptions sent to the devices of their users. A row is for all devices of a
// user except the one that made the change; the inbox says what a device has seen.
extension EnvironmentStore {
  /// Adds a notification of a subscription, under the next number. `device` made the change; nil if
  /// no device of the user did.
  public func add(
    _ notification: PushNotification, of subscription: StoredSubscription, writtenOn device: Device?
  ) throws(StoreError) {
    let zone = notification.zone ?? notification.changedZone
    let owner = zone.flatMap { $0.owner == .current ? nil : $0.owner.text }
    try database.insert(
      EnvironmentTables.notification,
      [
        "user": subscription.user, "device": device, "subscription": notification.subscription,
        "kind": notification.kind.rawValue, "scope": notification.scope.rawValue,
        "zone": zone?.name, "owner": owner, "record": notification.record,
        "reason": notification.reason?.rawValue, "read": 0, "at": notification.at,
        "contents": notification.contents,
      ])
  }

  /// Holds a notification back until the next one of its user: it arrives before that one, or after
  /// it.
  public func hold(
    _ notification: PushNotification, of subscription: StoredSubscription,
    writtenOn device: Device?, isAfterNext: Bool
  ) throws(StoreError) {
    try add(notification, of: subscription, writtenOn: device)
    // It belongs to no user until it is sent under a number of its own.
    let held = EnvironmentTables.notification.update(["user": "-user", "read": "?"])
    try database.run(
      held + " WHERE _id = (SELECT max(_id) FROM _notification)",
      [isAfterNext ? Self.after : Self.before])
    try catalog.changed()
  }

  private static let (before, after) = (2, 3)

  /// Sends what was held back for the user of a subscription: before the next notification, or
  /// after it.
  public func sendHeld(
    for subscription: StoredSubscription, isAfterNext: Bool
  ) throws(StoreError) {
    guard subscriptionIndex?.hasHeld == true else { return }
    let waiting: [Int64] = try database.values(
      """
      SELECT _id FROM _notification WHERE user < 0 AND user = -?1 AND read = ?2 ORDER BY _id
      """, [subscription.user, isAfterNext ? Self.after : Self.before])
    for number in waiting {
      let next = "(SELECT max(_id) FROM _notification) + 1"
      try database.run(
        EnvironmentTables.notification.update(["user": "-user", "read": "0"])
          + ", _id = \(next) WHERE _id = ?", [number])
    }
  }

  /// The greatest number of a notification ever in this file.
  public func lastNotificationNumber() throws(StoreError) -> Int64 {
    try lastNotification()
  }

  /// The file that each process writes last when it changes the store.
  public var commitFile: String { file.lockPath }

  /// Watches that file.
  public func watch() throws(StoreError) -> FileWatch {
    try onDisk { () throws(SystemError) in try FileWatch(commitFile) }
  }

  func lastNotification() throws(StoreError) -> Int64 {
    try database.value(Self.lastNotificationNumber) ?? 0
  }

  /// An SQL query for the greatest number of a notification ever.
  static let lastNotificationNumber = "SELECT ifnull(max(_id), 0) FROM _notification"

  /// The notifications of a user for a device after a number, oldest first: those that other
  /// devices of the user, or other users, caused. Of those with the same collapse key only the last
  /// is left. Throws `StoreError`, and the errors of `body`.
  public func notifications(
    of user: StoredUser, on device: Device, after number: Int64, in container: ContainerID,
    _ body: (PushNotification) throws -> Bool
  ) throws {
    let inbox = try inbox(of: user, on: device)
    // A statement of its own: `body` may run others.
    let statement = try connection.query(
      """
      \(Self.selection) WHERE _id > ? AND _id <= ? AND user = ? AND device IS NOT ? ORDER BY _id
      """)
    statement.bind([
      max(number, inbox.cleared), inbox.held ?? .max, user.number, device,
    ])
    var badge = inbox.counter { (after, end) throws(StoreError) in
      try self.badges(of: user, on: device, after: after, until: end)
    }
    let last = try lastNumbers(of: user, on: device, until: inbox.held ?? .max)
    while try statement.next() {
      let row = try Row(EnvironmentTables.notification, in: statement)
      var found = notification(row, of: user, container)
      if let key = found.info.collapseIDKey, last[key] != found.number { continue }
      if found.info.shouldBadge { found.badge = try badge.next(found.number) }
      guard try body(found) else { return statement.reset() }
    }
  }

  /// The number of the last notification with each collapse key.
  private func lastNumbers(
    of user: StoredUser, on device: Device, until end: Int64
  ) throws(StoreError) -> [String: Int64] {
    let row = try connection.query(
      """
      SELECT contents ->> '$.info.collapseIDKey' AS key, max(_id) FROM _notification
      WHERE user = ? AND device IS NOT ? AND _id <= ? AND contents LIKE '%"collapseIDKey"%'
      GROUP BY key
      """)
    row.bind([user.number, device, end])
    var last: [String: Int64] = [:]
    while try row.next() { last[row.text(0)] = row.int64(1) }
    return last
  }

  /// All notifications of a user, whichever device made the change.
  public func allNotifications(
    of user: StoredUser, in container: ContainerID
  ) throws(StoreError) -> [PushNotification] {
    try database.all("\(Self.selection) WHERE user = ? ORDER BY _id", [user.number]) {
      (statement) throws(StoreError) in
      notification(try Row(EnvironmentTables.notification, in: statement), of: user, container)
    }
  }

  /// How many notifications there are of a user.
  public func notificationCount(of user: StoredUser) throws(StoreError) -> Int {
    try database.value("SELECT count(*) FROM _notification WHERE user = ?", [user.number]) ?? 0
  }

  private static let selection =
    "SELECT \(EnvironmentTables.notification.selection()) FROM _notification"

  private func notification(
    _ row: Row, of user: StoredUser, _ container: ContainerID
  ) -> PushNotification {
    var found = PushNotification(
      number: row.number, id: "", container: container, user: user.name,
      subscription: row["subscription"],
      kind: Subscription.Kind(rawValue: row["kind"]) ?? .query,
      scope: DatabaseScope(rawValue: row["scope"]) ?? .private, info: NotificationInfo(),
      at: row["at"])
    if let zone: ZoneName = row["zone"] {
      let owner: UserRecordName? = row["owner"]
      let id = ZoneID(zone, owner: owner.map { .user($0) } ?? .current)
      if found.kind == .database { found.changedZone = id } else { found.zone = id }
    }
    found.record = row["record"]
    found.reason = (row["reason"] as Int?).flatMap { PushNotification.Reason(rawValue: $0) }
    found.isRead = row["read"]
    found.set(contents: row["contents"])
    return found
  }

  /// The number of notifications of a user for a device, after a number and up to another, that
  /// increment its badge.
  private func badges(
    of user: StoredUser, on device: Device, after number: Int64, until end: Int64
  ) throws(StoreError) -> Int {
    try database.value(
      """
      SELECT count(*) FROM _notification WHERE _id > ? AND _id <= ? AND user = ?
        AND device IS NOT ? AND contents ->> '$.info.shouldBadge'
      """, [number, end, user.number, device]) ?? 0
  }

  /// The current badge of a user's device.
  public func badge(of user: StoredUser, on device: Device) throws(StoreError) -> Int {
    let inbox = try inbox(of: user, on: device)
    let last = inbox.badges.last ?? .none
    return try last.value
      + badges(of: user, on: device, after: last.after, until: inbox.held ?? .max)
  }

  /// Marks notifications of a user as read; returns the numbers that do not exist.
  public func markRead(
    _ numbers: [Int64], of user: StoredUser
  ) throws(StoreError) -> [Int64] {
    let marking =
      EnvironmentTables.notification.update(["read": "1"]) + " WHERE _id = ? AND user = ?"
    var missing: [Int64] = []
    for number in numbers where try database.run(marking, [number, user.number]) == 0 {
      missing.append(number)
    }
    return missing
  }

  /// Forgets all notifications of a user; their numbers stay taken.
  public func removeNotifications(of user: StoredUser) throws(StoreError) {
    let last = try lastNotification()
    for table in [EnvironmentTables.notification, EnvironmentTables.inbox] {
      try database.delete(from: table, "user IN (?1, -?1)", [user.number])
    }
    try connection.perform(EnvironmentFile.skipping(notification: last))
  }
}

extension EnvironmentFile {
  /// Makes the next notification have a number after a given one: a row of no user stores it.
  static func skipping(notification last: Int64) -> String {
    EnvironmentTables.notification.insertion(
      of: [
        "user": "0", "device": "NULL", "subscription": "''", "kind": "0", "scope": "0",
        "zone": "NULL", "owner": "NULL", "record": "NULL", "reason": "NULL", "read": "0",
        "at": "0", "contents": "''",
      ], number: "\(last)",
      from: "(SELECT 1) WHERE \(last) > (SELECT ifnull(max(_id), 0) FROM _notification);")
  }
}
