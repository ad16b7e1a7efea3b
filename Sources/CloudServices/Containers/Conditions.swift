public import Basics
public import CloudModel

/// Time, chance and patience, handed in from the top so that a run can be repeated exactly.
public struct Conditions: Sendable {
  /// A clock that stands still; nil for the system's.
  public var fixedClock: Timestamp?
  /// Where chance comes from.
  public var randomness: Randomness
  /// How long a writer waits for another, in milliseconds.
  public var waitMilliseconds: Int64
  /// Whether what CloudKit would refuse is refused (`--strict`).
  public var isStrict: Bool

  /// Puts conditions together.
  public init(
    fixedClock: Timestamp? = nil, randomness: Randomness = .system,
    waitMilliseconds: Int64 = 60_000, isStrict: Bool = false
  ) {
    self.fixedClock = fixedClock
    self.randomness = randomness
    self.waitMilliseconds = waitMilliseconds
    self.isStrict = isStrict
  }

  /// What chance draws from in a query that began at a moment: the same on all its pages.
  public func seed(at moment: Timestamp) -> UInt64 {
    randomness.number(purpose: ["predicate"]) ?? UInt64(bitPattern: moment.milliseconds)
  }

  /// The time now.
  public var now: Timestamp {
    fixedClock ?? Timestamp(milliseconds: Platform.wallClockMilliseconds)
  }
}
