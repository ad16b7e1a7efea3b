internal import Basics
internal import Testing

/// Rows of cells: csv (RFC 4180) and tsv with escapes (M4.6, M5).
@Suite struct SeparatedValuesTests {
  private static let comma = UInt8(ascii: ",")
  private static let tab = UInt8(ascii: "\t")

  /// The cells of the rows, and the fault that ended the reading.
  private static func read(
    _ text: String, _ separator: UInt8
  ) throws -> (rows: [[String?]], lines: [Int], fault: String?) {
    let reader = SeparatedValuesReader(try Bytes.file(text), separator: separator)
    var rows: [[String?]] = []
    var lines: [Int] = []
    while reader.fault == nil, let row = try reader.next() {
      rows.append(row.cells.map(\.text))
      lines.append(row.line)
    }
    return (rows, lines, reader.fault)
  }

  @Test(
    "RFC 4180 §2: separators, quotes, line ends within quotes; an empty cell is nil, \"\" is not",
    arguments: [
      ("a,b\n", [["a", "b"]]), ("a,b", [["a", "b"]]),
      ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
      (",\n", [[nil, nil]]), ("a,,\n", [["a", nil, nil]]), ("\"\",\"\"\n", [["", ""]]),
      ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]), ("\"\"\"\"\n", [["\""]]),
      ("\"a\nb\",c\n", [["a\nb", "c"]]), ("\"a\r\nb\"\r\n", [["a\r\nb"]]),
      ("\"a\n\n\nb\"\nc\n", [["a\n\n\nb"], ["c"]]), ("\"\n\"", [["\n"]]),
      ("a\n\n\r\nb\n", [["a"], ["b"]]), (" a , b\n", [[" a ", " b"]]),
      ("a\"b,c\"\n", [["a\"b", "c\""]]),
      ("a\\tb\n", [["a\\tb"]]), ("a\rb,c\r\n", [["a\rb", "c"]]), ("é,🧭\n", [["é", "🧭"]]),
    ] as [(String, [[String?]])])
  func csv(_ text: String, _ rows: [[String?]]) throws {
    let read = try Self.read(text, Self.comma)
    #expect(read.rows == rows)
    #expect(read.fault == nil)
  }

  @Test(
    "M4.6: in tsv tab, line ends and backslash are escaped, and quotes mean nothing",
    arguments: [
      ("a\tb\n", [["a", "b"]]), ("a\\tb\\nc\\rd\\\\e\t\n", [["a\tb\nc\rd\\e", nil]]),
      ("\"a\tb\"\n", [["\"a", "b\""]]), ("\"\"\n", [["\"\""]]), ("\t\n", [[nil, nil]]),
      ("a\\qb\n", [["aqb"]]), ("a\\\n", [["a\\"]]), ("a,b\r\n", [["a,b"]]),
      ("\\é\tb\n", [["é", "b"]]), ("\\\\n\n", [["\\n"]]),
    ] as [(String, [[String?]])])
  func tsv(_ text: String, _ rows: [[String?]]) throws {
    let read = try Self.read(text, Self.tab)
    #expect(read.rows == rows)
    #expect(read.fault == nil)
  }

  @Test(
    "malformed rows are faults",
    arguments: ["\"a", "\"a\nb\n", "\"a\"b\n", "\"a\" ,b\n", "\"\"x\n"])
  func faults(_ text: String) throws {
    #expect(try Self.read(text, Self.comma).fault != nil)
  }

  @Test("a cell that is not UTF-8 is a fault")
  func invalidUTF8() throws {
    let file = try Bytes.file([0x61, 0x2C, 0xFF, 0x0A])
    let reader = SeparatedValuesReader(file, separator: Self.comma)
    _ = try reader.next()
    #expect(reader.fault != nil)
  }

  @Test("random cells survive a round trip through csv (RFC 4180) and tsv")
  func roundTrip() throws {
    var random = SplitMix64(state: 11)
    for _ in 0..<200 {
      let width = 2 + random.below(4)
      let rows: [[String?]] = (0..<8).map { _ in
        (0..<width).map { _ in random.below(4) == 0 ? nil : random.text() }
      }
      let csv = rows.map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }.joined()
      let read = try Self.read(csv, Self.comma)
      #expect(read.rows == rows)
      // In tsv, empty text and nil look the same.
      let shown = rows.map { $0.map { $0 == "" ? nil : $0 } }
      let tsv = rows.map { $0.map(Self.escaped).joined(separator: "\t") + "\n" }.joined()
      #expect(try Self.read(tsv, Self.tab).rows == shown)
    }
  }

  private static func quoted(_ cell: String?) -> String {
    guard let cell else { return "" }
    let isPlain = !cell.isEmpty && cell.utf8.allSatisfy { $0 > 0x22 && $0 != 0x2C }
    if isPlain { return cell }
    var quoted = "\""
    for scalar in cell.unicodeScalars {
      quoted.unicodeScalars.append(scalar)
      if scalar == "\"" { quoted += "\"" }
    }
    return quoted + "\""
  }

  private static func escaped(_ cell: String?) -> String {
    var escaped = ""
    for scalar in (cell ?? "").unicodeScalars {
      switch scalar {
      case "\t": escaped += "\\t"
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\\": escaped += "\\\\"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  @Test("M5.6: a row has the number of its first line, a cell the column of its first scalar")
  func places() throws {
    #expect(try Self.read("a\n\n\"b\nc\"\nd\n", Self.comma).lines == [1, 3, 5])
    let csv = SeparatedValuesReader(
      try Bytes.file("é,\"a\"\"b\",c,\n\"x\ny\",z\n"), separator: Self.comma)
    #expect(try csv.next()?.cells.map(\.column) == [1, 3, 10, 12])
    #expect(try csv.next()?.cells.map(\.column) == [1, 4])
    let tsv = SeparatedValuesReader(try Bytes.file("a\\tb\t\\é\tc\n"), separator: Self.tab)
    #expect(try tsv.next()?.cells.map(\.column) == [1, 6, 9])
  }
}
