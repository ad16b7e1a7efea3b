internal import CommandKit
internal import Testing

/// Command lines that do not fit the table (M1.3: unknown words get a did-you-mean for
/// commands, options and values).
@Suite struct UsageErrorTests {
  private func error(_ line: String) throws -> UsageError {
    try #require(throws: UsageError.self) { try Shop.parse(line) }
  }

  @Test(
    "a mistyped command, verb, option or value gets the nearest one as a suggestion",
    arguments: [
      ("itm add a", "item"), ("lsit", "list"), ("item ad a", "add"), ("item deelte a", "delete"),
      ("--zoen A list", "--zone"), ("item add a --froce", "--force"), ("--hlep", "--help"),
      ("--comand x", "--command"), ("item add a --colour=geen", "green"),
      ("item add a --colour RDE", "red"), ("item add a --quite", "--quiet"),
    ])
  func suggestions(_ line: String, _ nearest: String) throws {
    #expect(try error(line).hint == "did you mean \(nearest)?")
  }

  @Test("words that are not close to anything get the list, without hidden rows")
  func lists() throws {
    #expect(try error("zebra").hint != nil)
    #expect(try error("item zebra").hint == "verbs are add, delete")
    #expect(try error("item secre").hint == "verbs are add, delete")
    #expect(try error("item").message.hasSuffix("needs a verb: add, delete"))
    #expect(try error("item add a --colour=ultramarine").message.contains("red, green, blue"))
    #expect(try error("list --zebra").hint?.contains("list --help") == true)
  }

  @Test(
    "each fault has its own message",
    arguments: [
      ("item add", "NAME is missing"), ("item delete", "NAME is missing"),
      ("item add a 1 b", "unexpected argument 'b'"), ("list x", "unexpected argument 'x'"),
      ("item add a --limit", "--limit needs a value: N"), ("list -z", "-z needs a value: NAME"),
      ("list --quiet=yes", "--quiet takes no value"), ("list -x", "unknown option '-x'"),
      ("list -qx", "unknown option '-x'"), ("list --", nil), ("list ---", "unknown option '---'"),
      ("item add a --limit 0", "--limit: expected a whole number of 1 or more, found '0'"),
      ("item add a -n 2.5", "-n: expected a whole number of 1 or more, found '2.5'"),
      ("item add a x", "COUNT: expected a whole number of 0 or more, found 'x'"),
      ("unknown", "unknown command 'unknown'"), ("item x", "unknown verb of item 'x'"),
      ("item add a -q=yes", "unknown option '-='"),
    ])
  func messages(_ line: String, _ message: String?) throws {
    guard let message else {
      _ = try Shop.parse(line)
      return
    }
    #expect(try error(line).message == message)
  }

  @Test("operands that do not fit get the usage line, and the error has the path")
  func usage() throws {
    let missing = try error("item add")
    #expect(missing.hint == "usage: shop item add NAME [COUNT] [options]")
    #expect(missing.path == ["item", "add"])
    #expect(try error("list x").hint == "usage: shop list")
  }

  @Test("--help takes no value, and is not an unknown option")
  func helpWithValue() throws {
    #expect(try error("list --help=yes").message == "--help takes no value")
  }

  @Test("a word with control characters is shown without them")
  func controlCharacters() throws {
    for words in [
      ["\u{1B}[2J"], ["item", "\u{1B}x"], ["list", "\u{1B}"], ["--\u{1B}"],
      ["item", "add", "a", "--colour", "\u{1B}"],
    ] {
      let error = try #require(throws: UsageError.self) {
        try CommandLineParser.parse(words, Shop.table)
      }
      #expect(!error.message.utf8.contains(0x1B), "\(error.message)")
    }
  }
}
