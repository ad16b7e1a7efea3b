internal import Basics
internal import CommandKit
internal import Testing

/// Help: asking for it at each level, and its text (M2; DS8: the table is the only
/// description).
@Suite struct HelpTests {
  @Test(
    "-h prints the short help and --help the full one, at each level, whatever else is missing",
    arguments: [
      ("-h", [], false), ("--help", [], true), ("item -h", ["item"], false),
      ("--help item", ["item"], true), ("-h item add", ["item", "add"], false),
      ("item add --help", ["item", "add"], true), ("item -q add -z A -h", ["item", "add"], false),
      ("item add a b c d -h", ["item", "add"], false), ("-h --help", [], true),
      ("--help -h", [], true), ("-qh", [], false), ("item secret -h", ["item", "secret"], false),
    ] as [(String, [String], Bool)])
  func requests(_ line: String, _ path: [String], _ isFull: Bool) throws {
    guard case .help(let found, let full) = try Shop.parse(line) else {
      Issue.record("no help")
      return
    }
    #expect(found == path && full == isFull)
  }

  @Test("a line without words asks for nothing")
  func nothing() throws {
    guard case .nothing = try Shop.parse("") else {
      Issue.record("something")
      return
    }
  }

  @Test("help names every command, operand and option that is not hidden, and fits its width")
  func texts() throws {
    for width in [60, 80, 120] {
      let root = try #require(Shop.table.help([], isFull: true, width: width))
      for word in ["item", "exec", "list", "--command", "--version", "Global options: -z -q"] {
        #expect(root.contains(word))
      }
      let group = try #require(Shop.table.help(["item"], isFull: false, width: width))
      #expect(group.contains("add") && group.contains("delete") && !group.contains("secret"))
      let add = try #require(Shop.table.help(["item", "add"], isFull: true, width: width))
      for word in ["NAME [COUNT]", "-n, --limit N", "(default: 100)", "Global options: -z -q"] {
        #expect(add.contains(word))
      }
      let globals = Shop.table.globalOptions(width: width)
      #expect(globals.contains("--zone NAME") && globals.contains("-q, --quiet"))
      for line in (root + group + add).split(separator: "\n") {
        #expect(line.count <= width, "\(line)")
      }
    }
    #expect(Shop.table.help(["item", "none"], isFull: true) == nil)
    #expect(Shop.table.help(["list", "add"], isFull: true) == nil)
  }

  @Test("every verb of the table is found by its path")
  func verbs() {
    let paths = Shop.table.allVerbs().map(\.path)
    #expect(
      paths == [["item", "add"], ["item", "delete"], ["item", "secret"], ["exec"], ["list"]])
    for path in paths {
      #expect(Shop.table.find(path).row?.name == path.last)
      #expect(Shop.table.find(path + ["more"]).row == nil)
    }
  }

  @Test("wrapped text keeps its words and paragraphs, and fits where its words do")
  func wrapping() {
    var random = SplitMix64(state: 1)
    for _ in 0..<400 {
      let width = 10 + Int(random.next() % 60)
      let indent = Int(random.next() % 8)
      let paragraphs = (0...Int(random.next() % 3)).map { _ in
        (0..<Int(random.next() % 30)).map { _ in
          String(repeating: "x", count: 1 + Int(random.next() % 14))
        }
      }
      let text = paragraphs.map { $0.joined(separator: " ") }.joined(separator: "\n")
      let margin = String(repeating: " ", count: indent)
      let lines = text.wrapped(width, indent: indent).split(
        separator: "\n", omittingEmptySubsequences: false)
      #expect(
        lines.flatMap { $0.split(separator: " ") }.map(String.init) == paragraphs.flatMap { $0 })
      for (number, line) in lines.enumerated() {
        #expect(number == 0 || line.hasPrefix(margin))
        let body = number == 0 ? line : line.dropFirst(indent)
        #expect(indent + body.count <= width || !body.contains(" "))
      }
      #expect(lines.count >= paragraphs.count)
    }
  }
}
