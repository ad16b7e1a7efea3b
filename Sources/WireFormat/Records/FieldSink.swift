internal import Basics
internal import CloudModel
internal import FieldCodecs

/// Receives the fields of a record as they are read: an import types them at once, a fixture keeps
/// them as written.
protocol FieldSink {
  /// Takes a value.
  mutating func take(_ name: FieldName, _ value: JSONValue, at position: TextPosition)
  /// Takes the cell of a column; nil for an empty one. Columns of fields count from 0.
  mutating func take(
    cell: String?, _ name: FieldName, column: Int, at position: TextPosition)
}

/// Fields as written.
struct TextFields: FieldSink {
  var fields: [FieldText] = []

  init() { fields.reserveCapacity(16) }

  mutating func take(_ name: FieldName, _ value: JSONValue, at position: TextPosition) {
    fields.append(FieldText(name, value, at: position))
  }

  mutating func take(
    cell: String?, _ name: FieldName, column: Int, at position: TextPosition
  ) {
    guard let cell else { return }
    fields.append(FieldText(name, .string(cell), isCell: true, at: position))
  }
}

/// Fields with typed values.
struct DraftFields: FieldSink {
  var fields: [RecordDraft.Field] = []
  /// The fault of the first unreadable value.
  var fault: RecordReadingError?
  /// The types of cells, one per field column.
  let cellTypes: [FieldType?]

  /// Reserves memory for a number of fields.
  init(count: Int, cellTypes: [FieldType?] = []) {
    self.cellTypes = cellTypes
    fields.reserveCapacity(count)
  }

  mutating func take(_ name: FieldName, _ value: JSONValue, at position: TextPosition) {
    do throws(ValueReadingError) {
      let reading = try PlainJSONReader.read(value)
      fields.append(RecordDraft.Field(name, reading.value, type: reading.type, at: position))
    } catch {
      note(error, name, at: position)
    }
  }

  mutating func take(
    cell: String?, _ name: FieldName, column: Int, at position: TextPosition
  ) {
    do throws(ValueReadingError) {
      var value: FieldValue?
      if let cell { value = try TextCell.value(of: cell, as: cellTypes[column]) }
      fields.append(RecordDraft.Field(name, value, at: position))
    } catch {
      note(error, name, at: position)
    }
  }

  private mutating func note(
    _ error: ValueReadingError, _ name: FieldName, at position: TextPosition
  ) {
    guard fault == nil else { return }
    fault = RecordReadingError("\(name.text): \(error.message)", at: position)
  }
}
