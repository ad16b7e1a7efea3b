internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles
internal import UbiquityStore

/// An event with a number that increases, after which a watch can continue.
public protocol NumberedEvent {
  /// The number.
  var number: Int64 { get }
}

extension PushNotification: NumberedEvent {}
extension KeyValueEvent: NumberedEvent {}
extension DocumentEvent: NumberedEvent {}

/// Watches events, including those that other processes cause.
public final class EventWatch<Event: NumberedEvent> {
  private let request: Request
  private let read: (Int64) throws -> [Event]
  private let wait: (Int64) throws -> Void
  private var last: Int64

  /// `read` returns the events after a number, and `wait` waits for a change of the store for at
  /// most the given milliseconds.
  init(
    _ request: Request, after number: Int64, read: @escaping (Int64) throws -> [Event],
    wait: @escaping (Int64) throws -> Void
  ) {
    (self.request, last) = (request, number)
    (self.read, self.wait) = (read, wait)
  }

  /// Passes the next events to `body` until it returns false. Returns false when the time `end`
  /// passes first (`Platform.monotonicMilliseconds`; nil for no limit). Throws `operationCancelled`
  /// when interrupted, and what `body` throws.
  public func next(until end: Int64?, _ body: (Event) throws -> Bool) throws -> Bool {
    try request.follow(until: end, { try read(last) }, wait: wait) { event in
      last = event.number
      return try body(event)
    }
  }
}

extension KeyValueStore {
  /// The file that each process writes after a commit to the container's keys, for a watch.
  public func commitFile() throws(CloudError) -> String { try openOrMake().commitFile }

  /// The number of the last event; events that come have greater ones.
  public func lastEventNumber() throws(CloudError) -> Int64 {
    let store = try openOrMake()
    return try serving { try store.lastSequence() }
  }

  /// Watches the device's events after a number; nil for the last event.
  public func watch(after number: Int64?) throws(CloudError) -> EventWatch<KeyValueEvent> {
    let watch = try UbiquityWatch(self)
    let last = if let number { number } else { try serving { try watch.lastSequence() } }
    return EventWatch(request, after: last, read: { try self.events(after: $0) }, wait: watch.wait)
  }
}

extension DocumentStore {
  /// Watches the events of the device's documents after a number; nil for the last event.
  public func watch(after number: Int64?) throws(CloudError) -> EventWatch<DocumentEvent> {
    let watch = try UbiquityWatch(self)
    let last = if let number { number } else { try serving { try watch.lastSequence() } }
    return EventWatch(request, after: last, read: { try self.events(after: $0) }, wait: watch.wait)
  }
}

extension CloudEnvironment {
  /// The file that each process writes after a commit to the environment, for a watch.
  public var commitFile: String { store.commitFile }

  /// Watches the device's notifications after a number; nil for the last one.
  public func watchNotifications(
    after number: Int64?
  ) throws(CloudError) -> EventWatch<PushNotification> {
    var environment = self
    var files = try serving { try environment.store.watch() }
    let portion = 1000
    let last = if let number { number } else { try lastNotificationNumber() }
    return EventWatch(
      request, after: last,
      read: { number in
        var found: [PushNotification] = []
        try environment.notifications(after: number) {
          found.append($0)
          return found.count < portion
        }
        return found
      },
      wait: { milliseconds in
        files.wait(milliseconds: milliseconds)
        guard !environment.store.isCurrent else { return }
        // Continues in the files that replaced the open ones.
        environment = try environment.owner.environment(
          environment.container, environment.environment, for: environment.request)
        files = try environment.store.watch()
      })
  }
}
