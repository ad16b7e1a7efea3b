internal import Basics

/// A time as fixtures and predicates write it: `now`, `now-3d`, `now+1h30m`.
public enum RelativeTime {
  /// Whether a text begins like a relative time.
  public static func isMeant(by text: String) -> Bool {
    guard text.hasPrefix("now") else { return false }
    return text.utf8.dropFirst(3).first.map { !$0.isLetterByte } ?? true
  }

  /// Returns the time of a text; nil if it is invalid.
  public static func moment(_ text: String, now: Timestamp) -> Timestamp? {
    var rest = text.utf8.dropFirst(3)
    var milliseconds = now.milliseconds
    var sign: Int64?
    while let first = rest.first {
      if first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
        sign = first == UInt8(ascii: "+") ? 1 : -1
        rest = rest.dropFirst()
      }
      let digits = rest.prefix(while: \.isDigitByte)
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix(while: \.isLetterByte)
      rest = rest.dropFirst(letters.count)
      guard let sign, let count = Int64(String(decoding: digits, as: UTF8.self)),
        let unit = TimeSpan.units.first(where: { $0.name.utf8.elementsEqual(letters) })
      else { return nil }
      let (span, isTooLong) = count.multipliedReportingOverflow(by: sign * unit.milliseconds)
      let (sum, isTooFar) = milliseconds.addingReportingOverflow(span)
      if isTooLong || isTooFar { return nil }
      milliseconds = sum
    }
    return Timestamp(given: milliseconds)
  }
}
