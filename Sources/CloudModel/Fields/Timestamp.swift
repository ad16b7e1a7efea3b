internal import Basics

/// A time, in milliseconds since 1970-01-01T00:00:00Z.
///
/// An encrypted value may be more exact: what a device encrypts, the service cannot round.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z, rounded for a time that is more exact.
  public var milliseconds: Int64 { didSet { fineSeconds = 0 } }
  /// The seconds since 2001-01-01T00:00:00Z of a time that is more exact; 0 for others.
  private var fineSeconds = 0.0

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

  /// Creates a timestamp from exact seconds since 2001-01-01T00:00:00Z; nil outside the `range`.
  public init?(exactly seconds: Double) {
    let scaled = ((seconds + Self.secondsTo2001) * 1000).rounded()
    guard let known = Int64(exactly: scaled).flatMap(Timestamp.init(given:)) else { return nil }
    self = known
    if scaled / 1000 - Self.secondsTo2001 != seconds { fineSeconds = seconds }
  }

  /// The seconds since 2001-01-01T00:00:00Z of a time that has no whole milliseconds; nil for
  /// others.
  public var exactSeconds: Double? { fineSeconds == 0 ? nil : fineSeconds }

  /// The number that stores keep: milliseconds, or outside of their `range` the bits of the exact
  /// seconds.
  public var storedNumber: Int64 {
    fineSeconds == 0 ? milliseconds : Int64(bitPattern: fineSeconds.bitPattern)
  }

  /// Creates a timestamp from a number that a store keeps.
  public init(storedNumber number: Int64) {
    let seconds = Double(bitPattern: UInt64(bitPattern: number))
    if !Self.range.contains(number), let exact = Timestamp(exactly: seconds) {
      self = exact
    } else {
      self.init(milliseconds: number)
    }
  }

  private static let secondsTo2001 = 978_307_200.0

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
    (left.milliseconds, left.fineSeconds) < (right.milliseconds, right.fineSeconds)
  }
}
