internal import Basics
internal import CloudModel
internal import Testing

@Suite struct DocumentPathTests {
  @Test(
    "D41: a second document with a name of maximum length has room for its number")
  func longNames() throws {
    for name in [
      String(repeating: "n", count: 251) + ".txt", String(repeating: "é", count: 127) + "x",
      "a." + String(repeating: "s", count: 253),
    ] {
      let path = try DocumentPath("Documents/\(name)")
      let second = path.numbered(2)
      #expect(second.name.utf8.count <= 255)
      #expect(second.key != path.key && second.key != path.numbered(12).key)
      #expect(try DocumentPath(second.text) == second)
    }
    #expect(
      try DocumentPath(String(repeating: "n", count: 251) + ".txt").numbered(2).text
        == String(repeating: "n", count: 249) + " 2.txt")
  }

  @Test("a second document deep in folders has room for its number, too")
  func longPaths() throws {
    let deep = String(repeating: String(repeating: "n", count: 249) + "/", count: 15)
    let path = try DocumentPath(deep + String(repeating: "x", count: 4000 - deep.utf8.count))
    #expect(path.text.utf8.count == 4000)
    #expect(try DocumentPath(path.numbered(2).text).name.hasSuffix(" 2"))
  }

  @Test("D41: different numbers give different names, also where there is no room for them")
  func noRoom() throws {
    let folders = String(repeating: String(repeating: "n", count: 249) + "/", count: 15)
    for name in ["x", "abc"] {
      let path = try DocumentPath(
        folders + String(repeating: "m", count: 249 - name.utf8.count) + "/" + name)
      #expect(path.text.utf8.count == 4000)
      let names = (2..<200).map { path.numbered($0).key }
      #expect(Set(names + [path.key]).count == 199)
    }
  }

  @Test("D45: a moved folder takes its documents along, however their paths spell it")
  func movedFolder() throws {
    // Composed, decomposed and in capitals: the same letters in more or fewer scalars.
    for folder in ["Documents/Caf\u{E9}", "Documents/Cafe\u{301}", "documents/CAF\u{C9}"] {
      let path = try DocumentPath("Documents/Cafe\u{301}/notes/a.txt")
      #expect(path.moved(from: folder, to: "Documents/new").text == "Documents/new/notes/a.txt")
    }
  }

  @Test("slashes at the end of a path are removed, and nothing else")
  func slashesAtTheEnd() throws {
    // U+0600 and the slash are one character.
    let path = try DocumentPath("a\u{600}//")
    #expect(Array(path.text.utf8) == Array("a\u{600}".utf8))
  }
}
