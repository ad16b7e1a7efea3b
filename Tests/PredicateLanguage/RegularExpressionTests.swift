internal import Basics
internal import Testing

@testable internal import PredicateLanguage

/// MATCHES (P1.5.9): the syntax of ICU's User Guide, "Regular Expressions".
@Suite struct RegularExpressionTests {
  private func matches(_ text: String, _ pattern: String) throws -> Bool {
    try RegularExpression(pattern, TextFolding([])).matches(text)
  }

  @Test(
    "operators: each matches the first text and not the second",
    arguments: [
      ("a.c", "abc", "a\nc"), ("(?s)a.c", "a\nc", "ac"), ("[a-c]+", "abcab", "abd"),
      ("[^a-c]+", "xyz", "xya"), ("a|bc", "bc", "ac"), ("(a|b)c", "bc", "c"),
      ("ab?", "a", "abb"), ("ab*", "abbb", "b"), ("ab+", "ab", "a"), ("a{2}", "aa", "aaa"),
      ("a{2,}", "aaaa", "a"), ("a{1,2}", "aa", "aaa"), ("a+?b", "aab", "b"),
      ("a++b", "aab", "aa"), ("\\d+", "12", "1a"), ("\\D", "a", "1"), ("\\w+", "a_1é", "a b"),
      ("\\W", " ", "a"), ("a\\sb", "a b", "ab"), ("\\S", "a", " "), ("\\h", "\t", "\n"),
      ("\\v", "\n", " "), ("a\\Rb", "a\r\nb", "a b"), ("\\bfoo\\b", "foo", "foob"),
      ("a\\Bb", "ab", "a b"), ("\\Aab\\z", "ab", "abc"), ("^a$", "a", "b"),
      ("(?m)a$\\n^b", "a\nb", "a b"), ("(a)(b)\\2\\1", "abba", "abab"),
      ("(?<x>a|b)\\k<x>", "aa", "ab"), ("(?:ab)+", "abab", "aba"), ("a(?=b)b", "ab", "ac"),
      ("a(?!b).", "ac", "ab"), ("ab(?<=ab)c", "abc", "abd"), ("..(?<!ab)c", "xbc", "abc"),
      ("(?>a+)b", "aab", "aa"), ("(?i)straße", "STRAßE", "STRASE"), ("a(?i:B)c", "abc", "abC"),
      ("(?x) a b # comment", "ab", "a b"), ("\\x41\\u0042\\x{43}\\0104", "ABCD", "abcd"),
      ("\\t\\n\\.\\\\", "\t\n.\\", "tn.\\"), ("\\Qa.b\\E+", "a.b", "acb"),
      ("\\p{L}+", "aé", "a1"), ("\\P{L}", "1", "a"), ("\\p{Lu}\\p{Ll}", "Éa", "éa"),
      ("\\p{Uppercase_Letter}", "A", "a"), ("\\p{Alphabetic}", "a", "1"),
      ("[[:alpha:][:digit:]]+", "a1", "a-"), ("[a-z&&[^b]]+", "acd", "abc"),
      ("[a-z--[m-z]]", "a", "n"), ("[\\d-]+", "1-2", "1a"), ("[]a]+", "]a", "b"),
      ("[^\\s]", "a", " "), ("[\\]\\-x]+", "]-x", "a"), ("é", "é", "e\u{301}"),
      ("(a?)*b", "aab", "aa"), ("(|a)+b", "aab", "aa"), ("", "", "a"), ("(a*)", "", "b"),
      ("(a|ab)(c|bcd)", "abcd", "abd"), (".*(CAT){3,}(?!CA).*", "CATCATCATGT", "CATCAT"),
    ])
  func operators(_ pattern: String, _ yes: String, _ no: String) throws {
    #expect(try matches(yes, pattern), "\(pattern) must match \(yes)")
    #expect(try !matches(no, pattern), "\(pattern) must not match \(no)")
  }

  @Test(
    "UTS #18 and ICU: scripts, other properties, characters by name, grapheme clusters",
    arguments: [
      ("\\p{Script=Han}+", "漢字々", "かな"), ("\\p{Han}", "字", "a"), ("\\p{sc=Grek}", "λ", "l"),
      ("\\p{script=greek}", "λ", "l"), ("\\P{Script=Latin}", "1", "é"), ("\\p{^Latin}", "я", "k"),
      ("[\\p{Hiragana}\\p{Katakana}]+", "ひカ", "ー"), ("\\p{scx=Kana}", "ー", "a"),
      ("[[:Cyrillic:]&&\\p{Lu}]", "Я", "я"), ("(?i)\\p{Script=Greek}\\p{Lu}", "σω", "σ1"),
      ("\\p{Assigned}+", "a\u{100000}", "\u{378}"), ("\\p{print}", "\u{100000}", "\u{378}"),
      ("[[:graph:]]", "é", "\u{2028}"), ("\\p{DI}", "\u{E0200}", "a"),
      ("\\P{Emoji}", "\u{F0000}", "1"),
      ("(?i)\\P{Lu}", "1", "a"), ("(?i)[\\P{Lu}]", "1", "λ"), ("(?i)\\p{Lu}", "a", "1"),
      ("\\p{Emoji_Presentation}", "🧭", "1"), ("\\p{Age=1.1}", "a", "🧭"),
      ("\\p{gc=Lu}\\p{General_Category=Nd}", "A1", "a1"),
      ("\\N{GREEK SMALL LETTER LAMDA}", "λ", "l"), ("\\N{latin small letter a}+", "aa", "b"),
      ("[\\N{DIGIT ONE}-\\N{DIGIT THREE}]", "2", "4"), ("\\N{HANGUL SYLLABLE GA}", "가", "나"),
      ("\\X", "e\u{301}", "ab"), ("\\X\\X", "🇨🇭🇫🇷", "🇨🇭"), ("a\\Xb", "a\r\nb", "a\r\n\nb"),
      ("\\X{2,3}", "👨‍👩‍👧e\u{301}", "👨‍👩‍👧"), ("e\\X", "e\u{301}", "e"),
    ])
  func unicode(_ pattern: String, _ yes: String, _ no: String) throws {
    #expect(try matches(yes, pattern), "\(pattern) must match \(yes)")
    #expect(try !matches(no, pattern), "\(pattern) must not match \(no)")
  }

  @Test("T8: many character names are refused before they take time")
  func manyNames() {
    let names = (0..<17).map { "\\N{NAME \($0)}?" }.joined()
    let scripts = ["", "_", "__", "-", "--", " "].flatMap { blank in
      ["Grek", "Latn", "Cyrl"].map { "\\p{sc\(blank)=\($0)}" }
    }
    for pattern in [names, scripts.joined()] {
      #expect(throws: RegularExpression.Fault.self) { _ = try RegularExpression(pattern) }
    }
    let same = String(repeating: "\\p{Han}?\\N{DIGIT ONE}?", count: 100)
    #expect(throws: Never.self) { _ = try RegularExpression(same) }
  }

  @Test("UAX #29: \\X matches the library's characters, wherever it begins")
  func clusters() throws {
    var random = SplitMix64(state: 5)
    let pool: [Unicode.Scalar] = [
      "a", "\u{301}", "\r", "\n", "\u{200D}", "👩", "🇨", "🇭", "각", "\u{1100}", "\u{1161}",
      "\u{0915}",
      "\u{094D}", "\u{FE0F}", " ",
    ]
    for _ in 0..<300 {
      let scalars = (0..<random.next() % 9).map { _ in pool[Int(random.next() % 15)] }
      let text = String(String.UnicodeScalarView(scalars))
      #expect(try matches(text, "\\X{\(text.count)}"), "\(scalars)")
      if !text.isEmpty { #expect(try !matches(text, "\\X{\(text.count + 1)}"), "\(scalars)") }
    }
  }

  @Test(
    "an invalid regular expression gives the place of the error",
    arguments: [
      "(", ")", "a)", "(a", "[", "[a", "a**", "*a", "+", "a{2", "a{3,2}", "a{99999}", "\\", "\\y",
      "\\p{Nope}", "[z-a]", "(?<n>a)\\k<m>", "\\2(a)", "(?z)", "\\x{110000}", "\\u12", "{",
      "(?<1-2>a)",
      "\\p{sc=Gree}", "\\p{foo=Lu}", "\\p{Block=Arrows}", "\\p{}", "\\N{NOPE}",
      "\\N", "\\N{", "[\\X]", "\\p{L}|\\p{Lu", "[a-\\d", "(?<", "(?",
    ])
  func faults(_ pattern: String) {
    #expect(throws: RegularExpression.Fault.self) {
      _ = try RegularExpression(pattern, TextFolding([]))
    }
  }

  @Test(
    "T8: an unbounded repeat within another is refused",
    arguments: [
      "(a+)+", "((a*)*)*", "(a+b?)*", "(.*){1,1000}x", "(a{1,1000}){1,1000}", "((?:x|a*)y)+",
      "(a+){2,}", "(\\w+\\s?)+", "(.*,)*", "((ab)+c)+", "(a+b*c)+",
    ])
  func nested(_ pattern: String) {
    let error = #expect(throws: RegularExpression.Fault.self) {
      _ = try RegularExpression(pattern, TextFolding([]))
    }
    #expect(error?.message.contains("within another") == true)
  }

  @Test(
    "a repeat within another is accepted if a separator ends each round",
    arguments: [
      ("([a-z0-9-]+\\.)+[a-z]{2,}", "www.example.com"), ("([^,]*,)*[^,]*", "a,b,,c"),
      ("(/\\w+)*", "/usr/local/bin"), ("(?:[A-Z][a-z]*)+", "CamelCase"),
      ("[\\w.+-]+@(\\w+\\.)+\\w+", "a.b@c.d.org"), ("(a++)+", "aaa"), ("(?>a+)*", "aa"),
    ])
  func separated(_ pattern: String, _ text: String) throws {
    #expect(try matches(text, pattern))
  }

  @Test("time is bounded for every step, and legitimate texts stay within the bound")
  func bounds() throws {
    let many = String(repeating: "a", count: 100_000)
    for pattern in ["a*a*+b", "(a*)\\1b"] {
      #expect(throws: RegularExpression.Fault.self) { try matches(many, pattern) }
    }
    let members = String(repeating: "a", count: 15_000)
    #expect(try matches(String(repeating: "é", count: 20_000), "[^\(members)]*"))
    let words = String(repeating: "lorem ipsum dolor sit amet foo ", count: 26)
    #expect(try !matches(words, ".*lo.*do.*si.*zz.*"))
    let nothing = String(repeating: "(?:", count: 9) + String(repeating: "){31}", count: 9)
    #expect(throws: RegularExpression.Fault.self) { try matches("", nothing) }
  }

  @Test(
    "a match that tries too many ways ends with an error",
    arguments: [".*.*.*.*.*.*.*.*.*.*x", "(a|aa)+$b", "(a|a)*b", "(a?){30}a{30}b", "(.|a)*.*.*x"])
  func tooManyWays(_ pattern: String) throws {
    let expression = try RegularExpression(pattern, TextFolding([]))
    #expect(throws: RegularExpression.Fault.self) {
      try expression.matches(String(repeating: "a", count: 400))
    }
  }

  @Test("T8: huge and deep patterns end with an error")
  func huge() {
    for pattern in [
      String(repeating: "(", count: 5000), String(repeating: "[", count: 5000),
      String(repeating: "(?=", count: 5000), String(repeating: "a|", count: 9000),
      "((a{1000}){1000}){1000}", String(repeating: "(?i", count: 5000),
    ] {
      #expect(throws: RegularExpression.Fault.self) {
        _ = try RegularExpression(pattern, TextFolding([]))
      }
    }
  }

  @Test("a long text is matched quickly")
  func longText() throws {
    let text = String(repeating: "abc ", count: 100_000)
    #expect(try matches(text + "x", ".*x"))
    #expect(try !matches(text, ".*x.*"))
    #expect(try matches(text, "(abc )*"))
    #expect(try matches(text, "(?:\\w{3}\\s){100,}?"))
  }

  // MARK: Against the library's

  /// Random patterns that both read the same; not `\b`: the library counts no digits as words.
  private struct RandomPatterns {
    var random: SplitMix64

    mutating func pick<Item>(_ items: [Item]) -> Item {
      items[Int(random.next() % UInt64(items.count))]
    }

    mutating func next(_ depth: Int = 3) -> String {
      (0..<pick([1, 1, 2, 3])).map { _ in piece(depth) }.joined()
    }

    private mutating func piece(_ depth: Int) -> String {
      guard depth > 0 else { return atom() }
      switch random.next() % 10 {
      case 0...3: return atom()
      case 4: return atom() + pick(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "*+"])
      case 5: return "(" + next(depth - 1) + "|" + next(depth - 1) + ")"
      case 6: return "(?:" + next(depth - 1) + ")" + pick(["?", "{0,2}", "??", ""])
      case 7: return pick(["(?=", "(?!", "(?>"]) + next(depth - 1) + ")"
      case 8: return "(?:" + atom() + atom() + ")" + pick(["*", "+", "*?"])
      default: return "(" + next(depth - 1) + ")"
      }
    }

    private mutating func atom() -> String {
      pick(["a", "b", "c", "ab", ".", "[ab]", "[^a]", "\\w", "\\d", "[a-c0]", "é", "\\S"])
    }

    mutating func text() -> String {
      (0..<random.next() % 7).map { _ in pick(["a", "b", "c", "0", "é", " ", "ab"]) }.joined()
    }
  }

  @Test("the library's expressions match the same texts", arguments: 0..<8 as Range<UInt64>)
  func differential(seed: UInt64) throws {
    var patterns = RandomPatterns(random: SplitMix64(state: seed))
    var count = 0
    for _ in 0..<150 {
      let pattern = patterns.next()
      // Both may refuse a pattern, for reasons of their own.
      guard
        let library = try? Regex(pattern).matchingSemantics(.unicodeScalar),
        let own = try? RegularExpression(pattern, TextFolding([]))
      else { continue }
      for _ in 0..<8 {
        let text = patterns.text()
        let expected = try library.wholeMatch(in: text) != nil
        #expect(try own.matches(text) == expected, "\(pattern) and \(text)")
        count += 1
      }
    }
    #expect(count > 500)
  }
}
