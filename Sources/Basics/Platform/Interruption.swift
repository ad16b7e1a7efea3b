/// A condition that ends work early: a signal to the process, a time limit, or a caller who no
/// longer wants the result.
public struct Interruption: Sendable {
  private let heedsSignals: Bool
  private let deadline: Int64?
  private let isWanted: (@Sendable () -> Bool)?

  /// Raised by signals to the process if `heedsSignals`, after the deadline (in milliseconds of
  /// `Platform.monotonicMilliseconds`), or when `isWanted` returns false, which any thread calls
  /// often.
  public init(
    heedsSignals: Bool = false, deadline: Int64? = nil, isWanted: (@Sendable () -> Bool)? = nil
  ) {
    self.heedsSignals = heedsSignals
    self.deadline = deadline
    self.isWanted = isWanted
  }

  /// Never raised.
  public static let never = Interruption()

  /// Raised by signals to the process.
  public static let bySignals = Interruption(heedsSignals: true)

  /// Whether the work must end.
  public var isRaised: Bool {
    if heedsSignals, Interrupt.isRaised { return true }
    if let deadline, Platform.monotonicMilliseconds >= deadline { return true }
    return isWanted?() == false
  }

  /// A wait time limited to the time until the deadline, in milliseconds.
  func limit(_ milliseconds: Int64) -> Int64 {
    guard let deadline else { return milliseconds }
    return max(0, min(milliseconds, deadline - Platform.monotonicMilliseconds))
  }
}

/// How long a request waits for other writers, and what ends its work early.
public struct Patience: Sendable {
  /// How long it waits for a lock, in milliseconds.
  public var milliseconds: Int64
  /// What ends waiting and long work.
  public var interruption: Interruption

  /// The patience of a request.
  public init(milliseconds: Int64, interruption: Interruption = .never) {
    (self.milliseconds, self.interruption) = (milliseconds, interruption)
  }

  /// Waits for no lock, and nothing interrupts it.
  public static let none = Patience(milliseconds: 0)

  /// The same without waiting for locks.
  public var withoutWaiting: Patience { Patience(milliseconds: 0, interruption: interruption) }

  /// When waiting that begins now ends, in milliseconds of `Platform.monotonicMilliseconds`.
  public var end: Int64 { Platform.monotonicMilliseconds + interruption.limit(milliseconds) }
}
