internal import Basics
internal import TestSupport
internal import Testing

/// Fixtures of so many records that a second thread makes them: the result is that of a small one.
@Suite struct LargeFixtureTests {
  private static let count = 2000

  /// Records of two types, some with references, in the order of their names.
  private func lines(_ change: (Int) -> String? = { _ in nil }) -> String {
    (0..<Self.count).map { number in
      let link = number > 0 ? #","next":{"recordName":"r\#(number - 1)"}"# : ""
      let type = number % 3 == 0 ? "Task" : "Note"
      return change(number)
        ?? #"{"recordName":"r\#(number)","recordType":"\#(type)","n":\#(number)\#(link)}"#
    }.map { $0 + "\n" }.joined()
  }

  @Test("all records of a large fixture are loaded, and loading it again changes none")
  func load() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try fixture.file("large.jsonl", lines())
    let first = try fixture.run("fixture load \(file)")
    #expect(first.errors.hasSuffix("\(Self.count) created, 0 changed, 0 unchanged\n"))
    #expect(try fixture.run("fixture load \(file)").errors.hasPrefix("0 created, 0 changed"))
    let tasks = try fixture.run("query Task --count")
    #expect(tasks.output == "667\n", "\(tasks)")
    let record = try fixture.run("record fetch r1999 --json").output
    #expect(record.contains(#""n":1999"#) && record.contains(#""r1998""#), "\(record)")
    #expect(try fixture.run("doctor --deep -q").code == 0)
  }

  @Test("a fault anywhere in a large fixture is reported with its line, and nothing is loaded")
  func faults() throws {
    let fixture = try CommandFixture.withContainer()
    for place in [0, 63, 64, 700, Self.count - 1] {
      let faulty = #"{"recordName":"x","recordType":"Note","n":{"recordName":"r1"}}"#
      let sound = #"{"recordName":"y","recordType":"Note","n":1}"#
      let text = sound + "\n" + lines { $0 == place ? faulty : nil }
      let file = try fixture.file("large.jsonl", text)
      let outcome = try fixture.run("fixture load \(file)")
      #expect(
        outcome.code == 65 && outcome.errors.contains("large.jsonl:\(place + 2):"), "\(outcome)")
      #expect(try fixture.run("record list").output.split(separator: "\n").count <= 1)
    }
  }
}
