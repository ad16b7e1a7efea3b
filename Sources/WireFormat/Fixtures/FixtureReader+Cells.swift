public import Basics
internal import CloudModel

// Tables: csv and tsv.
extension FixtureReader {
  /// Reads the rows of a table; the header names the fields. Throws `SystemError` for the file.
  public mutating func readTable(_ rows: SeparatedValuesReader) throws(SystemError) {
    guard let header = try rows.next() else { return }
    var columns: [String] = []
    for cell in header.cells {
      let title = cell.text ?? ""
      if title.isEmpty || columns.contains(title) {
        let position = TextPosition(line: header.line, column: cell.column)
        note(
          title.isEmpty
            ? "a column has no name" : "the column '\(title.visible)' stands twice",
          at: position)
        return
      }
      columns.append(title)
    }
    while let row = try rows.next() {
      if let fault = rows.fault {
        return note(fault, at: TextPosition(line: row.line, column: 1))
      }
      read(row, columns)
    }
  }

  private mutating func read(_ row: SeparatedValuesReader.Row, _ columns: [String]) {
    guard row.cells.count <= columns.count else {
      return note(
        "the row has \(row.cells.count) cells, the header \(columns.count)",
        at: TextPosition(line: row.line, column: row.cells[columns.count].column))
    }
    var parts = RecordParts(
      position: TextPosition(line: row.line, column: 1, source: file.source))
    for (column, cell) in zip(columns, row.cells) {
      guard let text = cell.text else { continue }
      let position = TextPosition(line: row.line, column: cell.column, source: file.source)
      let placed = Fixture.Placed(text, at: position)
      switch column {
      case "recordName": parts.name = placed
      case "recordType": parts.type = placed
      case "zone": parts.zone = placed
      case "parent": parts.parent = placed
      default:
        parts.fields.append(
          Fixture.Field(FieldName(stored: column), .string(text), isCell: true, at: position))
      }
    }
    add(parts)
  }
}
