internal import Basics

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// The years that ISO 8601 writes with four digits, 0001 to 9999: what people mean lies within,
  /// and other programs read no others.
  public static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// The moment of a number of milliseconds that was checked before.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The moment of a number of milliseconds that somebody gives; nil outside the `range`.
  public init?(given milliseconds: Int64) {
    guard Self.range.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// Reads ISO 8601 (a time without a zone is UTC, a date alone midnight) or milliseconds.
  /// Nil for other text, and outside the `range`.
  public init?(_ text: String) {
    guard let milliseconds = CivilTime.parse(text) ?? Int64(text) else { return nil }
    self.init(given: milliseconds)
  }

  /// `2024-05-01T12:00:00.000Z`.
  public var text: String { CivilTime.format(milliseconds: milliseconds) }

  /// Whether one moment is before another.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
