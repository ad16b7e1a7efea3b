internal import Basics

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// The moment of a number of milliseconds.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Reads ISO 8601 (a time without a zone is UTC, a date alone midnight) or milliseconds.
  /// Nil for other text.
  public init?(_ text: String) {
    if let milliseconds = CivilTime.parse(text) ?? Int64(text) {
      self.milliseconds = milliseconds
    } else {
      return nil
    }
  }

  /// `2024-05-01T12:00:00.000Z`.
  public var text: String { CivilTime.format(milliseconds: milliseconds) }

  /// Whether one moment is before another.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
