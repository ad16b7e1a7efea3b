internal import Basics
internal import CloudModel
internal import CloudServices
internal import Foundation

/// The keys of an app on a device: read and written at once, and synchronized on the threads of the
/// pool.
final class KeyValueAccess: Sendable {
  private let client: Client
  private let state = Locked(State())
  private let plan = Locked(Plan())
  private let lane = WorkLane()

  private struct State: @unchecked Sendable {
    // Only one thread uses it at a time, which the lock takes care of.
    var opened: Opened?
    /// The number of the last event that was delivered; nil before the store could be opened.
    var lastEvent: Int64?
  }

  /// What waits to be done. Its lock is never held for long: commits of others take it.
  private struct Plan: Sendable {
    var deliver: (@Sendable (KeyValueEvent) -> Void)?
    var commits: CommitWatch.Registration?
    /// Whether a synchronization waits for its turn.
    var isWaiting = false
    /// Whether the next one takes place even if there is nothing to exchange.
    var isForced = false
    /// How often in a row one failed.
    var failures = 0
    /// Whether one is tried again later.
    var isRetrying = false
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
    plan.withLock { $0.deliver = deliver }
    listen()
    synchronizeSoon()
  }

  /// Listens to commits, as soon as the store can be opened.
  private func listen() {
    if plan.withLock({ $0.commits != nil }) { return }
    let file = using { state, store in
      if state.lastEvent == nil { state.lastEvent = try store.lastEventNumber() }
      return try store.commitFile()
    }
    guard let file else { return }
    let registration = CommitWatch.listen(to: file) { [weak self] in
      self?.synchronizeSoon(isForced: false)
    }
    plan.withLock { $0.commits = registration }
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
    if value != nil {
      let limits = using { try $1.behavior().limits } ?? .seed
      do throws(CloudError) { try limits.check(key: key) } catch {
        preconditionFailure(error.message)
      }
    }
    _ = using { try $1.set([(key, value)]) }
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

  private func synchronizeSoon(isForced: Bool = true) {
    let isFirst = plan.withLock { plan in
      plan.isForced = plan.isForced || isForced
      defer { plan.isWaiting = true }
      return !plan.isWaiting
    }
    if isFirst { lane.run { [weak self] in self?.synchronize() } }
  }

  /// Synchronizes, and delivers the events that are new. After a commit of another only if there is
  /// something to exchange: what this writes wakes it again.
  private func synchronize() {
    let isForced = plan.withLock { plan in
      defer { (plan.isWaiting, plan.isForced) = (false, false) }
      return plan.isForced
    }
    listen()
    if isForced || using({ try $1.hasWork() }) ?? false { exchange() }
    let news = using { state, store in
      let events = try state.lastEvent.map { try store.events(after: $0) } ?? []
      if let last = events.last { state.lastEvent = last.number }
      return events
    }
    guard let news, let deliver = plan.withLock({ $0.deliver }) else { return }
    for event in news { client.callbacks.async { deliver(event) } }
  }

  /// Exchanges keys with iCloud. After a failure it tries again later.
  private func exchange() {
    // Each synchronization is a request of its own, which faults count.
    let result = (try? request()).flatMap { request in
      defer { Platform.sleep(milliseconds: request.latency) }
      return try? request.account == nil
        ? KeyValueSynchronization() : open(request).synchronize()
    }
    if result?.isSynchronized == true { return plan.withLock { $0.failures = 0 } }
    let pause = plan.withLock { plan -> Double? in
      if plan.isRetrying { return nil }
      plan.isRetrying = true
      plan.failures += 1
      return Double(1 << min(plan.failures - 1, 6))
    }
    guard let pause else { return }
    let seconds = max(pause, Double(result?.throttledFor ?? 0) / 1000)
    client.callbacks.asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self else { return }
      plan.withLock { $0.isRetrying = false }
      synchronizeSoon()
    }
  }
}
