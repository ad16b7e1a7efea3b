internal import Basics
internal import CloudModel

/// The columns of a csv or tsv file of records: `recordName`, `recordType`, `zone` and `parent`
/// belong to the record, the others are fields (M5.3).
public struct RecordTable: Sendable {
  private let columns: [Column]
  /// The names of the fields, in the order of their columns.
  let fieldNames: [FieldName]

  private enum Column {
    case name
    case type
    case zone
    case parent
    case field(FieldName)

    init(_ title: String) {
      switch title {
      case "recordName": self = .name
      case "recordType": self = .type
      case "zone": self = .zone
      case "parent": self = .parent
      default: self = .field(FieldName(stored: title))
      }
    }
  }

  /// Reads the header. Throws `RecordReadingError` for a column without a name, and for a duplicate
  /// name.
  init(header: SeparatedValuesReader.Row) throws(RecordReadingError) {
    var names = NamesMet()
    for cell in header.cells {
      let position = TextPosition(line: header.line, column: cell.column)
      let name = cell.text ?? ""
      if name.isEmpty {
        throw RecordReadingError("a column has no name", at: position, isSyntax: true)
      }
      guard names.insert(name) else {
        throw RecordReadingError(
          "the column '\(name.visible)' appears twice", at: position, isSyntax: true)
      }
    }
    columns = header.cells.map { Column($0.text ?? "") }
    fieldNames = columns.compactMap { if case .field(let name) = $0 { name } else { nil } }
  }

  /// The type that a row names.
  func typeName(in row: SeparatedValuesReader.Row) -> String? {
    for (column, cell) in zip(columns, row.cells) {
      if case .type = column { return cell.text }
    }
    return nil
  }

  /// Reads a row, and passes its cells to a sink.
  func read<Fields: FieldSink>(
    _ row: SeparatedValuesReader.Row, _ fields: inout Fields
  ) -> RecordKeys {
    var keys = RecordKeys(at: TextPosition(line: row.line, column: 1))
    guard row.cells.count <= columns.count else {
      keys.giveUp(
        "the row has \(row.cells.count) cells, the header \(columns.count)",
        at: TextPosition(line: row.line, column: row.cells[columns.count].column))
      return keys
    }
    var number = 0
    for (column, cell) in zip(columns, row.cells) {
      let position = TextPosition(line: row.line, column: cell.column)
      switch column {
      case .name: keys.name = cell.text.map { Placed($0, at: position) }
      case .type: keys.type = cell.text.map { Placed($0, at: position) }
      case .zone:
        keys.zone = cell.text.map { Placed($0, at: position) }
        keys.zoneOwner = cell.text?.userAtEnd
        keys.splitOwner()
      case .parent: keys.parent = cell.text.map { Placed($0, at: position) }
      case .field(let name):
        fields.take(cell: cell.text, name, column: number, at: position)
        number += 1
      }
    }
    return keys
  }
}

extension String {
  /// The user record name after the last colon, as our tables write another user's zone; nil for
  /// none.
  fileprivate var userAtEnd: String? {
    guard let colon = utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let owner = String(self[utf8.index(after: colon)...])
    return RecordName.isUserName(owner) ? owner : nil
  }
}
