internal import Basics
internal import TestSupport
internal import Testing

@testable internal import Commands

/// Completions of the last word (M2.22 `__complete`), from the table and from the store.
@Suite struct CompleterTests {
  private func candidates(_ words: [String], _ fixture: CommandFixture) throws -> [String] {
    let session = try fixture.session(output: ByteOutput(), errors: ByteOutput())
    return switch Completer(session).answer(for: words) {
    case .words(let found): found.words
    case .files: ["<file>"]
    }
  }

  /// A store with a zone, two types and a few records.
  private func filled() throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    for line in [
      "zone create Notes", "record save Artist --name blake name=Blake",
      "record save Artwork --name A1 title=x year:=1", "record save Artwork -z Notes --name N1",
    ] {
      #expect(try fixture.run(line).code == 0)
    }
    return fixture
  }

  @Test("DS8: nouns, then verbs, and nothing that is hidden")
  func nounsAndVerbs() throws {
    let fixture = try CommandFixture()
    #expect(try candidates(["re"], fixture) == ["record", "remote"])
    #expect(
      try candidates(["record", ""], fixture) == ["save", "fetch", "delete", "list", "tree"])
    #expect(try candidates(["zone", "cr"], fixture) == ["create"])
    let nouns = try candidates([""], fixture)
    #expect(nouns.contains("query") && !nouns.contains("__complete"))
    #expect(try candidates(["nonsense", "x"], fixture) == [])
  }

  @Test("DS8: options of the verb and of every command")
  func options() throws {
    let fixture = try CommandFixture()
    #expect(try candidates(["record", "save", "--pol"], fixture) == ["--policy"])
    #expect(try candidates(["query", "--lim"], fixture) == ["--limit"])
    let all = try candidates(["query", "--"], fixture)
    #expect(all.contains("--zone") && all.contains("--sort") && all.contains("--help"))
    #expect(!all.contains("--policy"))
  }

  @Test("DS8: values of options, fixed and from the store")
  func optionValues() throws {
    let fixture = try filled()
    #expect(try candidates(["query", "-f", "js"], fixture) == ["json", "jsonl"])
    #expect(
      try candidates(["record", "save", "--policy", ""], fixture) == [
        "unchanged", "changed", "all",
      ])
    #expect(try candidates(["-d", "p"], fixture) == ["public", "private"])
    #expect(try candidates(["query", "-z", "N"], fixture) == ["Notes"])
    #expect(try candidates(["-C", "iCloud."], fixture) == ["iCloud.org.example.app"])
    #expect(try candidates(["query", "Artwork", "--sort", ""], fixture) == ["title", "year"])
  }

  @Test("DS8: operands from the store: types, zones, names, shells")
  func operands() throws {
    let fixture = try filled()
    #expect(try candidates(["query", "Art"], fixture) == ["Artist", "Artwork"])
    #expect(try candidates(["zone", "show", ""], fixture).contains("Notes"))
    #expect(try candidates(["record", "fetch", ""], fixture) == ["A1", "blake"])
    #expect(try candidates(["record", "fetch", "-z", "Notes", ""], fixture) == ["N1"])
    #expect(try candidates(["completion", ""], fixture) == ["bash", "zsh", "fish"])
    #expect(
      try candidates(["help", "ex"], fixture) == ["explain", "export", "exec", "exit-codes"])
  }

  @Test("DS8: what a command cannot take is not offered, and what it takes only here is")
  func particular() throws {
    let fixture = try filled()
    #expect(try candidates(["zone", "delete", ""], fixture) == ["Notes"])
    #expect(
      try candidates(["schema", "drop", "Artwork."], fixture) == ["Artwork.title", "Artwork.year"])
    #expect(try candidates(["config", "set", "timer", ""], fixture) == ["on", "off"])
    #expect(try candidates(["assert", "q"], fixture).first == "query")
    #expect(try candidates(["assert", "query", "Artw"], fixture) == ["Artwork"])
    #expect(
      try candidates(["assert", "query", "Artwork", "title == "], fixture) == ["title == 'x'"])
    let types = try candidates(["record", "save", "Artwork", "new:"], fixture)
    #expect(types.contains("new:=") && types.contains("new:timestamp="))
  }

  @Test("operators fit the type of the field, and IN and BETWEEN take a list in braces")
  func operators() throws {
    let fixture = try filled()
    func ending(_ predicate: String) throws -> [String] {
      try candidates(["query", "Artwork", predicate], fixture).map {
        String($0.dropFirst(predicate.count))
      }
    }
    #expect(try !ending("year ").contains("BEGINSWITH"))
    #expect(try ending("title ").contains("BEGINSWITH"))
    #expect(try ending("year IN ") == ["{"] && ending("year BETWEEN ") == ["{"])
    #expect(try ending("year IN {") == ["1"] && ending("year BETWEEN {0, ") == ["1"])
    #expect(try ending("year IN {1} ") == ["AND", "OR"])
  }

  @Test("M2.22: without a store there are completions, and no errors")
  func withoutAStore() throws {
    let fixture = try CommandFixture()
    #expect(try candidates(["query", ""], fixture) == [])
    let outcome = try fixture.run(["__complete", "--", "zone", "show", ""])
    #expect(outcome == .init(code: 0, output: "", errors: ""))
    #expect(!FileSystem.exists(fixture.directory.path + "/.ckdb"))
  }

  @Test("M2.22: __complete prints the completions, one a line")
  func command() throws {
    let fixture = try filled()
    let outcome = try fixture.run(["__complete", "--", "query", "Art"])
    #expect(outcome == .init(code: 0, output: "Artist\nArtwork\n", errors: ""))
  }

  @Test("files are offered only where a file is expected; exit code 1 tells the shells to do so")
  func files() throws {
    let fixture = try filled()
    for words in [
      ["import", ""], ["fixture", "load", "x"], ["exec", "--", "ls", "-"], ["diff", "a"],
    ] {
      #expect(try candidates(words, fixture) == ["<file>"], "\(words)")
    }
    for words in [["version", ""], ["snapshot", "restore", ""], ["record", "fetch", "zz"]] {
      #expect(try candidates(words, fixture) == [], "\(words)")
      #expect(
        try fixture.run(["__complete", "--"] + words) == .init(code: 0, output: "", errors: ""))
    }
    #expect(
      try fixture.run(["__complete", "--", "import", ""]) == .init(code: 1, output: "", errors: ""))
  }

  @Test("of very many names, the first and the last ones: all names share their common prefix")
  func manyNames() throws {
    let fixture = try CommandFixture.withContainer()
    let lines = (0..<500).map {
      "{\"recordType\":\"T\",\"recordName\":\"n\(10_000 + $0 * 7)\",\"fields\":{}}\n"
    }
    let path = try fixture.file("many.jsonl", lines.joined())
    #expect(try fixture.run(["import", path]).code == 0)
    let names = try candidates(["record", "fetch", "n1"], fixture)
    #expect(names.count == 201)
    #expect(names.first == "n10000" && names.last == "n13493")
    #expect(try candidates(["record", "fetch", "n134"], fixture).count == 14)
  }
}
