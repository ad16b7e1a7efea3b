internal import Basics
internal import Synchronization

/// A request's end by the app: its task or operation was cancelled.
final class Cancellation: Sendable {
  private let isRaised = Atomic(false)

  /// Ends the work.
  func cancel() { isRaised.store(true, ordering: .relaxed) }

  /// Whether the work must end.
  var isCancelled: Bool { isRaised.load(ordering: .relaxed) }

  /// What the layers below ask.
  var interruption: Interruption {
    Interruption(isWanted: { !self.isCancelled })
  }
}
