package import Basics
package import CloudModel

/// Time, chance and patience, handed in from the top so that a run can be repeated exactly.
package struct Conditions: Sendable {
  /// A clock that stands still; nil for the system's.
  package var fixedClock: Timestamp?
  /// Where chance comes from.
  package var randomness: Randomness
  /// How long a writer waits for another, in milliseconds.
  package var waitMilliseconds: Int64

  /// Puts conditions together.
  package init(
    fixedClock: Timestamp? = nil, randomness: Randomness = .system,
    waitMilliseconds: Int64 = 60_000
  ) {
    self.fixedClock = fixedClock
    self.randomness = randomness
    self.waitMilliseconds = waitMilliseconds
  }

  /// The time now.
  package var now: Timestamp {
    fixedClock ?? Timestamp(milliseconds: Platform.wallClockMilliseconds)
  }
}
