internal import Testing

/// The limit of a record's size holds for what an import merges, not only for what it brings.
@Suite struct ImportLimitTests {
  @Test("R3.4.8: a record that an import merges stays within a megabyte")
  func mergedRecord() throws {
    let fixture = try CommandFixture.withContainer()
    func importing(_ field: String) throws -> CommandFixture.Outcome {
      let text = String(repeating: "x", count: 400_000)
      let path = try fixture.file(
        "a.jsonl",
        "{\"recordName\":\"A\",\"recordType\":\"T\",\"fields\":{\"\(field)\":\"\(text)\"}}\n")
      return try fixture.run(["import", path, "--policy", "changed"])
    }
    #expect(try importing("a").code == 0)
    #expect(try importing("b").code == 0)
    let refused = try importing("c")
    #expect(refused.code != 0)
    #expect(refused.errors.contains("record is too large"), "\(refused.errors)")
    #expect(try !fixture.run("export").output.contains("\"c\":"))
  }
}
