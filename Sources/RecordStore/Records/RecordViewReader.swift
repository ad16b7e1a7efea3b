internal import CloudModel
internal import SQLite

/// Makes views of one type's records from their rows.
final class RecordViewReader {
  let table: TypeTable
  /// The view of the row that was looked at last.
  let view: RecordView
  private let columns: [FieldColumn]
  /// How each value is looked at, and in which column it begins.
  private let sights: [(sight: FieldColumn.Sight, place: Int)]

  init(_ table: TypeTable, _ zone: ZoneName) {
    self.table = table
    columns = table.columns
    var place = SystemColumns.count
    sights = columns.map { column in
      defer { place += column.parts.count }
      return (column.sight, place)
    }
    view = RecordView(schema: table.schema, zone: zone)
  }

  /// Makes the view one of a row, which has the system columns and then all fields.
  func look(at row: Statement) {
    view.name = row.value(SystemColumns.name).utf8
    view.parent =
      row.isNull(SystemColumns.parent)
      ? nil : RecordName(stored: row.text(SystemColumns.parent))
    look(at: row, &view.values)
  }

  private func look(at row: Statement, _ values: inout [RecordView.Value]) {
    values.removeAll(keepingCapacity: true)
    for index in sights.indices {
      let (sight, place) = sights[index]
      let value = row.value(place)
      if value.isNull {
        values.append(.none)
        continue
      }
      switch sight {
      case .text: values.append(.text(value.utf8))
      case .int64: values.append(.value(.int64(value.int64)))
      case .double: values.append(.value(.double(value.double)))
      case .plainList:
        let text = value.utf8
        // An empty list shows no type, which whoever writes it has to know.
        values.append(text.count > 2 ? .plainList(text) : .value(.list([])))
      case .references:
        let text = value.utf8
        values.append(ListText.isOfNames(text) ? .references(text) : full(row, index, place))
      case .other: values.append(full(row, index, place))
      }
    }
  }

  private func full(_ row: Statement, _ index: Int, _ place: Int) -> RecordView.Value {
    columns[index].value(in: row, at: place).map { .value($0) } ?? .none
  }
}
