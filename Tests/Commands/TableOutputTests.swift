internal import Basics
internal import CommandKit
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import Commands

/// Tables at a terminal (M4.1).
@Suite struct TableOutputTests {
  /// The lines of a table at a terminal that is `columns` wide.
  private func table(
    _ columns: [String], _ rows: [[String?]], numbers: Set<Int> = [], width: Int,
    variables: [String: String] = ["NO_COLOR": "1"]
  ) throws -> [String] {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/table"
    let output = ByteOutput(try FileHandle(create: path))
    let session = Session(
      Surroundings(
        variable: { variables[$0] }, workingDirectory: directory.path,
        input: try FileHandle(open: path, O_RDONLY), output: output, errors: ByteOutput(),
        outputIsTerminal: true, width: { width }))
    let writer = CellWriter(Context(session, Arguments()), .table, columns: columns)
    for index in numbers { writer.numbers[index] = true }
    for row in rows { writer.row(row) }
    writer.finish(noun: "record", time: nil)
    output.flush()
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test("numbers are right-aligned; wide and combining characters count by their columns")
  func alignment() throws {
    let lines = try table(
      ["name", "n", "text"], [["a", "5", "日本"], ["b", "1200", "e\u{301}"], ["c", nil, "x"]],
      numbers: [1], width: 80)
    #expect(
      lines == [
        "name     n  text", "----  ----  ----", "a        5  日本", "b     1200  e\u{301}",
        "c     NULL  x", "3 records",
      ])
  }

  @Test("names are never truncated, other columns are", arguments: [40, 60, 80])
  func names(_ width: Int) throws {
    let name = String(repeating: "n", count: 30)
    let lines = try table(
      ["name", "text"], [[name, String(repeating: "t", count: 90)]], width: width)
    #expect(lines.contains { $0.hasPrefix(name + "  t") && $0.hasSuffix("…") })
    #expect(lines.allSatisfy { $0.count <= width })
  }

  @Test("columns that cannot fit become one field a line")
  func recordView() throws {
    let columns = (0..<10).map { "column\($0)" }
    let row = columns.map { "value of \($0)" as String? }
    let lines = try table(columns, [row, row], width: 40)
    let record = columns.map { "\($0): value of \($0)" }
    #expect(lines == record + [""] + record + ["", "2 records"])
    let wide = try table(columns, [row], width: 200)
    #expect(wide.count == 4 && wide[0].hasPrefix("column0"))
  }

  @Test("the header is bold and NULL is dim; colors take no columns")
  func colors() throws {
    let rows: [[String?]] = [["a", nil, "x"], ["bb", "text", nil]]
    let plain = try table(["name", "n", "t"], rows, width: 80)
    let colored = try table(["name", "n", "t"], rows, width: 80, variables: ["TERM": "xterm"])
    #expect(colored[0].hasPrefix("\u{1B}[1mname\u{1B}[0m  "))
    #expect(colored[2].contains("\u{1B}[2mNULL\u{1B}[0m"))
    let withoutColors = colored.map { line in
      line.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[2m", with: "")
        .replacing("\u{1B}[0m", with: "")
    }
    #expect(withoutColors == plain)
    #expect(try table(["name", "n", "t"], rows, width: 80, variables: ["TERM": "dumb"]) == plain)
  }
}
