internal import Basics
internal import Testing

/// Dates as text, compared with a calendar that only counts days (M4.8: TIMESTAMP is
/// `2024-05-01T12:00:00.000Z`; ISO 8601).
@Suite struct CivilTimeTests {
  private static func monthLengths(_ year: Int64) -> [Int64] {
    let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  }

  private static func padded(_ number: Int64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: digits - text.count) + text
  }

  @Test("the first and last day of every month of 10,000 years, at a random time of the day")
  func allMonths() {
    var random = SplitMix64(state: 1)
    var midnight = CivilTime.range.lowerBound
    for year in Int64(0)...9999 {
      for (index, length) in Self.monthLengths(year).enumerated() {
        for day in [1, length] {
          let time = Int64(random.below(86_400_000))
          let milliseconds = midnight + (day - 1) * 86_400_000 + time
          let date = "\(Self.padded(year, 4))-\(Self.padded(Int64(index) + 1, 2))"
          let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map {
            Self.padded($0, 2)
          }
          let text =
            "\(date)-\(Self.padded(day, 2))T\(clock.joined(separator: ":"))"
            + ".\(Self.padded(time % 1000, 3))Z"
          // A plain comparison: #expect is slow when it runs 240,000 times.
          if CivilTime.format(milliseconds: milliseconds) != text { Issue.record("\(text)") }
          if CivilTime.parse(text) != milliseconds { Issue.record("parse \(text)") }
        }
        midnight += length * 86_400_000
      }
    }
    #expect(midnight - 1 == CivilTime.range.upperBound)
  }

  @Test("random milliseconds of the range survive a round trip through text")
  func roundTrip() {
    var random = SplitMix64(state: 2)
    let span = UInt64(CivilTime.range.upperBound - CivilTime.range.lowerBound) + 1
    for _ in 0..<5000 {
      let milliseconds = CivilTime.range.lowerBound + Int64(random.next() % span)
      #expect(CivilTime.parse(CivilTime.format(milliseconds: milliseconds)) == milliseconds)
    }
  }

  @Test("outside the four-digit years, the text is the number of milliseconds")
  func outOfRange() {
    for number in [CivilTime.range.lowerBound - 1, CivilTime.range.upperBound + 1, .min, .max] {
      #expect(CivilTime.format(milliseconds: number) == String(number))
    }
  }

  @Test(
    "ISO 8601: parts may be left out, offsets are subtracted, further digits are cut off",
    arguments: [
      ("1970-01-01", 0), ("1970-01-01T00:00", 0), ("1970-01-01 00:01", 60_000),
      ("1970-01-01T00:00:01", 1000), ("1970-01-01T00:00:00.5", 500),
      ("1970-01-01T00:00:00,25Z", 250), ("1970-01-01T00:00:00.0019Z", 1),
      ("1969-12-31T23:59:59.9999Z", -1), ("1970-01-01t00:00z", 0),
      ("1970-01-01T01:00+01:00", 0), ("1970-01-01T01:00+01", 0), ("1970-01-01T01:30+0130", 0),
      ("1969-12-31T19:00:00-05:00", 0), ("1970-01-01T00:00-00:01", 60_000),
      ("2000-02-29", 951_782_400_000), ("2024-02-29T12:00:00.000Z", 1_709_208_000_000),
    ] as [(String, Int64)])
  func forms(_ text: String, _ milliseconds: Int64) {
    #expect(CivilTime.parse(text) == milliseconds)
  }

  @Test(
    "texts that are not dates give nil",
    arguments: [
      "", "2024", "2024-05", "2024-5-1", "24-05-01", "2024-13-01", "2024-00-01", "2024-05-00",
      "2024-05-32", "2024-04-31", "2023-02-29", "1900-02-29", "2100-02-29", "2024-05-01T",
      "2024-05-01T12", "2024-05-01T24:00", "2024-05-01T12:60", "2024-05-01T12:00:60",
      "2024-05-01T12:00:", "2024-05-01T12:00:00.", "2024-05-01T12:00:00.Z", "2024-05-01Z",
      "2024-05-01T12:00+", "2024-05-01T12:00+1", "2024-05-01T12:00+24:00", "2024-05-01T12:00ZZ",
      "2024-05-01T12:00+01:60", "2024-05-01T12:00+01:0", " 2024-05-01", "2024-05-01 ",
      "-2024-05-01", "+2024-05-01", "２０２４-05-01", "2024-05-01T12:00\u{301}",
    ])
  func malformed(_ text: String) {
    #expect(CivilTime.parse(text) == nil)
  }

  @Test("ISO 8601: minutes must follow the colon of an offset")
  func offsetColon() {
    #expect(CivilTime.parse("2024-05-01T12:00+05:") == nil)
  }
}
