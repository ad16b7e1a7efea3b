internal import Synchronization

/// The progress of long work. The work names its steps and counts; other threads read.
public final class WorkMeter: Sendable {
  /// A step of the work.
  public struct Step: Sendable {
    /// The name, in a word or two; nil for the work itself.
    public let name: String?
    /// The total amount; nil if unknown.
    public let total: Int64?
    /// The unit.
    public let unit: Unit
    /// When the step began, on the monotonic clock.
    public let began: Int64
  }

  /// The unit of the count.
  public enum Unit: String, Sendable {
    case records, bytes
  }

  private let current: Locked<Step>
  private let count = Atomic<Int64>(0)

  /// Creates a meter with the work itself as its only step.
  public init(total: Int64? = nil, _ unit: Unit = .records) {
    current = Locked(
      Step(name: nil, total: total, unit: unit, began: Platform.monotonicMilliseconds))
  }

  /// Begins a step, counting from zero.
  public func begin(_ name: String, total: Int64? = nil, _ unit: Unit = .records) {
    current.withLock { step in
      step = Step(name: name, total: total, unit: unit, began: Platform.monotonicMilliseconds)
      count.store(0, ordering: .relaxed)
    }
  }

  /// Adds to the count.
  public func advance(_ amount: Int64 = 1) { count.add(amount, ordering: .relaxed) }

  /// The step, and the amount done.
  public var reading: (step: Step, done: Int64) {
    current.withLock { ($0, count.load(ordering: .relaxed)) }
  }
}
