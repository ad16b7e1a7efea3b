internal import Basics

/// Writes rows of cells as a table, lines, csv or tsv. A nil cell has no value.
final class CellWriter {
  private let format: OutputFormat
  private let output: ByteOutput
  private let columns: [String]
  /// Whether each column contains numbers, which tables align to the right.
  var numbers: [Bool]
  private let separated: Separated
  private let style: TextStyle
  /// Whether the output is a terminal: no text may move its cursor.
  private let isTerminal: Bool
  private var table: TableLayout
  private var count = 0
  private var hasBegun = false
  private var hasLines = false

  @inline(never)
  init(
    _ context: Context, _ format: OutputFormat, columns: [String], to output: ByteOutput? = nil,
    _ separated: Separated = Separated()
  ) {
    self.format = format
    self.output = output ?? context.output
    self.columns = columns
    numbers = columns.map { _ in false }
    self.separated = separated
    isTerminal = self.output === context.output && context.surroundings.outputIsTerminal
    style = format.isForPeople ? context.style : .plain
    let width = format == .table && isTerminal ? context.tableWidth : nil
    table = TableLayout(columns: columns, width: width, style)
  }

  /// How csv and tsv are written.
  struct Separated {
    /// Whether formulas are escaped for spreadsheets.
    var isSafe = false
    var hasHeader = true
    /// The character between the cells of csv.
    var delimiter = UInt8(ascii: ",")
  }

  private var titles: [String] { isTerminal ? columns.map(\.visible) : columns }

  /// Writes the header, only before the first row: an earlier failure leaves no output.
  private func begin() {
    hasBegun = true
    if separated.hasHeader, format == .csv || format == .tsv { writeSeparated(titles) }
  }

  func row(_ cells: [String?]) {
    if !hasBegun { begin() }
    if format == .csv || format == .tsv {
      writeSeparated(cells)
    } else if format == .line {
      writeLines(cells)
    } else {
      table.add(cells)
      if table.isFull { writeTable() }
    }
    count += 1
    output.spill()
  }

  /// Ends the output; a table ends with its number of rows.
  func finish(noun: String, time: String?, more: String? = nil) {
    if !hasBegun { begin() }
    guard format == .table else { return }
    writeTable()
    if table.isTooWide && count > 0 { output.line("") }
    let rows = count.counted(noun)
    output.line([rows, time, more].compactMap { $0 }.joined(separator: " · "))
  }

  /// Writes the collected rows as a table, or one field per line if the columns do not fit.
  private func writeTable() {
    table.measure()
    guard table.isTooWide else { return table.write(to: output, numbers) }
    for row in table.takeRows() {
      if hasLines { output.line("") }
      hasLines = true
      writeLine(row)
    }
  }

  // MARK: Separated values

  private func writeSeparated(_ cells: [String?]) {
    if format == .csv {
      writeSeparated(cells, separated.delimiter, "\r\n", csvCell)
    } else {
      writeSeparated(cells, UInt8(ascii: "\t"), "\n", Self.tsvCell)
    }
  }

  private func writeSeparated(
    _ cells: [String?], _ separator: UInt8, _ end: String,
    _ cell: (String?, inout [UInt8]) -> Void
  ) {
    for (index, value) in cells.enumerated() {
      if index > 0 { output.buffer.append(separator) }
      cell(isTerminal ? value?.visibleLines : value, &output.buffer)
    }
    output.buffer.append(text: end)
  }

  /// RFC 4180: quotes only where needed; empty text is quoted, a missing value is left empty.
  private func csvCell(_ value: String?, _ bytes: inout [UInt8]) {
    guard var value else { return }
    if separated.isSafe, let first = value.unicodeScalars.first,
      "=+-@\t\r".unicodeScalars.contains(first)
    {
      value = "'" + value
    }
    let needsQuotes =
      value.isEmpty
      || value.utf8.contains {
        $0 == 0x22 || $0 == separated.delimiter || $0 == 0x0A || $0 == 0x0D
      }
    guard needsQuotes else { return bytes.append(text: value) }
    bytes.append(0x22)
    for byte in value.utf8 {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }

  /// Escapes tab, line feed, carriage return and backslash.
  private static func tsvCell(_ value: String?, _ bytes: inout [UInt8]) {
    guard let value else { return }
    for byte in value.utf8 {
      switch byte {
      case 0x09: bytes.append(text: "\\t")
      case 0x0A: bytes.append(text: "\\n")
      case 0x0D: bytes.append(text: "\\r")
      case 0x5C: bytes.append(text: "\\\\")
      default: bytes.append(byte)
      }
    }
  }

  // MARK: Lines

  private func writeLines(_ cells: [String?]) {
    if count > 0 { output.line("") }
    writeLine(cells)
  }

  private func writeLine(_ cells: [String?]) {
    for (column, cell) in zip(columns, cells) {
      if let cell { output.line("\(style(column.visible, .header)): \(cell.visible)") }
    }
  }
}

/// A table whose columns fit a terminal: the widest shrink, long cells end in an ellipsis. The
/// first column, the name of a row, is never truncated, so that it can be copied.
private struct TableLayout {
  private let columns: [String]
  private let width: Int?
  private let style: TextStyle
  private var rows: [[String?]] = []
  private var widths: [Int] = []
  private var isMeasured = false
  private var hasHeader = false
  /// Whether the columns do not fit, however narrow.
  private(set) var isTooWide = false
  private static let sampleSize = 200
  /// The minimum width of a column that shrinks.
  private static let leastWidth = 8

  init(columns: [String], width: Int?, _ style: TextStyle) {
    self.columns = columns.map(\.visible)
    self.width = width
    self.style = style
  }

  /// Whether enough rows are collected to measure the widths.
  var isFull: Bool { rows.count >= Self.sampleSize }

  mutating func add(_ row: [String?]) { rows.append(row.map { $0?.visible }) }

  mutating func takeRows() -> [[String?]] {
    defer { rows.removeAll() }
    return rows
  }

  /// Writes the rows, and the header before the first ones.
  mutating func write(to output: ByteOutput, _ numbers: [Bool]) {
    if !hasHeader {
      output.line(line(columns, numbers, .header))
      output.line(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
      hasHeader = true
    }
    for row in rows { output.line(line(row, numbers)) }
    rows.removeAll(keepingCapacity: true)
  }

  private func line(
    _ cells: [String?], _ numbers: [Bool], _ role: TextStyle.Role? = nil
  ) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      var text = cell ?? "NULL"
      // Names of later rows may be longer than the measured ones.
      if index > 0 { text = text.truncated(toColumns: widths[index]) }
      let padding = String(repeating: " ", count: max(0, widths[index] - text.columnWidth))
      if let role = cell == nil ? .missing : role { text = style(text, role) }
      if numbers[index] {
        line += padding + text
      } else {
        line += text
        if index < cells.count - 1 { line += padding }
      }
      if index < cells.count - 1 { line += "  " }
    }
    return line
  }

  /// Computes the column widths from the first rows.
  mutating func measure() {
    if isMeasured { return }
    isMeasured = true
    widths = columns.map(\.columnWidth)
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], (cell ?? "NULL").columnWidth)
      }
    }
    guard let width else { return }
    let room = width - 2 * (widths.count - 1)
    var total = widths.reduce(0, +)
    while total > room {
      guard let widest = widths.dropFirst().max(), widest > Self.leastWidth else { break }
      for index in widths.indices.dropFirst() where widths[index] == widest && total > room {
        widths[index] -= 1
        total -= 1
      }
    }
    isTooWide = total > room && widths.count > 1
  }
}
