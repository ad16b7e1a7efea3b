internal import Testing

@testable internal import Commands

/// Reports of what CloudKit would refuse in a query stay readable, whatever their length.
@Suite struct FindingReportTests {
  @Test("P3: ten findings are reported, and the number of the others")
  func most() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run(["record", "save", "T", "s=x"])
    let text = Array(repeating: "s LIKE 'x'", count: 14).joined(separator: " AND ")
    let outcome = try fixture.run(["query", "T", text, "--count"])
    #expect(outcome.output == "1\n")
    let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("ckdb: warning") }
    #expect(warnings.count == 11)
    #expect(warnings.last == "ckdb: warning: 4 more; 'ckdb predicate check' lists all")
  }

  @Test("P1.5.18: a long line is clipped around the marked part, with the caret below it")
  func clipping() {
    let text = String(repeating: "a", count: 1000) + "!" + String(repeating: "b", count: 1000)
    let lines = CommandError.Caret(text: text, span: 1000..<1001).lines()
    #expect(lines.allSatisfy { $0.count <= 410 })
    let caret = lines[1].prefix { $0 != "^" }.count
    #expect(Array(lines[0])[caret] == "!")
  }
}
