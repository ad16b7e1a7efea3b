/// A condition that ends work early: a signal to the process, a time limit, or a caller who no
/// longer wants the result.
public struct Interruption: Sendable {
  /// When it is raised automatically, in milliseconds of the monotonic clock.
  private let deadline: Int64?
  private let isWanted: (@Sendable () -> Bool)?

  /// Raised by signals to the process, after the deadline (of `Platform.monotonicMilliseconds`), or
  /// when `isWanted` returns false, which any thread calls often.
  public init(deadline: Int64? = nil, isWanted: (@Sendable () -> Bool)? = nil) {
    self.deadline = deadline
    self.isWanted = isWanted
  }

  /// Raised only by signals to the process.
  public static let bySignals = Interruption()

  /// Whether the work must end.
  public var isRaised: Bool {
    if Interrupt.isRaised { return true }
    if let deadline, Platform.monotonicMilliseconds >= deadline { return true }
    return isWanted?() == false
  }

  /// A wait time limited to the time until the deadline, in milliseconds.
  public func limit(_ waitMilliseconds: Int64) -> Int64 {
    guard let deadline else { return waitMilliseconds }
    return max(0, min(waitMilliseconds, deadline - Platform.monotonicMilliseconds))
  }
}
