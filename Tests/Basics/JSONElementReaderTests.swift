internal import Basics
internal import Testing

/// Splitting a JSON array into its elements (M5.6: errors name line and column).
@Suite struct JSONElementReaderTests {
  /// An element or a fault, with its place.
  enum Piece: Equatable, Sendable {
    case element(String, Int, Int)
    case fault(Int, Int)
  }

  static func pieces(_ file: FileHandle) throws -> [Piece] {
    let reader = JSONElementReader(file)
    var pieces: [Piece] = []
    while let next = try reader.next() {
      switch next {
      case .element(let bytes, let line, let column):
        pieces.append(.element(String(decoding: bytes, as: UTF8.self), line, column))
      case .fault(_, let line, let column): pieces.append(.fault(line, column))
      }
    }
    return pieces
  }

  /// A text that tracks the place of its end, scalar by scalar.
  struct Placed {
    private(set) var text = ""
    private(set) var line = 1
    private(set) var column = 1

    mutating func append(_ more: String) {
      text += more
      for scalar in more.unicodeScalars {
        (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
      }
    }
  }

  /// A text of random elements and blanks, and the expected pieces.
  private static func array(
    _ random: inout SplitMix64, count: Int, padding: Int
  ) -> (text: String, pieces: [Piece]) {
    func blanks() -> String {
      (0..<random.below(4)).reduce("") { text, _ in text + random.pick([" ", "\n", "\r", "\t"]) }
    }
    var placed = Placed()
    placed.append(blanks() + "[" + blanks())
    var pieces: [Piece] = []
    for index in 0..<count {
      if index > 0 { placed.append(blanks() + "," + blanks()) }
      var value = random.json()
      if padding > 0 {
        value = .array([value, .string(String(repeating: "é\"", count: random.below(padding)))])
      }
      pieces.append(.element(value.text, placed.line, placed.column))
      placed.append(value.text)
    }
    return (placed.text + blanks() + "]" + blanks(), pieces)
  }

  @Test("random arrays split into their elements, from files and slow pipes")
  func randomArrays() throws {
    var random = SplitMix64(state: 8)
    for _ in 0..<150 {
      let (text, pieces) = Self.array(&random, count: random.below(12), padding: 0)
      #expect(try Self.pieces(Bytes.file(text)) == pieces)
      let pipe = try Bytes.pipe(Array(text.utf8), chunk: 1 + random.below(9))
      #expect(try Self.pieces(pipe) == pieces)
    }
  }

  @Test("elements larger than the 256 KiB buffer, and small ones across its end, are read whole")
  func largeArrays() throws {
    var random = SplitMix64(state: 9)
    let large = Self.array(&random, count: 6, padding: 250_000)
    let small = Self.array(&random, count: 1500, padding: 250)
    for (text, pieces) in [large, small] {
      #expect(text.utf8.count > 1 << 19)
      // Outside #expect, which would print megabytes.
      let isCutRight = try Self.pieces(Bytes.file(text)) == pieces
      #expect(isCutRight)
    }
  }

  @Test(
    "a fault between elements ends the reading, at the mark",
    arguments: [
      ("[1 ⟦2]", 1), ("[1⟦}", 1), ("[⟦", 0), ("[1⟦", 1), ("[1,\n⟦", 1), ("[] ⟦x", 0),
      ("[1]\n ⟦[2]", 1), ("[\"é\"⟦\"b\"]", 1), ("[{}\n⟦{}]", 1),
      ("[⟦,1]", 0), ("[1, ⟦]", 1), ("[1,⟦,2]", 1),
    ])
  func faults(_ marked: String, _ elements: Int) throws {
    let parts = marked.split(separator: "⟦", omittingEmptySubsequences: false).map(String.init)
    let pieces = try Self.pieces(Bytes.file(parts.joined()))
    var before = Placed()
    before.append(parts[0])
    #expect(pieces.count == elements + 1)
    #expect(pieces.last == .fault(before.line, before.column))
  }

  @Test(
    "M5: a text without an array is a sequence of values; an empty text has none",
    arguments: [
      ("", []), (" \n", []), ("\n {\"a\":[1]} ", [.element("{\"a\":[1]}", 2, 2)]),
      ("{}\n{}", [.element("{}", 1, 1), .element("{}", 2, 1)]),
      ("1 2", [.element("1", 1, 1), .element("2", 1, 3)]),
      ("{} x", [.element("{}", 1, 1), .element("x", 1, 4)]),
      ("{} ]", [.element("{}", 1, 1), .fault(1, 4)]),
      ("{},{}", [.element("{}", 1, 1), .fault(1, 3)]), ("}", [.fault(1, 1)]),
    ] as [(String, [Piece])])
  func sequences(_ text: String, _ pieces: [Piece]) throws {
    #expect(try Self.pieces(Bytes.file(text)) == pieces)
  }
}
