internal import CommandKit
internal import Testing

/// How batches and the prompt split words (M1.1: `;` and newline separate outside quotes, `#`
/// comments, no variables).
@Suite struct WordSplitterTests {
  static let lines: [(String, [[String]])] = [
    ("", []), ("  \t ", []), ("a b", [["a", "b"]]), ("  a   b  ", [["a", "b"]]),
    ("a;b", [["a"], ["b"]]), (";;a ; ; b;", [["a"], ["b"]]),
    ("a 'b ; c'", [["a", "b ; c"]]), ("a \"b ; c\"", [["a", "b ; c"]]),
    ("a # b", [["a"]]), ("# a", []), ("a#b", [["a#b"]]), ("a '#b'", [["a", "#b"]]),
    ("a; # b", [["a"]]), ("''", [[""]]), ("a \"\" ''", [["a", "", ""]]),
    ("a''b\"c\"d", [["abcd"]]), ("'it''s'", [["its"]]), ("'it'\\''s'", [["it's"]]),
    ("\"say \\\"no\\\"\"", [["say \"no\""]]), ("\"a\\\\b\"", [["a\\b"]]),
    ("\"a\\nb\"", [["a\\nb"]]), ("'a\\b'", [["a\\b"]]), ("a\\ b", [["a b"]]),
    ("a\\;b", [["a;b"]]), ("\\#a", [["#a"]]), ("$HOME `x` *", [["$HOME", "`x`", "*"]]),
    ("title='A B' year:=1", [["title=A B", "year:=1"]]), ("a\r", [["a"]]),
    ("\u{e9} '🧭'", [["\u{e9}", "🧭"]]), ("tags:='[\"a\",\"b\"]'", [["tags:=[\"a\",\"b\"]"]]),
  ]

  @Test("M1.1: a line and its words", arguments: lines.indices)
  func words(_ index: Int) {
    let (line, commands) = Self.lines[index]
    var splitter = WordSplitter()
    #expect(splitter.take(line: line) == commands, "\(line)")
    #expect(!splitter.isOpen)
  }

  @Test("M1.1: an open quote and a backslash at the end take the next line")
  func openLines() {
    var splitter = WordSplitter()
    #expect(splitter.take(line: "a 'b").isEmpty && splitter.isOpen)
    #expect(splitter.take(line: "c' d; e") == [["a", "b\nc", "d"], ["e"]])
    #expect(!splitter.isOpen)
    #expect(splitter.take(line: "a \\").isEmpty && splitter.isOpen)
    #expect(splitter.take(line: "b") == [["a", "b"]])
    #expect(splitter.take(line: "a \"b").isEmpty && splitter.isOpen)
    #expect(splitter.take(line: "").isEmpty && splitter.isOpen)
    #expect(splitter.take(line: "\"") == [["a", "b\n\n"]])
  }

  @Test("DS9: quoted words read back unchanged")
  func quoting() {
    let words = ["a", "", "it's", "x y", "a;b", "#", "\\", "\"", "$x", "\u{e9}", "-z"]
    let line = words.map { word in
      "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
    }
    var splitter = WordSplitter()
    #expect(splitter.take(line: line.joined(separator: " ")) == [words])
  }

  @Test("at a prompt an open bracket takes the next line, without its leading blanks")
  func brackets() {
    var splitter = WordSplitter(atPrompt: true)
    #expect(splitter.take(line: "save tags:=[1,").isEmpty && splitter.isOpen)
    #expect(splitter.take(line: "  {2") == [] && splitter.isOpen)
    #expect(splitter.take(line: "  }] next") == [["save", "tags:=[1,{2}]", "next"]])
    #expect(!splitter.isOpen)
    #expect(splitter.take(line: "a '{'") == [["a", "{"]])
    var batch = WordSplitter()
    #expect(batch.take(line: "note={") == [["note={"]])
  }

  @Test("at a prompt a bar between words begins a shell command, elsewhere it is a word")
  func pipes() {
    var splitter = WordSplitter(atPrompt: true)
    #expect(splitter.take(line: "a; b c | sort | head -n 1; x") == [["a"], ["b", "c"]])
    #expect(splitter.pipe == " sort | head -n 1; x")
    #expect(splitter.take(line: "a '|' b a|b") == [["a", "|", "b", "a|b"]])
    #expect(splitter.pipe == nil)
    var batch = WordSplitter()
    #expect(batch.take(line: "a | b") == [["a", "|", "b"]])
  }

  @Test("the last word of an unfinished line, its quote, and where it begins")
  func unfinished() {
    let splitter = WordSplitter(atPrompt: true)
    let plain = splitter.unfinished("zone list; query Ci")
    #expect(plain?.words == ["query"] && plain?.word == "Ci" && plain?.start == 17)
    let quoted = splitter.unfinished(#"query City "name == 'x"#)
    #expect(quoted?.word == "name == 'x" && quoted?.quote == "\"" && quoted?.start == 11)
    let empty = splitter.unfinished("query ")
    #expect(empty?.words == ["query"] && empty?.word == "" && empty?.start == 6)
    #expect(splitter.unfinished("query # a comment") == nil)
    var open = WordSplitter(atPrompt: true)
    _ = open.take(line: "query City 'a")
    #expect(open.unfinished(" AND b")?.start == nil)
    #expect(open.unfinished(" AND b")?.word == "a\n AND b")
  }
}
