internal import Basics

/// Writes rows of cells as table, lines, csv or tsv. A cell that is nil is no value.
final class CellWriter {
  private let format: OutputFormat
  private let output: ByteOutput
  private let columns: [String]
  private let isCSVSafe: Bool
  /// Whether a person reads it: no text may move a terminal's cursor.
  private let isTerminal: Bool
  private var table: TableLayout
  private var count = 0
  private var hasBegun = false

  init(
    _ format: OutputFormat, _ output: ByteOutput, columns: [String], width: Int,
    isTerminal: Bool, isCSVSafe: Bool
  ) {
    self.format = format
    self.output = output
    self.columns = columns
    self.isCSVSafe = isCSVSafe
    self.isTerminal = isTerminal
    table = TableLayout(columns: columns, width: isTerminal ? width : nil)
  }

  private var titles: [String] { isTerminal ? columns.map(\.visible) : columns }

  /// Writes the header, before the first row: what fails before it leaves no output.
  private func begin() {
    hasBegun = true
    switch format {
    case .csv: writeSeparated(titles, ",", "\r\n", csvCell)
    case .tsv: writeSeparated(titles, "\t", "\n", Self.tsvCell)
    case .table, .line, .json, .jsonl, .page, .wire, .names, .raw: break
    }
  }

  func row(_ cells: [String?]) {
    if !hasBegun { begin() }
    switch format {
    case .csv: writeSeparated(cells, ",", "\r\n", csvCell)
    case .tsv: writeSeparated(cells, "\t", "\n", Self.tsvCell)
    case .line: writeLines(cells)
    case .table, .json, .jsonl, .page, .wire, .names, .raw:
      table.add(cells)
      if table.isFull { table.write(to: output) }
    }
    count += 1
    output.spill()
  }

  /// Ends the output; a table says how many rows it had.
  func finish(noun: String, more: String? = nil) {
    if !hasBegun { begin() }
    guard format == .table else { return }
    table.write(to: output)
    let rows = count.counted(noun)
    output.line([rows, more].compactMap { $0 }.joined(separator: " · "))
  }

  // MARK: Separated values

  private func writeSeparated(
    _ cells: [String?], _ separator: Unicode.Scalar, _ end: String,
    _ cell: (String?, inout [UInt8]) -> Void
  ) {
    for (index, value) in cells.enumerated() {
      if index > 0 { output.buffer.append(UInt8(ascii: separator)) }
      cell(isTerminal ? value?.visibleLines : value, &output.buffer)
    }
    output.buffer.append(text: end)
  }

  /// RFC 4180: quotes where needed; an empty text is quoted, no value is nothing.
  private func csvCell(_ value: String?, _ bytes: inout [UInt8]) {
    guard var value else { return }
    if isCSVSafe, let first = value.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first)
    {
      value = "'" + value
    }
    let needsQuotes =
      value.isEmpty
      || value.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
    guard needsQuotes else { return bytes.append(text: value) }
    bytes.append(0x22)
    for byte in value.utf8 {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }

  /// Tab, line ends and backslash are escaped.
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
    for (column, cell) in zip(columns, cells) {
      if let cell { output.line("\(column.visible): \(cell.visible)") }
    }
  }
}

/// A table whose columns fit a terminal: the widest shrink, long cells end in an ellipsis.
private struct TableLayout {
  private let columns: [String]
  private let width: Int?
  private var rows: [[String?]] = []
  private var widths: [Int]?
  private static let sampleSize = 200

  init(columns: [String], width: Int?) {
    self.columns = columns.map(\.visible)
    self.width = width
  }

  /// Whether enough rows are at hand to know the widths.
  var isFull: Bool { rows.count >= Self.sampleSize }

  mutating func add(_ row: [String?]) { rows.append(row.map { $0?.visible }) }

  mutating func write(to output: ByteOutput) {
    let isFirst = widths == nil
    let widths = self.widths ?? measured()
    self.widths = widths
    if isFirst {
      output.line(line(columns, widths))
      output.line(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
    }
    for row in rows { output.line(line(row, widths)) }
    rows.removeAll(keepingCapacity: true)
  }

  private func line(_ cells: [String?], _ widths: [Int]) -> String {
    var line = ""
    for (index, (cell, width)) in zip(cells, widths).enumerated() {
      let text = (cell ?? "NULL").truncated(toColumns: width)
      line += text
      if index < widths.count - 1 {
        line += String(repeating: " ", count: width - text.columnWidth + 2)
      }
    }
    return line
  }

  private func measured() -> [Int] {
    var widths = columns.map(\.columnWidth)
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], (cell ?? "NULL").columnWidth)
      }
    }
    guard let width else { return widths }
    let room = width - 2 * (widths.count - 1)
    while widths.reduce(0, +) > room, let widest = widths.max(), widest > 8 {
      for index in widths.indices where widths[index] == widest {
        widths[index] -= 1
        if widths.reduce(0, +) <= room { break }
      }
    }
    return widths
  }
}
