internal import Basics
internal import CommandKit
internal import TestSupport
internal import Testing

@testable internal import Commands

/// The text that Tab inserts into a line of the prompt (M15).
@Suite struct RawCompletionTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture.withContainer()
    for words in [
      ["record", "save", "City", "--name", "lon don", "name=London", "year:=1"],
      ["record", "save", "City", "--name", "ny", "name=New York", "home:reference=lon don"],
      ["record", "save", "City", "--name", "nh", "name=New Haven"],
      ["zone", "create", "Notes"],
    ] {
      _ = try fixture.run(words)
    }
  }

  /// The lines that Tab can make of a line.
  private func lines(_ line: String, after before: String? = nil) throws -> [String] {
    let session = try fixture.session(output: ByteOutput(), errors: ByteOutput())
    var splitter = WordSplitter(atPrompt: true)
    if let before { _ = splitter.take(line: before) }
    let found = RawCompletion(line, after: splitter, Completer(session))
    return found.texts.map { String(decoding: line.utf8.prefix(found.start), as: UTF8.self) + $0 }
  }

  @Test("Tab completes words, and only the last part of a predicate")
  func words() throws {
    #expect(try lines("zone cr") == ["zone create"])
    #expect(try lines("query City \"na") == ["query City \"name"])
    #expect(try lines("query City 'name == 'x") == [])
    #expect(try lines("query City --sort -ye") == ["query City --sort -year"])
    #expect(try lines("zone list; query Ci") == ["zone list; query City"])
  }

  @Test("blanks get a backslash, or open quotes are closed")
  func quoting() throws {
    #expect(try lines("record fetch lo") == [#"record fetch lon\ don"#])
    #expect(try lines(#"record fetch lon\ "#) == [#"record fetch lon\ don"#])
    #expect(try lines("record fetch 'lo") == ["record fetch 'lon don'"])
    #expect(try lines("record fetch \"lon d") == ["record fetch \"lon don\""])
  }

  @Test("a string in a predicate uses the kind of quotes that the shell's quotes leave free")
  func values() throws {
    #expect(
      try lines("query City \"name == 'New ") == [
        "query City \"name == 'New Haven'", "query City \"name == 'New York'",
      ])
    #expect(try lines("query City 'name == \"Lo") == ["query City 'name == \"London\""])
    #expect(try lines("query City 'name == Lo") == ["query City 'name == \"London\""])
    #expect(
      try lines("query City 'home == ref(") == [
        "query City 'home == ref(\"lon don\")", "query City 'home == ref(\"nh\")",
        "query City 'home == ref(\"ny\")",
      ])
    #expect(try lines("query City \"home.na") == ["query City \"home.name"])
    #expect(
      try lines("record save City name=New") == [
        #"record save City name=New\ Haven"#, #"record save City name=New\ York"#,
      ])
  }

  @Test("a command over several lines is completed as a whole")
  func continued() throws {
    #expect(try lines("City --lim", after: #"query \"#) == ["City --limit"])
    #expect(try lines(" AND ye", after: "query City \"name == 'x'") == [" AND year"])
  }

  @Test("there is a text for any beginning of the part that readline replaces")
  func parts() throws {
    let line = "query City \"name == 'New "
    let session = try fixture.session(output: ByteOutput(), errors: ByteOutput())
    let found = RawCompletion(line, after: WordSplitter(atPrompt: true), Completer(session))
    #expect(found.texts(from: line.utf8.count, in: line) == ["Haven'", "York'"])
    #expect(found.texts(from: found.start - 1, in: line) == ["'New Haven'", "'New York'"])
    #expect(found.texts(from: found.start, in: line) == ["New Haven'", "New York'"])
  }

  @Test("commands of the shell complete file names")
  func others() throws {
    let session = try fixture.session(output: ByteOutput(), errors: ByteOutput())
    func isFiles(_ line: String) -> Bool {
      RawCompletion(line, after: WordSplitter(atPrompt: true), Completer(session)).isFiles
    }
    #expect(isFiles("!ls ") && isFiles("query City | sort ") && isFiles("import "))
    #expect(!isFiles("query "))
  }
}
