internal import Basics

/// A time, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// The range that ISO 8601 writes with four-digit years, 0001 to 9999, the only years that other
  /// programs read.
  public static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Creates a timestamp from milliseconds that were checked before.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Creates a timestamp from given milliseconds; nil outside the `range`.
  public init?(given milliseconds: Int64) {
    guard Self.range.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// Parses ISO 8601 (a time without a zone is UTC, a date alone midnight) or milliseconds. Nil for
  /// other text, and outside the `range`.
  public init?(_ text: String) {
    guard let milliseconds = CivilTime.parse(text) ?? Int64(text) else { return nil }
    self.init(given: milliseconds)
  }

  /// `2024-05-01T12:00:00.000Z`.
  public var text: String { CivilTime.format(milliseconds: milliseconds) }

  /// Whether one time is before another.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
