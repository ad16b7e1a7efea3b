internal import Basics
internal import Testing

@testable internal import Commands

/// The text of a progress report (M1: --progress).
@Suite struct ProgressTests {
  private static let importing = Progress.Report(
    step: "import", done: 12_000_000, total: 34_000_000, unit: .bytes, records: 24_500,
    milliseconds: 1500)

  @Test(
    "a report has the step, the share, amounts, rate and time left, as far as they fit",
    arguments: [
      (200, "import  35 %  24,500 records  12.0 of 34.0 MB  8.0 MB/s  3 s left"),
      (80, "import  35 %  24,500 records  12.0 of 34.0 MB  8.0 MB/s  3 s left"),
      (40, "import  35 %  24,500 records  8.0 MB/s"),
      (20, "import  35 %"), (4, "imp…"),
    ])
  func lines(_ columns: Int, _ expected: String) {
    let line = Self.importing.line(columns)
    #expect(line == expected)
    #expect(line.columnWidth <= columns)
  }

  @Test("without a total there is no share, and without a count the elapsed time")
  func unknown() {
    var counted = Progress.Report(
      step: "export", done: 1_234_567, total: nil, unit: .records, records: nil,
      milliseconds: 2000)
    #expect(counted.line(80) == "export  1,234,567 records  617,283 a second")
    counted = Progress.Report(
      step: "check", done: 0, total: nil, unit: .records, records: nil, milliseconds: 3200)
    #expect(counted.line(80) == "check  3 s")
  }

  @Test("as JSON a report is an object on one line")
  func json() {
    #expect(
      Self.importing.json.text
        == #"{"step":"import","done":12000000,"total":34000000,"unit":"bytes","seconds":1.5,"#
        + #""records":24500}"#)
  }
}
