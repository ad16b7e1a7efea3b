internal import Synchronization

/// How far long work has come. The work names its steps and counts; other threads look.
public final class WorkMeter: Sendable {
  /// A part of the work.
  public struct Step: Sendable {
    /// What is done, in a word or two; nil for the work itself.
    public let name: String?
    /// How much there is to do; nil where that is unknown.
    public let total: Int64?
    /// What is counted.
    public let unit: Unit
    /// When it began, on the monotonic clock.
    public let began: Int64
  }

  /// What is counted.
  public enum Unit: String, Sendable {
    case records, bytes
  }

  private let current: Locked<Step>
  private let count = Atomic<Int64>(0)

  /// Begins with the work itself as its only step.
  public init(total: Int64? = nil, _ unit: Unit = .records) {
    current = Locked(
      Step(name: nil, total: total, unit: unit, began: Platform.monotonicMilliseconds))
  }

  /// Begins a step, and counts from zero.
  public func begin(_ name: String, total: Int64? = nil, _ unit: Unit = .records) {
    current.withLock { step in
      step = Step(name: name, total: total, unit: unit, began: Platform.monotonicMilliseconds)
      count.store(0, ordering: .relaxed)
    }
  }

  /// Counts what is done.
  public func advance(_ amount: Int64 = 1) { count.add(amount, ordering: .relaxed) }

  /// The step, and what is done of it.
  public var reading: (step: Step, done: Int64) {
    current.withLock { ($0, count.load(ordering: .relaxed)) }
  }
}
