import Basics

/// A terminal's screen after a program has written its bytes.
///
/// It implements what this program and readline send to an xterm: printing with wrapped lines,
/// cursor movements, erasing, inserting and deleting. Colors and modes change nothing.
struct ScreenModel {
  private let columns: Int
  private let rows: Int
  private var cells: [[Character?]]
  private var (row, column) = (0, 0)
  /// Whether the next character begins a new line, because the last one filled the line.
  private var wraps = false

  init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = Array(repeating: Array(repeating: nil, count: columns), count: rows)
  }

  /// The lines without trailing blanks, and without empty lines at the end.
  var lines: [String] {
    var lines = cells.map { cells in
      var text = String(cells.compactMap { $0 })
      while text.last == " " { text.removeLast() }
      return text
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Processes the output of a program.
  mutating func take(_ bytes: [UInt8]) {
    var text = Substring(String(decoding: bytes, as: UTF8.self))
    while let character = text.popFirst() {
      switch character {
      case "\r\n":
        column = 0
        newLine()
      case "\n": newLine()
      case "\r": move(to: row, 0)
      case "\u{8}": move(to: row, column - 1)
      case "\u{7}": continue
      case "\u{1B}": takeEscape(&text)
      default: print(character)
      }
    }
  }

  private mutating func move(to row: Int, _ column: Int) {
    self.row = min(max(0, row), rows - 1)
    self.column = min(max(0, column), columns - 1)
    wraps = false
  }

  private mutating func newLine() {
    wraps = false
    row += 1
    guard row == rows else { return }
    cells.removeFirst()
    cells.append(Array(repeating: nil, count: columns))
    row -= 1
  }

  private mutating func print(_ character: Character) {
    let width = String(character).columnWidth
    if wraps || column + width > columns {
      column = 0
      newLine()
    }
    fill(upTo: column)
    cells[row][column] = character
    // A wide character takes the next cell, too.
    if width == 2 { cells[row][column + 1] = nil }
    wraps = column + width >= columns
    column = min(column + width, columns - 1)
  }

  /// Fills unprinted cells before a column with blanks.
  private mutating func fill(upTo column: Int) {
    var place = 0
    while place < column {
      let width = cells[row][place].map { String($0).columnWidth } ?? 0
      if width == 0 { cells[row][place] = " " }
      place += max(1, width)
    }
  }

  private mutating func takeEscape(_ text: inout Substring) {
    let introducer = text.popFirst()
    // The selection of a character set has one more letter, a title has an end.
    if introducer == "(" { _ = text.popFirst() }
    if introducer == "]" { text = text.drop { $0 != "\u{7}" && $0 != "\u{1B}" }.dropFirst() }
    guard introducer == "[" else { return }
    let body = text.prefix { $0.isNumber || ";?".contains($0) }
    text = text.dropFirst(body.count)
    guard let kind = text.popFirst(), !body.hasPrefix("?") else { return }
    let numbers = body.split(separator: ";").map { Int($0) ?? 0 }
    let count = max(1, numbers.first ?? 1)
    switch kind {
    case "A": move(to: row - count, column)
    case "B": move(to: row + count, column)
    case "C": move(to: row, column + count)
    case "D": move(to: row, column - count)
    case "G": move(to: row, count - 1)
    case "H": move(to: count - 1, (numbers.count > 1 ? numbers[1] : 1) - 1)
    case "J": erase(screen: numbers.first ?? 0)
    case "K": erase(line: numbers.first ?? 0)
    case "P": delete(count)
    case "@": insert(count)
    default: return
    }
  }

  private mutating func erase(screen kind: Int) {
    erase(line: kind == 0 ? 0 : 2)
    for index in cells.indices where kind != 0 || index > row {
      cells[index] = Array(repeating: nil, count: columns)
    }
  }

  private mutating func erase(line kind: Int) {
    let range = kind == 0 ? column..<columns : kind == 1 ? 0..<(column + 1) : 0..<columns
    for index in range { cells[row][index] = nil }
  }

  private mutating func delete(_ count: Int) {
    let end = min(column + count, columns)
    cells[row].removeSubrange(column..<end)
    cells[row] += Array(repeating: nil, count: end - column)
  }

  private mutating func insert(_ count: Int) {
    fill(upTo: column)
    cells[row].insert(contentsOf: Array(repeating: " ", count: count), at: column)
    cells[row].removeLast(cells[row].count - columns)
  }
}
