internal import Basics

/// How often something may happen: at most `count` times in a row, then `count` times per period
/// (kvs-documents.md A6).
public struct Rate: Sendable, Equatable {
  /// How many times.
  public let count: Int64
  /// The period, in milliseconds.
  public let period: Int64

  /// Creates a rate.
  public init(count: Int64, period: Int64) { (self.count, self.period) = (count, period) }

  /// Parses `15/90s`, with the units of `TimeSpan`; nil for other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int64(parts[0]), count > 0,
      let period = TimeSpan.milliseconds(parts[1]), count <= period, period <= 86_400_000 * 366
    else { return nil }
    self.init(count: count, period: period)
  }

  /// The rate as written.
  public var text: String {
    period % 1000 == 0 ? "\(count)/\(period / 1000)s" : "\(count)/\(period)ms"
  }

  /// The new `free` time after something happens at `now`, in milliseconds; nil if it is too early.
  /// `free` begins with 0.
  public func next(after free: Int64, at now: Int64) -> Int64? {
    let next = self.next(free, now)
    return next - now <= period ? next : nil
  }

  /// How many milliseconds to wait.
  public func wait(after free: Int64, at now: Int64) -> Int64 {
    next(free, now) - now - period
  }

  /// Limits the wait to one period, even if the clock went back.
  private func next(_ free: Int64, _ now: Int64) -> Int64 {
    min(max(free, now), now + period) + period / count
  }
}
