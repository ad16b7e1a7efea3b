internal import Basics
internal import CloudServices
internal import Foundation

/// When an engine works by itself: soon after the app adds changes, after commits to the store,
/// when the account changes, and some time after a failure.
final class SyncSchedule: Sendable {
  private let plan = Locked(Plan())

  private struct Plan: Sendable {
    /// Whether the delegate has not seen the state.
    var postsState = false
    var fetches = false
    var sends = false
    /// Whether a task works on the plan.
    var isRunning = false
    /// The steps that failed, and how often in a row.
    var failures: [Step: Int] = [:]
    /// The steps that are tried again later.
    var retries: Set<Step> = []
    var commits: CommitWatch.Registration?
    var accounts: AccountObserver?

    /// Takes the next step.
    mutating func next() -> Step? {
      if postsState {
        postsState = false
        return .postState
      }
      if fetches {
        fetches = false
        return .fetch
      }
      if sends {
        sends = false
        return .send
      }
      isRunning = false
      return nil
    }
  }

  private enum Step: Hashable {
    case postState
    case fetch
    case send
  }

  /// Begins to work.
  func start(_ engine: CKSyncEngine) {
    let observer = AccountObserver { [weak self, weak engine] in
      if let engine { self?.add(engine) { ($0.fetches, $0.sends) = (true, true) } }
    }
    plan.withLock { $0.accounts = observer }
    add(engine) { ($0.fetches, $0.sends) = (true, true) }
  }

  /// The app changed the state of an engine.
  func noteChangeByApp(_ engine: CKSyncEngine) {
    add(engine) { plan in
      plan.postsState = true
      plan.sends = engine.isAutomatic
    }
  }

  private func add(_ engine: CKSyncEngine, _ change: (inout Plan) -> Void) {
    let starts = plan.withLock { plan in
      change(&plan)
      if engine.replacement != nil { (plan.fetches, plan.sends) = (false, false) }
      defer { plan.isRunning = true }
      return !plan.isRunning
    }
    guard starts else { return }
    // The task keeps the engine only while it has something to do.
    Task.detached { [weak engine] in
      while let working = engine, let step = self.plan.withLock({ $0.next() }) {
        await self.perform(step, working)
      }
    }
  }

  private func perform(_ step: Step, _ engine: CKSyncEngine) async {
    do {
      switch step {
      case .postState: await engine.line.run { await engine.postState() }
      case .fetch:
        await watchCommits(engine)
        try await engine.perform { engine, delegate in
          var fetching = SyncFetching(engine, delegate, .scheduled)
          try await fetching.runIfNeeded()
        }
      case .send:
        // An app often adds changes one by one.
        try await Task.sleep(for: .milliseconds(5))
        try await engine.perform { engine, delegate in
          let state = engine.state.value
          let isIdle =
            state.records.isEmpty && state.zones.isEmpty && !state.hasPendingUntrackedChanges
          if isIdle { return }
          try await SyncSending(engine, delegate, .scheduled, .init()).run()
        }
      }
      plan.withLock { $0.failures[step] = nil }
    } catch { retry(step, after: CKError(any: error), engine) }
  }

  /// Listens to commits, as soon as there is a container.
  private func watchCommits(_ engine: CKSyncEngine) async {
    if plan.withLock({ $0.commits != nil }) { return }
    let file = try? await engine.database.client.perform(.reading) { client, request in
      try client.environment(for: request).commitFile
    }
    guard let file else { return }
    let registration = CommitWatch.listen(to: file) { [weak self, weak engine] in
      if let engine { self?.add(engine) { $0.fetches = true } }
    }
    plan.withLock { $0.commits = registration }
  }

  /// Tries a step again later, if its error or that of one of its records is transient.
  private func retry(_ step: Step, after error: CKError, _ engine: CKSyncEngine) {
    guard let seconds = error.pauseSeconds else { return }
    let pause = plan.withLock { plan -> Double? in
      let failures = plan.failures[step, default: 0]
      plan.failures[step] = failures + 1
      guard plan.retries.insert(step).inserted else { return nil }
      return seconds > 0 ? seconds : Double(1 << min(failures, 6))
    }
    guard let pause else { return }
    Task.detached { [weak self, weak engine] in
      try? await Task.sleep(for: .seconds(pause))
      guard let self, let engine else { return }
      add(engine) { plan in
        plan.retries.remove(step)
        if step == .fetch { plan.fetches = true } else { plan.sends = true }
      }
    }
  }
}

extension CKError {
  /// After how many seconds an engine tries again, 0 if the error does not say; nil for an error
  /// that does not pass.
  fileprivate var pauseSeconds: Double? {
    let items = (partialErrorsByItemID ?? [:]).values.map { CKError(any: $0) }
    if let items = items.compactMap(\.pauseSeconds).max() { return items }
    // An engine without an account waits for one; who cancels does not want to try again.
    guard isTransient, code != .notAuthenticated, code != .operationCancelled else { return nil }
    return retryAfterSeconds ?? 0
  }
}

/// Calls back when the account changes, until it is released.
private final class AccountObserver: @unchecked Sendable {
  // Only `init` and `deinit` use it.
  private let token: any NSObjectProtocol

  init(_ changed: @escaping @Sendable () -> Void) {
    token = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { _ in changed() }
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}
