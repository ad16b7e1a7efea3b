internal import Basics
internal import Foundation

/// The threads that work on stores: a few for the whole process, so that work that waits for a
/// lock or a disk never holds a thread of Swift's tasks.
final class WorkPool: @unchecked Sendable {
  /// A piece of work, which does not throw and may block.
  typealias Work = @Sendable () -> Void

  /// The threads of the process.
  static let shared = WorkPool(threads: 8)

  // The condition protects what follows; so the compiler need not check it.
  private let condition = NSCondition()
  private var waiting = FIFOQueue<Work>()
  private var idle = 0
  private var started = 0
  private let limit: Int

  private init(threads limit: Int) { self.limit = limit }

  /// Does a piece of work on one of the threads, after what was given before.
  func run(_ work: @escaping Work) {
    condition.lock()
    waiting.append(work)
    // A thread that was woken counts as idle until it runs.
    let needsThread = waiting.count > idle && started < limit
    if needsThread { started += 1 } else { condition.signal() }
    condition.unlock()
    if needsThread { start() }
  }

  private func start() {
    do {
      _ = try Worker { [self] in
        _ = Interrupt.leaveToOthers()
        while true { take()() }
      }
    } catch {
      condition.lock()
      started -= 1
      let isAlone = started == 0
      condition.unlock()
      // The other threads take the work; without any, this one must.
      if isAlone { take()() }
    }
  }

  /// Waits for a piece of work.
  private func take() -> Work {
    condition.lock()
    defer { condition.unlock() }
    idle += 1
    defer { idle -= 1 }
    while true {
      if let work = waiting.popFirst() { return work }
      condition.wait()
    }
  }
}

/// Work that is done piece by piece: the writes to one store, which its lock would let in one by
/// one anyway. So of all that waits for the lock, one piece holds a thread.
final class WorkLane: Sendable {
  private let state = Locked(State())

  private struct State: Sendable {
    var waiting: [WorkPool.Work] = []
    var isRunning = false
  }

  /// Does a piece of work after what was given before.
  func run(_ work: @escaping WorkPool.Work) {
    let starts = state.withLock { state in
      state.waiting.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { WorkPool.shared.run { self.runAll() } }
  }

  private func runAll() {
    while true {
      let batch = state.withLock { state in
        defer { state.waiting.removeAll(keepingCapacity: true) }
        if state.waiting.isEmpty { state.isRunning = false }
        return state.waiting
      }
      if batch.isEmpty { return }
      for work in batch { work() }
    }
  }
}
