package import Basics
package import CloudModel

/// What requests have in common.
package struct CloudConditions: Sendable {
  /// The environment of containers.
  package var environment = Environment.development
  /// A fixed time; nil for the system's clock.
  package var clock: Timestamp?
  /// The source of randomness.
  package var randomness = Randomness.system
  /// Whether to refuse what CloudKit would refuse.
  package var isStrict = false
  /// How long to wait for another writer, in milliseconds.
  package var waitMilliseconds: Int64 = 60_000

  /// Development, on the system's clock.
  package init() {}
}
