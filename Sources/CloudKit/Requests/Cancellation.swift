internal import Basics
internal import Synchronization

/// A request's end by the app: its task or operation was cancelled.
final class Cancellation: Sendable {
  private let isRaised = Atomic(false)
  private let handler = Locked<(@Sendable () -> Void)?>(nil)

  /// Ends the work: at once if it waits for its turn, else as soon as it looks.
  func cancel() {
    isRaised.store(true, ordering: .sequentiallyConsistent)
    take()?()
  }

  /// Whether the work must end.
  var isCancelled: Bool { isRaised.load(ordering: .relaxed) }

  /// What the layers below ask.
  var interruption: Interruption {
    Interruption(isWanted: { !self.isCancelled })
  }

  /// Sets what ends work that waits for its turn.
  func whileWaiting(_ end: @escaping @Sendable () -> Void) {
    handler.withLock { $0 = end }
    if isRaised.load(ordering: .sequentiallyConsistent) { take()?() }
  }

  /// The work's turn has come. Returns false if it was ended before.
  func begin() -> Bool { take() != nil }

  /// Whoever takes the handler decides about the work.
  private func take() -> (@Sendable () -> Void)? {
    handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
  }
}
