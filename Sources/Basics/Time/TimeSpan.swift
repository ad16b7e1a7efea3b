/// Time spans as users write them.
public enum TimeSpan {
  /// The units and their milliseconds.
  public static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ("w", 604_800_000),
  ]

  /// The milliseconds of a span that is not negative: `500ms`, `2s`, `1.5h`, and `5` for seconds.
  /// Nil for other text and for more than 100 years.
  public static func milliseconds(_ text: some StringProtocol) -> Int64? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let rest = text.dropFirst(number.count)
    let unit = rest.isEmpty ? 1000 : units.first { rest == $0.name }?.milliseconds
    guard let unit, let count = Double(number), count >= 0 else { return nil }
    let span = (count * Double(unit)).rounded()
    return span <= 100 * 365 * 86_400_000 ? Int64(span) : nil
  }
}
