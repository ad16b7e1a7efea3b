public import Basics
public import CloudModel
internal import FieldCodecs

/// Reads the rows of a csv or tsv file as records: the header names the fields, `recordName` is
/// the name, and a cell is read by the type of its field as far as the schema knows it; other
/// cells are STRING (M5.3).
public struct CellRecordReader {
  private let columns: [Column]
  /// The types of the columns' fields, by record type.
  private let fieldTypes: [String: [FieldType?]]
  private let defaultType: String?

  private enum Column {
    case name
    case type
    case zone
    case parent
    case field(FieldName)
  }

  /// Takes a header, the known types, and the type of records that name none. Throws
  /// `RecordReadingError` for a name that stands twice.
  public init(
    header: [String], schemas: [RecordTypeSchema], defaultType: RecordType?
  ) throws(RecordReadingError) {
    var met: Set<String> = []
    for title in header where !met.insert(title).inserted {
      throw RecordReadingError(
        "the column '\(title.visible)' stands twice", at: TextPosition(line: 1, column: 1),
        isSyntax: true)
    }
    columns = header.map { title in
      switch title {
      case "recordName": .name
      case "recordType": .type
      case "zone": .zone
      case "parent": .parent
      default: .field(FieldName(stored: title))
      }
    }
    fieldTypes = Dictionary(
      schemas.map { schema in (schema.name.text, header.map { schema.field($0)?.type }) },
      uniquingKeysWith: { first, _ in first })
    self.defaultType = defaultType?.text
  }

  /// Reads a row. Throws `RecordReadingError`.
  public func read(
    _ cells: [SeparatedValuesReader.Cell], line: Int
  ) throws(RecordReadingError) -> RecordDraft {
    guard cells.count <= columns.count else {
      throw RecordReadingError(
        "the row has \(cells.count) cells, the header \(columns.count)",
        at: TextPosition(line: line, column: cells[columns.count].column))
    }
    var draft = RecordDraft()
    draft.position = TextPosition(line: line, column: 1)
    var fault: RecordReadingError?
    let types = fieldTypes[typeName(cells) ?? ""]
    for (index, (column, cell)) in zip(columns, cells).enumerated() {
      switch column {
      case .name: draft.name = cell.text
      case .type: draft.type = cell.text
      case .zone: draft.zone = cell.text
      case .parent: draft.parent = cell.text
      case .field(let name):
        let type = types?[index]
        let position = TextPosition(line: line, column: cell.column)
        do throws(RecordReadingError) {
          let value = try cell.text.map { (text) throws(RecordReadingError) in
            try Self.value(text, name, type, position)
          }
          draft.fields.append(RecordDraft.Field(name, value, at: position))
        } catch {
          fault = fault ?? error
        }
      }
    }
    if let fault { throw fault.naming(draft) }
    return draft
  }

  private func typeName(_ cells: [SeparatedValuesReader.Cell]) -> String? {
    for (column, cell) in zip(columns, cells) {
      if case .type = column, let text = cell.text { return text }
    }
    return defaultType
  }

  /// The value of a cell whose field's type is known, or not. Throws `RecordReadingError`.
  static func value(
    _ text: String, _ name: FieldName, _ type: FieldType?, _ position: TextPosition
  ) throws(RecordReadingError) -> FieldValue {
    guard let type else { return .string(text) }
    // Lists, places and references stand in cells as the JSON that export writes; a record's
    // name may look like JSON, too, but hardly like a reference.
    let readsJSONFirst = type.isList || [.reference, .location, .asset].contains(type.base)
    let json = { try? JSONParser.parse(text) }
    if readsJSONFirst, let value = json().flatMap({ try? PlainJSONReader.value($0, as: type) }) {
      return value
    }
    if !type.isList, type.base != .asset, let value = FieldValue(text: text, as: type.base) {
      return value
    }
    // true and false are numbers (M5).
    if let value = json().flatMap({ try? PlainJSONReader.value($0, as: type) }) { return value }
    throw RecordReadingError(
      "\(name.text): expected \(type.schemaName), found '\(text.truncated(toColumns: 40))'",
      at: position)
  }
}
