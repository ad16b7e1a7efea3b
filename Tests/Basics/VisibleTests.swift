internal import Basics
internal import Testing

/// Texts on a terminal (M4.1: control characters made visible, the terminal's width).
@Suite struct VisibleTests {
  private static let scalars = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }

  @Test("M4.1: control characters of every plane are made visible; other ASCII is unchanged")
  func controls() {
    for scalar in Self.scalars where scalar.properties.generalCategory == .control {
      let visible = String(scalar).visible
      #expect(visible.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(scalar.value)")
    }
    #expect("a\nb\u{1B}[31m\u{7F}".visible == "a^Jb^[[31m^?")
    #expect("\u{85}\u{200B}\u{202E}".visible == "\\u{85}\\u{200B}\\u{202E}")
    let plain = String(String.UnicodeScalarView((0x20..<0x7F).map { Unicode.Scalar(UInt8($0)) }))
    #expect(plain.visible == plain)
    #expect("é🧭 한".visible == "é🧭 한")
    #expect("a\n\u{1B}[31m\n".visibleLines == "a\n^[[31m\n")
  }

  @Test(
    "joined emoji stay as they are; a joiner elsewhere is made visible",
    arguments: ["👩‍👩‍👧", "🏳️‍🌈", "👩🏽‍🚀", "🇫🇷", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"])
  func emoji(_ text: String) {
    #expect(text.visible == text)
    #expect("a\u{200D}b".visible == "a\\u{200D}b")
    #expect("1\u{E0067}".visible == "1\\u{E0067}")
  }

  @Test("Unicode UAX 9: characters that change the direction of text are made visible")
  func directions() {
    for scalar in Self.scalars where scalar.properties.isBidiControl {
      #expect(String(scalar).visible.utf8.allSatisfy { $0 < 0x7F }, "\(scalar.value)")
    }
  }

  @Test(
    "Unicode UAX 11: wide characters take two columns, combining marks none",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한글", 4), ("ｱ", 1), ("Ａ", 2),
      ("🧭", 2), ("😀", 2), ("𠀀", 2), ("a\u{200B}b", 2), ("日本 go", 7), ("Ωж", 2),
      ("👨‍👩‍👧", 2), ("🇨🇭🇫🇷", 4), ("👍🏽", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("1", 1), ("☎︎", 1),
      ("☝🏽🕵🏽", 4), ("❤\u{200D}🔥", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("한", 2),
    ])
  func widths(_ text: String, _ columns: Int) {
    #expect(text.columnWidth == columns)
  }

  @Test("Unicode UTS 51, UAX 11: a character drawn as an emoji by itself takes two columns")
  func emoji() {
    // Regional indicators are drawn in pairs.
    let narrow = Self.scalars.filter {
      $0.properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF).contains($0.value)
        && String($0).columnWidth != 2
    }
    #expect(narrow.count == 0, "\(narrow.prefix(8).map { String($0) })")
  }

  @Test("a text is cut to no width of all (progress in a log)")
  func unlimited() {
    #expect("a\u{E9}".truncated(toColumns: .max) == "a\u{E9}")
    #expect("plain".truncated(toColumns: .max) == "plain")
  }

  @Test("a truncated text fits its columns, keeps its beginning and is marked as truncated")
  func truncation() {
    var random = SplitMix64(state: 15)
    for _ in 0..<1000 {
      let text = random.text(20) + random.pick(["", "漢字", "e\u{301}", "👨‍👩‍👧é"])
      for limit in 1...24 {
        let cut = text.truncated(toColumns: limit)
        if text.columnWidth <= limit {
          #expect(utf8Equal(cut, text))
          continue
        }
        #expect(cut.columnWidth <= limit)
        #expect(cut.hasSuffix("…"))
        #expect(text.utf8.starts(with: cut.unicodeScalars.dropLast().utf8Bytes))
        // A text that fits is not cut: only a wide character leaves a column free.
        #expect(cut.columnWidth >= limit - 1)
      }
    }
  }
}

extension Sequence<Unicode.Scalar> {
  fileprivate var utf8Bytes: [UInt8] {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: self)
    return Array(String(text).utf8)
  }
}
