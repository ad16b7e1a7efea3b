internal import Testing

/// The order of a file does not matter for parents (R4.4.15).
@Suite struct ImportOrderTests {
  /// A chain of records, each the parent of the next, the last one first.
  private func chain(_ count: Int) -> String {
    (0..<count).reversed().map { index in
      let parent = index == 0 ? "" : "\"parent\":\"r\(index - 1)\","
      return "{\"recordName\":\"r\(index)\",\"recordType\":\"T\",\(parent)\"fields\":{}}\n"
    }.joined()
  }

  @Test(
    "R4.4.15: children may precede their parents, at any depth",
    arguments: [[], ["--no-atomic"]])
  func reversed(options: [String]) throws {
    let fixture = try CommandFixture.withContainer()
    let outcome = try fixture.run(["import", "-"] + options, input: chain(3000))
    #expect(outcome.errors.contains("3000 created, 0 changed, 0 unchanged"))
    let again = try fixture.run(["import", "-"] + options, input: chain(3000))
    #expect(again.errors.contains("0 created, 0 changed, 3000 unchanged"))
  }

  @Test(
    "R5.1: records that validate one another are imported together, and nothing else waits",
    arguments: [[], ["--no-atomic"]])
  func cycle(options: [String]) throws {
    let fixture = try CommandFixture.withContainer()
    let input = """
      {"recordName":"a","recordType":"T","fields":{"r":{"recordName":"b","action":"VALIDATE"}}}
      {"recordName":"b","recordType":"T","fields":{"r":{"recordName":"c","action":"VALIDATE"}}}
      {"recordName":"d","recordType":"T","parent":"a","fields":{}}
      {"recordName":"c","recordType":"T","fields":{"r":{"recordName":"a","action":"VALIDATE"}}}

      """
    let outcome = try fixture.run(["import", "-"] + options, input: input)
    #expect(outcome.errors.contains("4 created, 0 changed, 0 unchanged"))
    let exported = try fixture.run("export").output
    let other = try CommandFixture.withContainer()
    #expect(try other.run(["import", "-"] + options, input: exported).code == 0)
    #expect(try other.run("export").output == exported)
    let lost =
      input + "{\"recordName\":\"e\",\"recordType\":\"T\",\"parent\":\"f\",\"fields\":{}}\n"
    let third = try CommandFixture.withContainer()
    let partial = try third.run(["import", "-"] + options, input: lost)
    #expect(partial.errors.contains("-:5:1: e: the parent 'f' does not exist"))
    let names = try third.run("record list -f names").output
    #expect(names == (options.isEmpty ? "" : "a\nb\nc\nd\n"))
  }

  @Test(
    "M5: of two records of one name the first counts, and the same import changes nothing",
    arguments: ["unchanged", "changed", "all"])
  func repeated(policy: String) throws {
    let input = """
      {"recordName":"a","fields":{"m":1,"n":1}}
      {"recordName":"a","fields":{"n":2}}

      """
    let fixture = try CommandFixture.withContainer()
    for expected in ["1 created, 0 changed", "0 created, 0 changed"] {
      let outcome = try fixture.run(["import", "T", "-", "--policy", policy], input: input)
      #expect(outcome.code == 0)
      #expect(outcome.errors.contains(expected))
      #expect(outcome.errors.contains(", 1 skipped: its name repeats line 1\n"))
      #expect(try fixture.run("record fetch a -f tsv").output == "recordName\tm\tn\na\t1\t1\n")
    }
  }

  @Test("R5.8: missing parents are faults with their places, and nothing is imported")
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
