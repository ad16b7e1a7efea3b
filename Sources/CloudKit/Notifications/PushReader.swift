internal import Basics
package import CloudModel
internal import CloudServices
internal import Foundation
internal import WireFormat

/// Reads the pushes to a device one by one, and waits for new ones without holding a thread.
package final class PushReader: Sendable {
  private let client: Client
  private let unread: Locked<Unread>
  private let commits = CommitSignal()
  private let registration: CommitWatch.Registration?

  private struct Unread: Sendable {
    var pushes: [PushNotification] = []
    var last: Int64 = 0
  }

  /// Begins after the last push that there is now. A cloud or container that cannot be opened sends
  /// none.
  package init(
    _ cloud: Cloud, _ container: Result<ContainerID, CloudError>, _ account: Account?,
    _ device: Device
  ) {
    client = Client(known: cloud, container: container, account: account, device: device)
    let environment = try? client.environment(for: cloud.request(of: account, on: device))
    unread = Locked(Unread(last: (try? environment?.lastNotificationNumber()) ?? 0))
    registration = environment.map { [commits] in
      CommitWatch.listen(to: $0.commitFile) { commits.raise() }
    }
  }

  /// Waits for the next push, and returns its payload; nil when the task is cancelled.
  package func next() async -> [UInt8]? {
    while !Task.isCancelled {
      if let push = unread.withLock({ $0.pushes.popLast() }) { return PushPayload(push).bytes }
      // After an error, such as a missing account, try again after the next commit.
      let news = (try? await client.perform(.reading, read)) ?? []
      if news.isEmpty {
        await commits.wait()
      } else {
        unread.withLock { unread in
          unread.pushes = news.reversed() + unread.pushes
          unread.last = max(unread.last, news.last?.number ?? 0)
        }
      }
    }
    return nil
  }

  private func read(_ client: Client, _ request: Request) throws -> [PushNotification] {
    let last = unread.withLock { $0.last }
    var found: [PushNotification] = []
    try client.environment(for: request).notifications(after: last) {
      found.append($0)
      return found.count < Self.portion
    }
    return found
  }

  /// How many pushes are read at once.
  private static let portion = 100
}

/// Wakes a task that waits for the next commit.
private final class CommitSignal: Sendable {
  private let state = Locked(State())

  private struct State: Sendable {
    /// Whether there was a commit that no task has waited for.
    var isRaised = false
    var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
  }

  func raise() {
    let waiting = state.withLock { state in
      state.isRaised = state.waiting.isEmpty
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for a commit, or until the task is cancelled.
  func wait() async {
    let id = UUID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRaised = state.withLock { state in
          defer { state.isRaised = false }
          if state.isRaised || Task.isCancelled { return true }
          state.waiting[id] = continuation
          return false
        }
        if isRaised { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
  }
}
