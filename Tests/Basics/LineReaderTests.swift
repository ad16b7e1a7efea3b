internal import Basics
internal import Glibc
internal import Testing

/// Lines of files of any size.
@Suite struct LineReaderTests {
  private static func lines(_ file: FileHandle, keeping: Bool = false) throws -> [String] {
    let reader = LineReader(file, keepsCarriageReturns: keeping)
    var lines: [String] = []
    while let line = try reader.next() {
      lines.append(String(decoding: line, as: UTF8.self))
      #expect(reader.lineNumber == lines.count)
    }
    return lines
  }

  @Test(
    "a line ends in LF, CR LF or the file's end",
    arguments: [
      ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]),
      ("a\r\n\r\nb\r", ["a", "", "b"]), ("a\rb\n", ["a\rb"]), ("\n\n", ["", ""]),
      ("a\r\r\n", ["a\r"]), ("\0\n", ["\0"]),
    ])
  func ends(_ text: String, _ lines: [String]) throws {
    #expect(try Self.lines(Bytes.file(text)) == lines)
    #expect(try Self.lines(Bytes.pipe(Array(text.utf8), chunk: 1)) == lines)
  }

  @Test(
    "a UTF-8 byte order mark at the beginning is not part of the text",
    arguments: [
      ("\u{FEFF}a\nb", ["a", "b"]), ("\u{FEFF}", []), ("\u{FEFF}\n", [""]),
      ("a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
    ] as [(String, [String])])
  func byteOrderMark(_ text: String, _ lines: [String]) throws {
    for file in [try Bytes.file(text), try Bytes.pipe(Array(text.utf8), chunk: 1)] {
      let found = try Self.lines(file)
      #expect(found.map { Array($0.utf8) } == lines.map { Array($0.utf8) })
    }
  }

  @Test("a reader can keep carriage returns, which csv needs")
  func carriageReturns() throws {
    #expect(try Self.lines(Bytes.file("a\r\nb\r"), keeping: true) == ["a\r", "b\r"])
  }

  @Test("a line is read as soon as it is written: a line-by-line dialogue does not deadlock")
  func conversation() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let reader = LineReader(FileHandle(descriptor: ends[0], path: "pipe", closesAtEnd: true))
    for question in ["a", "b"] {
      #expect(write(ends[1], question + "\n", 2) == 2)
      #expect(try reader.next().map { String(decoding: $0, as: UTF8.self) } == question)
    }
    close(ends[1])
    #expect(try reader.next() == nil)
  }

  @Test("a line of 64 MB is read, and a longer one refused", arguments: [0, 1])
  func largest(_ excess: Int) throws {
    let file = try Bytes.file("")
    #expect(ftruncate(file.descriptor, off_t((64 << 20) + excess)) == 0)
    let reader = LineReader(file)
    if excess == 0 {
      #expect(try reader.next()?.count == 64 << 20)
      #expect(try reader.next() == nil)
    } else {
      #expect(throws: SystemError.self) { try reader.next() }
    }
  }

  @Test("random lines are read back unchanged, also those longer than the 256 KiB buffer")
  func randomLines() throws {
    var random = SplitMix64(state: 10)
    for limit in [3, 200, 100_000, 700_000] {
      let count = limit > 1000 ? 12 : 6000
      let lines = (0..<count).map { index in
        String(repeating: random.pick(["x", "é", "\r"]), count: random.below(limit)) + "\(index)"
      }
      let isEnded = random.below(2) == 0
      let text = lines.joined(separator: "\n") + (isEnded ? "\n" : "")
      #expect(try Self.lines(Bytes.file(text)) == lines)
      #expect(try Self.lines(Bytes.pipe(Array(text.utf8), chunk: 4093)) == lines)
    }
  }
}
