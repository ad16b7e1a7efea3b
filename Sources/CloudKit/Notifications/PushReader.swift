internal import Basics
package import CloudModel
internal import CloudServices
internal import Foundation
internal import WireFormat

/// Reads the pushes to a device one by one, and waits for those to come without holding a thread.
package final class PushReader: Sendable {
  private let client: Client
  private let unread: Locked<Unread>
  /// Has an element after each commit that was not looked at yet.
  private let commits: AsyncStream<Void>
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
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    commits = stream
    let environment = try? client.environment(for: cloud.request(of: account, on: device))
    unread = Locked(Unread(last: (try? environment?.lastNotificationNumber()) ?? 0))
    registration = environment.map {
      CommitWatch.listen(to: $0.commitFile) { continuation.yield() }
    }
  }

  /// Waits for the next push, and returns its payload; nil when the task is cancelled.
  package func next() async -> [UInt8]? {
    while !Task.isCancelled {
      if let push = unread.withLock({ $0.pushes.popLast() }) { return PushPayload(push).bytes }
      guard let news = try? await client.perform(.reading, read) else { return nil }
      if news.isEmpty {
        for await _ in commits { break }
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
