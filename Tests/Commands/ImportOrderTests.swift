internal import Testing

/// The order of a file does not matter to parents (rule 4.4.15).
@Suite struct ImportOrderTests {
  /// A chain of records, each the parent of the next, the last one first.
  private func chain(_ count: Int) -> String {
    (0..<count).reversed().map { index in
      let parent = index == 0 ? "" : "\"parent\":\"r\(index - 1)\","
      return "{\"recordName\":\"r\(index)\",\"recordType\":\"T\",\(parent)\"fields\":{}}\n"
    }.joined()
  }

  @Test(
    "4.4.15: children before their parents come in, however deep", arguments: [[], ["--no-atomic"]])
  func reversed(options: [String]) throws {
    let fixture = try CommandFixture.withContainer()
    let outcome = try fixture.run(["import", "-"] + options, input: chain(3000))
    #expect(outcome.errors.contains("3000 created, 0 changed, 0 unchanged"))
    let again = try fixture.run(["import", "-"] + options, input: chain(3000))
    #expect(again.errors.contains("0 created, 0 changed, 3000 unchanged"))
  }

  @Test("5.8: parents that never come are faults with their places, and nothing is imported")
  func missing() throws {
    let fixture = try CommandFixture.withContainer()
    let input = """
      {"recordName":"c","recordType":"T","parent":"b","fields":{}}
      {"recordName":"a","recordType":"T","fields":{}}
      {"recordName":"b","recordType":"T","parent":"nobody","fields":{}}

      """
    let outcome = try fixture.run(["import", "-"], input: input)
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains("-:1:1: c: the parent 'b' does not exist"))
    #expect(outcome.errors.contains("-:3:1: b: the parent 'nobody' does not exist"))
    #expect(try fixture.run("record list -f names").output == "")
    let alone = try fixture.run(["import", "-", "--no-atomic"], input: input)
    #expect(alone.code == 3)
    #expect(try fixture.run("record list -f names").output == "a\n")
  }
}
