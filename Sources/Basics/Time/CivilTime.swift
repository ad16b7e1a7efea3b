/// Dates as integers: milliseconds since 1970-01-01T00:00:00Z in the proleptic Gregorian calendar.
///
/// Our own arithmetic, because FoundationEssentials' ISO 8601 formatting loses milliseconds
/// (measured: 496 of 1,000 values one millisecond low).
public enum CivilTime {
  /// The times with a four-digit year.
  public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// `2024-05-01T12:00:00.000Z`; outside four-digit years the bare milliseconds.
  public static func format(milliseconds: Int64) -> String {
    guard range.contains(milliseconds) else { return String(milliseconds) }
    let (days, time) = floorDivide(milliseconds, 86_400_000)
    let (year, month, day) = civil(fromDays: days)
    return String(unsafeUninitializedCapacity: 24) { text in
      var place = 0
      func put(_ number: Int64, _ digits: Int, _ after: Unicode.Scalar) {
        var rest = UInt32(truncatingIfNeeded: number)
        for index in (place..<(place + digits)).reversed() {
          text[index] = 48 + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        text[place + digits] = UInt8(ascii: after)
        place += digits + 1
      }
      put(year, 4, "-")
      put(month, 2, "-")
      put(day, 2, "T")
      put(time / 3_600_000, 2, ":")
      put(time / 60_000 % 60, 2, ":")
      put(time / 1000 % 60, 2, ".")
      put(time % 1000, 3, "Z")
      return place
    }
  }

  /// Parses ISO 8601: `2024-05-01`, `2024-05-01T12:00`, seconds and their fraction, `Z` or an
  /// offset; no offset means UTC, a date alone midnight, and a blank may replace the `T`.
  ///
  /// Returns milliseconds (further digits are truncated), or nil for other text.
  public static func parse(_ text: String) -> Int64? {
    var scanner = DigitScanner(text)
    guard let year = scanner.digits(4), scanner.skip("-"),
      let month = scanner.digits(2), (1...12).contains(month), scanner.skip("-"),
      let day = scanner.digits(2), day >= 1, day <= daysIn(month: month, year: year)
    else { return nil }
    let midnight = days(fromYear: year, month, day) * 86_400_000
    if scanner.isAtEnd { return midnight }
    guard scanner.skip("T") || scanner.skip(" ") || scanner.skip("t"),
      let time = scanner.timeOfDay(), let offset = scanner.offset(), scanner.isAtEnd
    else { return nil }
    return midnight + time - offset
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> (Int64, Int64) {
    let remainder = a % b
    return remainder < 0 ? (a / b - 1, remainder + b) : (a / b, remainder)
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func daysIn(month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01, computed in eras of 400 years that begin on 1 March.
  private static func days(fromYear year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(shifted, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDays days: Int64) -> (Int64, Int64, Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

/// Reads fixed-width digits and marks from a text.
private struct DigitScanner {
  private var bytes: Substring.UTF8View

  init(_ text: String) { bytes = text[...].utf8 }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: mark) else { return false }
    bytes.removeFirst()
    return true
  }

  mutating func digits(_ count: Int) -> Int64? {
    guard bytes.count >= count else { return nil }
    var value: Int64 = 0
    for _ in 0..<count {
      let byte = bytes.removeFirst()
      guard byte >= 48, byte <= 57 else { return nil }
      value = value * 10 + Int64(byte - 48)
    }
    return value
  }

  /// `HH:MM[:SS[.fff…]]` in milliseconds.
  mutating func timeOfDay() -> Int64? {
    guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60
    else { return nil }
    var milliseconds = (hour * 60 + minute) * 60_000
    guard skip(":") else { return milliseconds }
    guard let second = digits(2), second < 60 else { return nil }
    milliseconds += second * 1000
    guard skip(".") || skip(",") else { return milliseconds }
    var scale: Int64 = 100
    guard let first = bytes.first, first >= 48, first <= 57 else { return nil }
    while let byte = bytes.first, byte >= 48, byte <= 57 {
      milliseconds += Int64(byte - 48) * scale
      scale /= 10
      bytes.removeFirst()
    }
    return milliseconds
  }

  /// `Z`, `±HH`, `±HHMM`, `±HH:MM` or nothing, in milliseconds east of UTC.
  mutating func offset() -> Int64? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    let sign: Int64 = skip("-") ? -1 : 1
    if sign == 1, !skip("+") { return nil }
    guard let hours = digits(2), hours < 24 else { return nil }
    if isAtEnd { return sign * hours * 3_600_000 }
    _ = skip(":")
    guard let minutes = digits(2), minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes) * 60_000
  }
}
