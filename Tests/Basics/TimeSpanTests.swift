internal import Basics
internal import Testing

/// Time spans of options (DS8).
@Suite struct TimeSpanTests {
  @Test(
    "a number is seconds; units are the same everywhere",
    arguments: [
      ("5", 5000), ("0", 0), ("0.25", 250), ("5s", 5000), ("500ms", 500), ("1.5h", 5_400_000),
      ("3m", 180_000), ("1d", 86_400_000), ("2w", 1_209_600_000), ("", nil), ("s", nil),
      ("-1", nil),
      ("5 s", nil), ("5x", nil), ("1e9", nil), ("5ss", nil), ("1..2", nil), ("99999999999d", nil),
    ] as [(String, Int64?)])
  func spans(_ text: String, _ milliseconds: Int64?) {
    #expect(TimeSpan.milliseconds(text) == milliseconds)
  }
}
