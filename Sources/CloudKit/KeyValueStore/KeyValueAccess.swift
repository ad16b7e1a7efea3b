internal import Basics
internal import CloudModel
internal import CloudServices
internal import Foundation

/// The keys of an app on a device: read and written at once, and synchronized on the threads of the
/// pool.
final class KeyValueAccess: Sendable {
  private let client: Client
  private let state = Locked(State())
  private let lane = WorkLane()

  private struct State: @unchecked Sendable {
    // Only one thread uses it at a time, which the lock takes care of.
    var opened: Opened?
    var lastEvent: Int64 = 0
    var commits: CommitWatch.Registration?
    var deliver: (@Sendable (KeyValueEvent) -> Void)?
    /// Whether a synchronization waits for its turn.
    var isWaiting = false
  }

  /// An open store, and the conditions that it was opened for.
  private struct Opened {
    let store: KeyValueStore
    let account: Account?
    let clock: Timestamp?
  }

  init(_ client: Client) { self.client = client }

  /// Begins to deliver the events that come from now on.
  func begin(_ deliver: @escaping @Sendable (KeyValueEvent) -> Void) {
    let file = using { state, store in
      state.deliver = deliver
      state.lastEvent = try store.lastEventNumber()
      return try store.commitFile()
    }
    guard let file else { return }
    let registration = CommitWatch.listen(to: file) { [weak self] in self?.synchronizeSoon() }
    state.withLock { $0.commits = registration }
    synchronizeSoon()
  }

  // MARK: Values

  func value(_ key: String) -> PropertyListValue? { using { try $1.value(key) } ?? nil }

  var values: [String: PropertyListValue] {
    let entries = using { try $1.entries() } ?? []
    return Dictionary(
      entries.compactMap { entry, _ in entry.value.map { (entry.key, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// Sets a key, or removes it without a value. A key that is too long stops the process; a value
  /// beyond the quota makes an event instead.
  func set(_ value: PropertyListValue?, _ key: String) {
    do { try tryUsing { try $1.set([(key, value)]) } } catch {
      if error.code == .invalidArguments { preconditionFailure(error.message) }
    }
    synchronizeSoon()
  }

  private func using<T>(_ work: (inout State, KeyValueStore) throws -> T) -> T? {
    try? tryUsing(work)
  }

  /// Uses the store, which is opened anew after the account or the clock changed.
  private func tryUsing<T>(
    _ work: (inout State, KeyValueStore) throws -> T
  ) throws(CloudError) -> T {
    try state.withLock { (state) throws(CloudError) in
      let request = try request()
      if state.opened?.account != request.account || state.opened?.clock != request.fixedClock {
        state.opened = nil
      }
      let store: KeyValueStore
      if let opened = state.opened {
        store = opened.store
      } else {
        store = try open(request)
        state.opened = Opened(
          store: store, account: request.account, clock: request.fixedClock)
      }
      do { return try work(&state, store) } catch let error as CloudError { throw error } catch {
        throw CloudError(.internalError, "\(error)")
      }
    }
  }

  private func request() throws(CloudError) -> Request {
    try client.cloud().request(of: client.account, on: client.device, Cancellation())
  }

  private func open(_ request: Request) throws(CloudError) -> KeyValueStore {
    let environment = try client.environment(for: request)
    return try client.cloud().store.keyValueStore(environment.container, for: request)
  }

  // MARK: Synchronization

  /// Synchronizes soon. Returns whether the device can synchronize.
  func startSynchronization() -> Bool {
    synchronizeSoon()
    return using { try $1.isSignedIn() } ?? false
  }

  private func synchronizeSoon() {
    let isFirst = state.withLock { state in
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    if isFirst { lane.run { [weak self] in self?.synchronize() } }
  }

  /// Synchronizes, and delivers the events that are new. A failure is repeated with the next
  /// change.
  private func synchronize() {
    state.withLock { $0.isWaiting = false }
    // Each synchronization is a request of its own, which faults count.
    if let request = try? request() { _ = try? open(request).synchronize() }
    let news = using { state, store in
      let events = try store.events(after: state.lastEvent)
      state.lastEvent = max(state.lastEvent, events.last?.number ?? 0)
      return (events, state.deliver)
    }
    guard let (events, deliver) = news, let deliver else { return }
    for event in events { client.callbacks.async { deliver(event) } }
  }
}
