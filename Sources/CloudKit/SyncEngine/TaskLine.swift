internal import Basics

/// Lets tasks do their work one by one, in the order in which they come.
final class TaskLine: Sendable {
  private let state = Locked(State())

  private struct State: Sendable {
    var isBusy = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// Does a piece of work after those before it.
  func run<T>(_ work: () async throws -> T) async rethrows -> T {
    await enter()
    defer { leave() }
    return try await work()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        defer { state.isBusy = true }
        if state.isBusy { state.waiting.append(continuation) }
        return !state.isBusy
      }
      if isFirst { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state in
      if state.waiting.isEmpty { state.isBusy = false }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}
