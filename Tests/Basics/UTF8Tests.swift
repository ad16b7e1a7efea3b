internal import Basics
internal import Testing

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Texts as bytes (M4.9: strings compare and sort by their UTF-8 bytes).
@Suite struct UTF8Tests {
  @Test("texts sort as memcmp sorts their bytes, a prefix first")
  func order() {
    var random = SplitMix64(state: 12)
    for _ in 0..<4000 {
      let a = random.text(4)
      let b = random.below(3) == 0 ? a + random.text(1) : random.text(4)
      let (left, right) = (Array(a.utf8), Array(b.utf8))
      let common = memcmp(left, right, min(left.count, right.count))
      let expected = common == 0 ? left.count - right.count : Int(common)
      #expect(utf8Compare(a, b).signum() == expected.signum())
      #expect(utf8Compare(b, a).signum() == -expected.signum())
      #expect(utf8Precedes(a, b) == (expected < 0))
      #expect(utf8Equal(a, b) == (left == right))
    }
    #expect("\u{E9}" == "e\u{301}" && !utf8Equal("\u{E9}", "e\u{301}"))
    #expect(utf8Precedes("\u{FFFF}", "\u{10000}"))
  }

  @Test("Unicode 15, table 3-7: the first bad byte follows the longest valid prefix")
  func validation() {
    var random = SplitMix64(state: 13)
    for _ in 0..<6000 {
      var bytes = Array(random.text(16).utf8)
      for _ in 0..<random.below(3) where !bytes.isEmpty {
        bytes[random.below(bytes.count)] = random.pick([
          0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
        ])
      }
      if random.below(4) == 0 { bytes.removeLast(min(bytes.count, 1 + random.below(3))) }
      let found = bytes.withUnsafeBytes { $0.firstInvalidUTF8 }
      #expect((found == nil) == (String(validating: bytes, as: UTF8.self) != nil))
      guard let found else { continue }
      #expect(String(validating: bytes[..<found], as: UTF8.self) != nil)
      // No sequence of up to four bytes is well-formed there.
      for end in found + 1...min(found + 4, bytes.count) where found < end {
        #expect(String(validating: bytes[found..<end], as: UTF8.self) == nil)
      }
    }
  }

  @Test("Swift's own validation agrees for all two-byte prefixes")
  func pairs() {
    for first in 0x7F...0xFF {
      for second in stride(from: 0x70, through: 0xFF, by: 1) {
        for rest in [[], [0x80], [0x80, 0xBF]] as [[UInt8]] {
          let bytes = [UInt8(first), UInt8(second)] + rest
          let isValid = bytes.withUnsafeBytes { $0.firstInvalidUTF8 } == nil
          if isValid != (String(validating: bytes, as: UTF8.self) != nil) {
            Issue.record("\(bytes.hexadecimal)")
          }
        }
      }
    }
  }

  @Test("scalars are counted as in the standard library, for any number and width")
  func scalarCount() {
    var random = SplitMix64(state: 15)
    for count in 0..<200 {
      let text = String((0..<count).map { _ in "aé漢😀\n".randomElement(using: &random)! })
      let counted = Array(text.utf8).withUnsafeBytes { $0.scalarCount }
      #expect(counted == text.unicodeScalars.count)
    }
  }

  @Test("RFC 4648: Base64 survives a round trip; other texts are refused")
  func base64() {
    var random = SplitMix64(state: 14)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
    }
    #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
    #expect(Base64.encodeURL([0xFB, 0xFF]) == "-_8" && Base64.decodeURL("-_8=") == nil)
    let examples = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
    for (count, text) in examples.enumerated() {
      #expect(Base64.encode(Array("foobar".utf8.prefix(count))) == text)
    }
    for text in ["A", "AA", "AAA", "A===", "A A=", "-_8=", "é==="] {
      #expect(Base64.decode(text) == nil, "\(text)")
    }
    #expect([UInt8]([0, 0x1F, 0xA0, 0xFF]).hexadecimal == "001fa0ff")
  }

  @Test("RFC 4648 §3.2, §3.3, §3.5: padding is at the end, minimal, and hides no bits")
  func base64Padding() {
    for text in ["AA=A", "AAAA=", "AAA==", "AA==AA==", "====", "AAA=AAAA", "AB==", "AAB="] {
      #expect(Base64.decode(text) == nil, "\(text)")
    }
  }

  @Test("POSIX 2.2.2: in single quotes only a quote is special, whatever mark follows it")
  func shellWords() {
    var chance = SplitMix64(state: 58)
    for _ in 0..<2000 {
      var text = chance.text()
      if chance.below(2) == 0 { text.unicodeScalars.append(chance.pick(["'", "\u{301}"])) }
      if chance.below(2) == 0 { text = "'\u{301}" + text }
      let word = text.shellWord
      guard word.utf8.first == UInt8(ascii: "'") else {
        #expect(utf8Equal(word, text))
        continue
      }
      // As a shell reads it.
      var (read, isQuoted, bytes) = ([UInt8](), false, Array(word.utf8)[...])
      while let byte = bytes.popFirst() {
        if byte == UInt8(ascii: "'") {
          isQuoted.toggle()
        } else if !isQuoted {
          #expect(byte == UInt8(ascii: "\\"))
          read.append(bytes.popFirst() ?? 0)
        } else {
          read.append(byte)
        }
      }
      #expect(!isQuoted && read.elementsEqual(text.utf8))
    }
  }

  @Test("a text is replaced by its bytes, where the standard library compares characters")
  func replacing() {
    let text = "a'\u{301}b'c''"
    #expect(
      Array(text.replacingUTF8("'", with: "xy").utf8) == Array("axy\u{301}bxycxyxy".utf8))
    #expect("aaa".replacingUTF8("aa", with: "b") == "ba")
    #expect("".replacingUTF8("a", with: "b") == "" && "b".replacingUTF8("abc", with: "") == "b")
  }
}
