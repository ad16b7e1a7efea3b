internal import Basics
public import CloudModel
internal import RecordStore

/// Watches the notifications of a device, including those that other processes cause.
public final class NotificationWatch {
  private var environment: CloudEnvironment
  private var watch: FileWatch
  private var last: Int64

  private static let portion = 1000

  /// Begins after a notification number; nil for the last one.
  public init(_ environment: CloudEnvironment, after number: Int64?) throws(CloudError) {
    self.environment = environment
    watch = try serving { try environment.store.watch() }
    if let number { last = number } else { last = try environment.lastNotificationNumber() }
  }

  /// Passes the next notifications to `body` until it returns false. Returns false when the time
  /// `end` passes first (`Platform.monotonicMilliseconds`; nil for no limit). Throws
  /// `operationCancelled` when interrupted, and what `body` throws.
  public func next(
    until end: Int64?, _ body: (PushNotification) throws -> Bool
  ) throws -> Bool {
    try environment.request.follow(until: end) {
      var found: [PushNotification] = []
      try environment.notifications(after: last) {
        found.append($0)
        return found.count < Self.portion
      }
      return found
    } wait: { milliseconds in
      watch.wait(milliseconds: milliseconds)
      if !environment.store.isCurrent { try reopen() }
    } _: { notification in
      last = notification.number
      return try body(notification)
    }
  }

  /// Continues in the files that replaced the open ones.
  private func reopen() throws {
    environment = try environment.owner.environment(
      environment.container, environment.environment, for: environment.request)
    watch = try environment.store.watch()
  }
}
