/// What ends work before it is done: a signal to the process, a time limit, or somebody who no
/// longer wants the result.
public struct Interruption: Sendable {
  /// When it is raised by itself, by the monotonic clock in milliseconds.
  private let deadline: Int64?
  private let isWanted: (@Sendable () -> Bool)?

  /// Raised by signals to the process, and when the deadline (of `Platform.monotonicMilliseconds`)
  /// has passed, or `isWanted` says no. `isWanted` is called often, and by any thread.
  public init(deadline: Int64? = nil, isWanted: (@Sendable () -> Bool)? = nil) {
    self.deadline = deadline
    self.isWanted = isWanted
  }

  /// Raised by signals to the process alone.
  public static let bySignals = Interruption()

  /// Whether the work is to end.
  public var isRaised: Bool {
    if Interrupt.isRaised { return true }
    if let deadline, Platform.monotonicMilliseconds >= deadline { return true }
    return isWanted?() == false
  }

  /// How much of a time to wait is left before the deadline, in milliseconds.
  public func limit(_ waitMilliseconds: Int64) -> Int64 {
    guard let deadline else { return waitMilliseconds }
    return max(0, min(waitMilliseconds, deadline - Platform.monotonicMilliseconds))
  }
}
