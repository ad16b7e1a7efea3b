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

  /// Puts conditions together.
  public init(
    fixedClock: Timestamp? = nil, randomness: Randomness = .system,
    waitMilliseconds: Int64 = 60_000
  ) {
    self.fixedClock = fixedClock
    self.randomness = randomness
    self.waitMilliseconds = waitMilliseconds
  }

  /// The time now.
  public var now: Timestamp {
    fixedClock ?? Timestamp(milliseconds: Platform.wallClockMilliseconds)
  }
}
