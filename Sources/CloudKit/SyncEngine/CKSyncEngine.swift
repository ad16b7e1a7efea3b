internal import Basics
internal import CloudModel
@_exported public import Foundation

/// Keeps an app's data and a private or shared database in step: sends what the app adds to its
/// state, fetches what others changed, and tells the delegate.
///
/// An engine that synchronizes automatically sends soon after the app adds changes, and fetches
/// soon after another device or process has changed something. The engine does not keep its
/// delegate alive, and ends with its last reference.
///
/// An app replaces its engine by making another one for the same database and delegate: then the
/// old one does nothing by itself, and passes what it is asked to do to the new one. So an app that
/// still holds the old engine loses nothing.
public final class CKSyncEngine: Sendable, CustomStringConvertible {
  /// What an engine works with.
  public struct Configuration: Sendable, CustomStringConvertible {
    /// The database: a private or a shared one.
    public var database: CKDatabase
    /// The state that the delegate got last; nil for the first start.
    public var stateSerialization: State.Serialization?
    /// Who handles the engine's events and gives it records.
    public var delegate: any CKSyncEngineDelegate
    /// Whether the engine sends and fetches by itself.
    public var automaticallySync = true
    /// The name of a subscription to use for pushes; the engine needs none here.
    public var subscriptionID: CKSubscription.ID?

    /// The configuration of an engine that synchronizes automatically.
    public init(
      database: CKDatabase, stateSerialization: State.Serialization?,
      delegate: any CKSyncEngineDelegate
    ) {
      (self.database, self.stateSerialization) = (database, stateSerialization)
      self.delegate = delegate
    }

    /// The database, and whether the engine works by itself.
    public var description: String {
      "database=\(database), automaticallySync=\(automaticallySync)"
    }
  }

  /// The database.
  public let database: CKDatabase
  /// What waits to be sent.
  public let state: State
  let isAutomatic: Bool
  private weak let delegate: (any CKSyncEngineDelegate)?
  /// Who acts in the delegate's methods where code names no account: the task that made the engine.
  private let acting = ActingClient.ofTask
  /// Its operations, one by one: events never overlap.
  let line = TaskLine()
  private let running = Locked<[UUID: Task<Void, any Error>]>([:])
  private let schedule = SyncSchedule()
  private let successor = Locked(Successor())

  private struct Successor: Sendable {
    weak var engine: CKSyncEngine?
  }

  /// Creates an engine and, if it is automatic, starts it. Stops the process for a public database,
  /// which has no feed of changes.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.database.databaseScope != .public,
      "CKSyncEngine does not support the public database")
    (database, delegate) = (configuration.database, configuration.delegate)
    state = State(configuration.stateSerialization)
    isAutomatic = configuration.automaticallySync
    state.serve(self)
    LivingEngines.shared.add(self, of: configuration.delegate)
    if isAutomatic { schedule.start(self) }
  }

  // MARK: Operations

  /// Fetches what changed in iCloud, and waits until the delegate has handled it. Throws the first
  /// error of a zone or of the whole.
  public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
    try await perform { engine, delegate in
      var fetching = SyncFetching(engine, delegate, .manual, options)
      try await fetching.run()
    }
  }

  /// Sends what waits to be sent, and waits until the delegate has handled the results. Throws the
  /// first error if something could not be sent.
  public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
    try await perform { engine, delegate in
      try await SyncSending(engine, delegate, .manual, options).run()
    }
  }

  /// Cancels what the engine does, and waits for its end.
  public func cancelOperations() async {
    let tasks = running.withLock { Array($0.values) }
    for task in tasks { task.cancel() }
    // An operation cannot wait for itself.
    if DelegateCall.isOfThisTask(for: self) { return }
    for task in tasks { _ = await task.result }
  }

  /// The engine and its database.
  public var description: String {
    "<CKSyncEngine: \(address(of: self)); database=\(database), "
      + "automaticallySync=\(isAutomatic)>"
  }

  /// The engine that replaced this one; nil for none.
  var replacement: CKSyncEngine? { successor.withLock { $0.engine } }

  /// Passes operations to another engine from now on.
  fileprivate func yield(to engine: CKSyncEngine) { successor.withLock { $0.engine = engine } }

  /// Does an operation after those before it, with the account that is signed in now; without one
  /// it throws `notAuthenticated`.
  func perform(
    _ operation: @escaping @Sendable (CKSyncEngine, any CKSyncEngineDelegate) async throws -> Void
  ) async throws {
    try await DelegateCall.leave(self)
    if let replacement { return try await replacement.perform(operation) }
    let id = UUID()
    let task = Task.detached {
      try await self.line.run {
        guard let delegate = self.delegate else { return }
        do {
          if Task.isCancelled { throw CKError.cancelled }
          try await SyncAccount(engine: self).check()
          // The delegate may have replaced the engine meanwhile.
          if let replacement = self.replacement {
            return try await replacement.perform(operation)
          }
          try await operation(self, delegate)
          await self.postState()
        } catch {
          await self.postState()
          throw CKError(any: error)
        }
      }
    }
    running.withLock { $0[id] = task }
    defer { running.withLock { $0[id] = nil } }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  // MARK: The delegate

  /// Passes an event to the delegate, and waits until it is handled.
  func post(_ event: Event) async {
    guard let delegate else { return }
    await calling { await delegate.handleEvent(event, syncEngine: self) }
  }

  /// Passes the state to the delegate if it changed.
  func postState() async {
    // The app would keep it in place of the new engine's.
    guard replacement == nil, let state = state.takeUnseen() else { return }
    await post(.stateUpdate(Event.StateUpdate(stateSerialization: state)))
  }

  /// Calls a method of the delegate.
  func calling<T: Sendable>(_ body: () async -> T) async -> T {
    await DelegateCall.run(for: self) {
      guard let acting else { return await body() }
      return await acting.run { await body() }
    }
  }

  /// The app changed the state.
  func noteChangeByApp() { schedule.noteChangeByApp(self) }
}

/// The engines of the process, by their delegates and databases.
private final class LivingEngines: Sendable {
  static let shared = LivingEngines()

  private let engines = Locked<[Place: Living]>([:])

  private struct Place: Hashable, Sendable {
    let delegate: ObjectIdentifier
    let cloud: ObjectIdentifier?
    let container: ContainerID?
    let scope: CKDatabase.Scope
    let account: Account?
    let device: Device
  }

  private struct Living: Sendable {
    weak let engine: CKSyncEngine?
    // The place of another object could be the same once this one is gone.
    weak let delegate: (any CKSyncEngineDelegate)?
  }

  /// Adds an engine. It replaces an older one of the same delegate and database.
  func add(_ engine: CKSyncEngine, of delegate: any CKSyncEngineDelegate) {
    let client = engine.database.client
    let place = Place(
      delegate: ObjectIdentifier(delegate), cloud: client.known.map { ObjectIdentifier($0) },
      container: try? client.container.get(),
      scope: engine.database.databaseScope, account: client.account, device: client.device)
    let old = engines.withLock { engines in
      engines = engines.filter { $0.value.engine != nil }
      return engines.updateValue(Living(engine: engine, delegate: delegate), forKey: place)
    }
    if old?.delegate === delegate { old?.engine?.yield(to: engine) }
  }
}

/// A call of a delegate's method. The engine waits for it, so the method cannot wait for the
/// engine.
final class DelegateCall: Sendable {
  @TaskLocal private static var current: DelegateCall?

  private let engine: ObjectIdentifier
  private let task: Int?
  private let isRunning = Locked(true)

  private init(_ engine: CKSyncEngine) {
    self.engine = ObjectIdentifier(engine)
    task = Self.task
  }

  private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  static func run<T: Sendable>(
    for engine: CKSyncEngine, _ body: () async -> T
  ) async -> T {
    let call = DelegateCall(engine)
    defer { call.isRunning.withLock { $0 = false } }
    return await $current.withValue(call, operation: body)
  }

  /// The running call of a method of an engine's delegate from which the caller comes; nil for
  /// none.
  private static func call(for engine: CKSyncEngine) -> DelegateCall? {
    guard let current, current.engine == ObjectIdentifier(engine),
      current.isRunning.withLock({ $0 })
    else { return nil }
    return current
  }

  /// Whether the caller is such a method itself, rather than a task that it started.
  static func isOfThisTask(for engine: CKSyncEngine) -> Bool {
    call(for: engine).map { $0.task == task } ?? false
  }

  /// Throws `invalidArguments` for a method of the delegate, which would wait for itself. A task
  /// that the method started waits for its end; if the method does not end, it probably waits for
  /// the task.
  static func leave(_ engine: CKSyncEngine) async throws {
    guard let call = call(for: engine) else { return }
    let deadline = ContinuousClock.now + .seconds(5)
    while call.task != task, ContinuousClock.now < deadline {
      guard call.isRunning.withLock({ $0 }) else { return }
      do { try await Task.sleep(for: .milliseconds(2)) } catch { throw CKError.cancelled }
    }
    throw CKError(
      CloudError(
        .invalidArguments,
        "CKSyncEngine cannot send or fetch changes while its delegate handles an event",
        remedy: .advice("start a task that calls the engine after the event")))
  }
}
