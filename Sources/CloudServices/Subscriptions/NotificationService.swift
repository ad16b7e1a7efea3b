internal import Basics
public import CloudModel
internal import RecordStore

// The notifications sent to an account's devices, for all databases.
extension CloudEnvironment {
  /// Passes the notifications of the request's device after a number to `body`, oldest first, until
  /// it returns false. Throws `notAuthenticated`, and what `body` throws.
  public func notifications(
    after number: Int64 = 0, _ body: (PushNotification) throws -> Bool
  ) throws(CloudError) {
    guard let account = request.account else { throw .notSignedIn }
    try read {
      guard let user = try store.user(account, on: request.device) else { return }
      try store.notifications(of: user, on: request.device, after: number, in: container) {
        try body(identified($0))
      }
    }
  }

  /// Returns a notification with its id, a UUID of the change and the device. The store has the
  /// sequence number of the change; older versions of ckdb did not note it.
  func identified(_ notification: PushNotification) -> PushNotification {
    var notification = notification
    let change = notification.id.isEmpty ? "number \(notification.number)" : notification.id
    notification.id = Randomness.seeded(0).uuid(purpose: [
      "notification", container.text, environment.rawValue, notification.user.text,
      request.device.name, change, String(notification.at.milliseconds),
    ]).lowercased()
    return notification
  }

  /// The highest notification number, of all devices.
  public func lastNotificationNumber() throws(CloudError) -> Int64 {
    try read { try store.lastNotificationNumber() }
  }

  /// Returns notifications by number, in the given order. Throws `unknownItem` for a missing one.
  public func notifications(_ numbers: [Int64]) throws(CloudError) -> [PushNotification] {
    var found: [Int64: PushNotification] = [:]
    try notifications(after: (numbers.min() ?? 0) - 1) {
      if numbers.contains($0.number) { found[$0.number] = $0 }
      return found.count < Set(numbers).count
    }
    return try numbers.map { (number) throws(CloudError) in
      guard let notification = found[number] else { throw .noNotification(number) }
      return notification
    }
  }

  /// Marks notifications as read on all devices, all or none. Throws `unknownItem`.
  public func markNotificationsRead(_ numbers: [Int64]) throws(CloudError) {
    try changing { user in
      if let missing = try store.markRead(numbers, of: user).first {
        throw CloudError.noNotification(missing)
      }
    } orNever: { () throws(CloudError) in
      if let first = numbers.first { throw .noNotification(first) }
    }
  }

  /// The badge of the device. Throws `notAuthenticated`.
  public func badge() throws(CloudError) -> Int {
    guard let account = request.account else { throw .notSignedIn }
    return try read {
      guard let user = try store.user(account, on: request.device) else { return 0 }
      return try store.badge(of: user, on: request.device)
    }
  }

  /// Sets the badge of the device. Throws `notAuthenticated`.
  public func set(badge: Int) throws(CloudError) {
    try changing { try store.set(badge: badge, of: $0, on: request.device) }
  }

  /// Deletes the device's notifications, or with `onAllDevices` those of all the account's devices.
  /// Throws `notAuthenticated`.
  public func clearNotifications(onAllDevices: Bool) throws(CloudError) {
    try changing { user in
      if onAllDevices {
        try store.removeNotifications(of: user)
      } else {
        try store.clearNotifications(of: user, on: request.device)
      }
    }
  }

  /// Holds the device's notifications back from now on, or delivers them.
  func setOnline(_ isOnline: Bool) throws(CloudError) {
    try changing { try store.setOnline(isOnline, request.device, of: $0) }
  }

  /// Runs `work` on the account's user; a user who never wrote here has nothing to change.
  private func changing(
    _ work: (StoredUser) throws -> Void,
    orNever nothing: () throws(CloudError) -> Void = {}
  ) throws(CloudError) {
    guard let account = request.account else { throw .notSignedIn }
    guard try read({ try store.user(account, on: request.device) }) != nil else {
      return try nothing()
    }
    try write {
      if let user = try store.user(account, on: request.device) { try work(user) }
    }
  }
}

extension CloudError {
  fileprivate static func noNotification(_ number: Int64) -> CloudError {
    CloudError(
      .unknownItem, "no notification \(number) for this device",
      remedy: .listNotifications)
  }
}
