internal import Testing

/// Cursor chains over the command line (M2.10, M2.11, C165, C166).
@Suite struct CursorTests {
  private func filled() throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    var text = ""
    for index in 0..<23 {
      var fields = ["\"s\":\"v\(index % 4) \\\"\u{e9}\""]
      if index % 3 > 0 { fields.append("\"i\":\(9_007_199_254_740_990 + index % 5)") }
      if index % 4 > 0 { fields.append("\"d\":\(Double(index % 6) / 7)") }
      if index % 5 > 0 { fields.append("\"r\":{\"recordName\":\"x\(index % 2)\"}") }
      if index % 2 > 0 {
        fields.append("\"w\":{\"value\":\(index % 3),\"type\":\"TIMESTAMP\"}")
        fields.append("\"p\":{\"latitude\":\(index % 7).5,\"longitude\":1}")
      }
      text += "{\"recordName\":\"n\(index)\",\"fields\":{\(fields.joined(separator: ","))}}\n"
    }
    let imported = try fixture.run(["import", "T", "-"], input: text)
    #expect(imported.code == 0, "\(imported.errors)")
    return fixture
  }

  private func cursor(_ errors: String) -> String? {
    // Findings about the query come first.
    guard let line = errors.split(separator: "\n").last, line.hasPrefix("cursor: ") else {
      return nil
    }
    return String(line.dropFirst(8))
  }

  @Test(
    "C165: the pages of a query together are the whole query, for every kind of sort",
    arguments: [
      [], ["--sort", "s"], ["--sort", "-i,s"], ["--sort", "d,-w"], ["--sort", "-r,recordName"],
      ["--near", "p=3,1"], ["--sort", "-modificationDate,-recordName"],
      ["--near", "p=0,0", "--sort", "i"],
    ])
  func pages(_ order: [String]) throws {
    let fixture = try filled()
    let query = ["query", "T", "s != 'v1 \"\u{e9}' OR i > 5", "-f", "names"] + order
    let whole = try fixture.run(query + ["--all"])
    #expect(whole.code == 0, "\(whole.errors)")
    var page = try fixture.run(query + ["--limit", "4"])
    var output = page.output
    var count = 1
    while let next = cursor(page.errors), count < 30 {
      page = try fixture.run(["query", "--cursor", next, "--limit", "4", "-f", "names"])
      #expect(page.code == 0, "\(page.errors)")
      output += page.output
      count += 1
    }
    #expect(output == whole.output)
    #expect(count > 3)
  }

  @Test(
    "a pipe gets all records in every format; pages, cursors and --limit cut them (cli.md §2)",
    arguments: ["csv", "tsv", "json", "jsonl", "wire", "names", "table", "raw", "line"])
  func pipes(_ format: String) throws {
    let fixture = try CommandFixture.withContainer()
    let text = (100..<231).map { "{\"recordName\":\"n\($0)\",\"fields\":{\"i\":\($0)}}\n" }
    _ = try fixture.run(["import", "T", "-"], input: text.joined())
    let query = ["query", "T", "i > 0", "--fields", "i", "-f", format]
    func count(_ words: [String]) throws -> (Int, cursor: String?) {
      let outcome = try fixture.run(words)
      #expect(outcome.code == 0, "\(outcome.errors)")
      let found = (100..<231).filter {
        outcome.output.contains(format == "raw" ? "\($0)" : "n\($0)")
      }
      return (found.count, self.cursor(outcome.errors))
    }
    for words in [query, query + ["--strict", "--sort", "i"], query + ["--all"]] {
      let (records, cursor) = try count(words)
      #expect(records == 131 && cursor == nil, "\(words)")
    }
    let (records, cursor) = try count(query + ["--limit", "20"])
    #expect(records == 20)
    let next = try #require(cursor)
    #expect(try count(["query", "--cursor", next, "--fields", "i", "-f", format]).0 == 100)
    let page = try fixture.run(["query", "T", "-f", "page"]).output
    #expect(page.contains("\"n199\"") && !page.contains("\"n200\""))
  }

  @Test("M2.11: a cursor's query may be repeated, but a different one is refused (65)")
  func sameQuery() throws {
    let fixture = try filled()
    let first = try fixture.run([
      "query", "T", "i > 0", "--sort", "s", "--limit", "2", "-f", "names",
    ])
    let next = try #require(cursor(first.errors))
    let after = ["--cursor", next, "-f", "names", "--limit", "2"]
    let bare = try fixture.run(["query"] + after)
    for same in [["T"], ["T", "i > 0"], ["T", "i>0", "--sort", "s"]] {
      #expect(try fixture.run(["query"] + same + after) == bare, "\(same)")
    }
    for other in [
      ["U"], ["T", "i > 1"], ["T", "--sort", "-s"], ["T", "--sort", "s", "-z", "Notes"],
    ] {
      #expect(try fixture.run(["query"] + other + after).code == 65, "\(other)")
    }
  }

  @Test("C166: a cursor accepts other fields and limits, and counts all matches")
  func otherFields() throws {
    let fixture = try filled()
    let first = try fixture.run("query T --sort recordName --limit 20 -f names")
    let next = try #require(cursor(first.errors))
    let rest = try fixture.run(["query", "--cursor", next, "-f", "raw", "--fields", "s"])
    #expect(rest.output.split(separator: "\n").count == 3)
    #expect(cursor(rest.errors) == nil)
  }
}
