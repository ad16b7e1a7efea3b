public import Basics
public import CloudModel

/// The account and conditions of an operation: account, device, time, randomness, patience. It is a
/// value, so two threads can serve two requests from one store.
public struct Request: Sendable {
  /// The account; nil if no account is signed in.
  public var account: Account?
  /// The device of the account.
  public var device: Device
  /// A fixed time; nil for the system clock.
  public var fixedClock: Timestamp?
  /// The source of randomness.
  public var randomness: Randomness
  /// How long it waits for other writers, and what ends its work early.
  public var patience: Patience
  /// Whether to refuse what CloudKit would refuse.
  public var isStrict: Bool
  /// Whether changes fire subscriptions.
  public var notifies = true
  /// Whether data in iCloud can be reached only from a device that is online.
  public var needsNetwork = true
  /// Whether injected faults strike the request. What only looks at the store must not use them up.
  public var meetsFaults = true
  /// Which injected faults strike this request.
  let faults = FaultDecisions()

  /// Creates a request. Injected faults treat its copies as the same request.
  public init(
    account: Account? = nil, device: Device = .cli, fixedClock: Timestamp? = nil,
    randomness: Randomness = .system, patience: Patience = Patience(milliseconds: 60_000),
    isStrict: Bool = false
  ) {
    self.account = account
    self.device = device
    self.fixedClock = fixedClock
    self.randomness = randomness
    self.patience = patience
    self.isStrict = isStrict
  }

  /// A new request with the same values; injected faults count it separately.
  public func again() -> Request {
    var request = Request(
      account: account, device: device, fixedClock: fixedClock, randomness: randomness,
      patience: patience, isStrict: isStrict)
    (request.notifies, request.needsNetwork) = (notifies, needsNetwork)
    request.meetsFaults = meetsFaults
    return request
  }

  /// The numbers of the injected faults that struck the request, in order.
  public var faultNumbers: [Int] { faults.struck }

  /// How much later injected faults let the answer come, in milliseconds: known when the work is
  /// done, and for whoever answers to wait.
  public var latency: Int64 { Int64(min(faults.latency, FaultRule.mostLatency) * 1000) }

  /// The random seed of a query that began at a moment: the same on all its pages.
  public func seed(at moment: Timestamp) -> UInt64 {
    randomness.number(purpose: ["predicate"]) ?? UInt64(bitPattern: moment.milliseconds)
  }

  /// The time now.
  public var now: Timestamp {
    fixedClock ?? Timestamp(milliseconds: Platform.wallClockMilliseconds)
  }

  /// Throws `operationCancelled` if the caller interrupts long work.
  func checkInterrupt() throws(CloudError) {
    guard patience.interruption.isRaised else { return }
    var error = CloudError(.operationCancelled, "interrupted")
    error.storage = .interrupted
    throw error
  }
}
