public import Basics
public import CloudModel

/// On whose behalf an operation runs, and under which conditions: account, device, time, chance,
/// patience. A value that nobody else changes: two threads serve two requests from one store.
public struct Request: Sendable {
  /// Who acts; nil for nobody signed in.
  public var account: Account?
  /// The device that the account acts on.
  public var device: Device
  /// A fixed time; nil for the system clock.
  public var fixedClock: Timestamp?
  /// Where chance comes from.
  public var randomness: Randomness
  /// How long a writer waits for another, in milliseconds.
  public var waitMilliseconds: Int64
  /// Whether what CloudKit would refuse is refused.
  public var isStrict: Bool
  /// Whether changes fire subscriptions.
  public var notifies = true
  /// Whether it reaches what is in iCloud only from a device that is online.
  public var needsNetwork = true
  /// What ends the work before it is done.
  public var interruption: Interruption
  /// Which injected faults strike this request.
  let faults = FaultDecisions()

  /// Creates a request. Injected faults treat its copies as the same request.
  public init(
    account: Account? = nil, device: Device = .cli, fixedClock: Timestamp? = nil,
    randomness: Randomness = .system, waitMilliseconds: Int64 = 60_000, isStrict: Bool = false,
    interruption: Interruption = .bySignals
  ) {
    self.account = account
    self.device = device
    self.fixedClock = fixedClock
    self.randomness = randomness
    self.waitMilliseconds = waitMilliseconds
    self.isStrict = isStrict
    self.interruption = interruption
  }

  /// A new request with the same values; injected faults count it separately.
  public func again() -> Request {
    var request = Request(
      account: account, device: device, fixedClock: fixedClock, randomness: randomness,
      waitMilliseconds: waitMilliseconds, isStrict: isStrict, interruption: interruption)
    (request.notifies, request.needsNetwork) = (notifies, needsNetwork)
    return request
  }

  /// What chance draws from in a query that began at a moment: the same on all its pages.
  public func seed(at moment: Timestamp) -> UInt64 {
    randomness.number(purpose: ["predicate"]) ?? UInt64(bitPattern: moment.milliseconds)
  }

  /// The time now.
  public var now: Timestamp {
    fixedClock ?? Timestamp(milliseconds: Platform.wallClockMilliseconds)
  }

  /// Ends long work when the caller does not want it any more. Throws `operationCancelled`.
  func checkInterrupt() throws(CloudError) {
    guard interruption.isRaised else { return }
    var error = CloudError(.operationCancelled, "interrupted")
    error.storage = .interrupted
    throw error
  }
}
