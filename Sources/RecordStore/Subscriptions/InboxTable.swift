internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// What a device of a user has seen of his notifications.
struct StoredInbox {
  /// Notifications up to this number are forgotten.
  var cleared: Int64 = 0
  /// The last number that came before the device went offline; nil while it is online.
  var held: Int64?
  /// The badges that were set, and after which numbers.
  var badges: [Badge] = []

  /// A badge that was set after a notification.
  struct Badge {
    var after: Int64
    var value: Int

    static let none = Badge(after: 0, value: 0)
  }

  /// Gives the badge of one notification after the other.
  struct BadgeCounter {
    fileprivate let badges: [Badge]
    fileprivate let count: (_ after: Int64, _ end: Int64) throws(StoreError) -> Int
    private var place = -1
    private var last: Badge?

    fileprivate init(
      _ badges: [Badge], _ count: @escaping (Int64, Int64) throws(StoreError) -> Int
    ) {
      (self.badges, self.count) = (badges, count)
    }

    /// The badge with a notification that counts it up; each has a greater number than the last.
    mutating func next(_ number: Int64) throws(StoreError) -> Int {
      let set = badges.last { $0.after < number } ?? .none
      if let known = last, known.after > set.after {
        last = Badge(after: number, value: known.value + 1)
      } else {
        last = Badge(after: number, value: set.value + (try count(set.after, number)))
      }
      return last?.value ?? 0
    }
  }

  func counter(
    _ count: @escaping (Int64, Int64) throws(StoreError) -> Int
  ) -> BadgeCounter {
    BadgeCounter(badges, count)
  }

  fileprivate var storedBadges: String {
    "[\(badges.map { "[\($0.after),\($0.value)]" }.joined(separator: ","))]"
  }

  fileprivate mutating func set(storedBadges text: String) {
    let pairs = (try? JSONParser.parse(text))?.array ?? []
    badges = pairs.compactMap { pair in
      guard case .int(let after)? = pair.array?.first, case .int(let value)? = pair.array?.last
      else { return nil }
      return Badge(after: after, value: Int(value))
    }
  }
}

extension EnvironmentStore {
  func inbox(of user: StoredUser, on device: Device) throws(StoreError) -> StoredInbox {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT cleared, held, badges, \(RowSeal.fits("_inbox")) FROM _inbox
        WHERE user = ? AND device = ?
        """)
      row.bind(user.number, 1)
      row.bind(device.name, 2)
      var inbox = StoredInbox()
      guard try row.step() else { return inbox }
      try RowSeal.require(row, 3, of: "_inbox")
      defer { row.reset() }
      inbox.cleared = row.int64(0)
      inbox.held = row.isNull(1) ? nil : row.int64(1)
      inbox.set(storedBadges: row.text(2))
      return inbox
    }
  }

  private func change(
    _ user: StoredUser, _ device: Device, _ work: (inout StoredInbox, Int64) -> Void
  ) throws(StoreError) {
    var inbox = try inbox(of: user, on: device)
    try sql { () throws(SQLiteError) in
      work(&inbox, try lastNotification())
      let row = try connection.statement(
        """
        INSERT OR REPLACE INTO _inbox(user, device, cleared, held, badges, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ckdb_seal(?1, ?2, ?3, ?4, ?5))
        """)
      row.bind(user.number, 1)
      row.bind(device.name, 2)
      row.bind(inbox.cleared, 3)
      if let held = inbox.held { row.bind(held, 4) } else { row.bindNull(4) }
      row.bind(inbox.storedBadges, 5)
      try row.run()
    }
  }

  /// Sets the badge of a user's device.
  public func set(badge: Int, of user: StoredUser, on device: Device) throws(StoreError) {
    try change(user, device) { inbox, last in
      inbox.badges.removeAll { $0.after == last || $0.after < inbox.cleared }
      inbox.badges.append(StoredInbox.Badge(after: last, value: badge))
    }
  }

  /// Forgets what a user's device was sent so far.
  public func clearNotifications(
    of user: StoredUser, on device: Device
  ) throws(StoreError) {
    let badge = try badge(of: user, on: device)
    try change(user, device) { inbox, last in
      inbox.cleared = inbox.held ?? last
      inbox.badges = [StoredInbox.Badge(after: inbox.cleared, value: badge)]
    }
  }

  /// Holds back what a user's device is sent from now on, or delivers it.
  public func setOnline(
    _ isOnline: Bool, _ device: Device, of user: StoredUser
  ) throws(StoreError) {
    try change(user, device) { inbox, last in
      inbox.held = isOnline ? nil : inbox.held ?? last
    }
  }
}
