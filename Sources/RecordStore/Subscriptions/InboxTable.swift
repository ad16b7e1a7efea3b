internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// What a device of a user has seen of the user's notifications.
struct StoredInbox {
  /// The number of the user's row.
  let user: Int64
  let device: Device
  /// Notifications up to this number are forgotten.
  var cleared: Int64 = 0
  /// The last number that arrived before the device went offline; nil while it is online.
  var held: Int64?
  /// The badges that were set, each after the number of a notification.
  var badges: [Badge] = []

  init(user: Int64, device: Device) { (self.user, self.device) = (user, device) }

  /// A badge that was set after a notification.
  struct Badge {
    var after: Int64
    var value: Int

    static let none = Badge(after: 0, value: 0)
  }

  /// Computes the badge of one notification after the other.
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

    /// The badge with a notification that increments it; each must have a greater number than the
    /// last.
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
}

extension StoredInbox: StoredRow {
  static let table = EnvironmentTables.inbox

  init(_ row: Row) {
    self.init(user: row["user"], device: row["device"])
    (cleared, held) = (row["cleared"], row["held"])
    let pairs = (try? JSONParser.parse(row["badges"] as String))?.array ?? []
    badges = pairs.compactMap { pair in
      guard case .int(let after)? = pair.array?.first, case .int(let value)? = pair.array?.last
      else { return nil }
      return Badge(after: after, value: Int(value))
    }
  }

  var values: KeyValuePairs<String, any StoredValue> {
    let badges = badges.map { "[\($0.after),\($0.value)]" }
    return [
      "user": user, "device": device, "cleared": cleared, "held": held,
      "badges": "[\(badges.separated(by: ","))]",
    ]
  }
}

extension EnvironmentStore {
  func inbox(of user: StoredUser, on device: Device) throws(StoreError) -> StoredInbox {
    let found: StoredInbox? = try database.row(
      "WHERE user = ? AND device = ?", [user.number, device])
    return found ?? StoredInbox(user: user.number, device: device)
  }

  private func change(
    _ user: StoredUser, _ device: Device, _ work: (inout StoredInbox, Int64) -> Void
  ) throws(StoreError) {
    var inbox = try inbox(of: user, on: device)
    work(&inbox, try lastNotification())
    try database.insert(inbox, .replace)
  }

  /// Sets the badge of a user's device.
  public func set(badge: Int, of user: StoredUser, on device: Device) throws(StoreError) {
    try change(user, device) { inbox, last in
      inbox.badges.removeAll { $0.after == last || $0.after < inbox.cleared }
      inbox.badges.append(StoredInbox.Badge(after: last, value: badge))
    }
  }

  /// Forgets the notifications that a user's device was sent so far.
  public func clearNotifications(
    of user: StoredUser, on device: Device
  ) throws(StoreError) {
    let badge = try badge(of: user, on: device)
    try change(user, device) { inbox, last in
      inbox.cleared = inbox.held ?? last
      inbox.badges = [StoredInbox.Badge(after: inbox.cleared, value: badge)]
    }
  }

  /// Holds back the notifications of a user's device from now on, or delivers them.
  public func setOnline(
    _ isOnline: Bool, _ device: Device, of user: StoredUser
  ) throws(StoreError) {
    try change(user, device) { inbox, last in
      inbox.held = isOnline ? nil : inbox.held ?? last
    }
  }
}
