internal import Basics

/// Dates of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The seconds since 1970 of a date; nil for other text.
  static func seconds(_ text: String) -> Int64? {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 6, words[5] == "GMT",
      let month = months.firstIndex(of: words[2])
    else { return nil }
    let number = "\(month + 1)"
    let padded = String(repeating: "0", count: 2 - number.count) + number
    return CivilTime.parse("\(words[3])-\(padded)-\(words[1])T\(words[4])Z").map { $0 / 1000 }
  }
}
