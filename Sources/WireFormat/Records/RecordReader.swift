internal import Basics
public import CloudModel
internal import FieldCodecs

/// Creates drafts of the records of a file: an object with a `fields` key is a record as `export`
/// writes it, any other object contains the fields themselves (M5.1).
public struct RecordReader {
  /// The schemas for reading cells.
  private let schemas: [RecordTypeSchema]
  /// The default type of records.
  private let defaultType: RecordType?
  /// The types of the last row's cells, and the type and names they depend on.
  private var cells: (type: String, names: [FieldName], types: [FieldType?])?
  /// Whether the last object had only fields: usually all objects of a file do, or none.
  private var expectsPlain = true
  /// The names in the last plain record. A record with the same names need not be checked for
  /// duplicates.
  private var knownNames: [FieldName] = []

  /// Creates a reader. Cells are read by the schema of their record's type, or of `defaultType`;
  /// without one, they are STRING (M5.3).
  public init(schemas: [RecordTypeSchema] = [], defaultType: RecordType? = nil) {
    self.schemas = schemas
    self.defaultType = defaultType
  }

  /// Creates a draft of an item of a file.
  public mutating func draft(
    of item: RecordFileReader.Item
  ) throws(RecordReadingError) -> RecordDraft {
    switch item {
    case .json(let bytes, let start): return try read(bytes, at: start)
    case .row(let row, let table):
      var fields = DraftFields(count: row.cells.count, cellTypes: cellTypes(row, table))
      return try RecordDraft(table.read(row, &fields), fields)
    case .record(let text): return try RecordDraft(text)
    case .fault(let error): throw error
    }
  }

  /// Reads one record from the bytes of one JSON value that begins at `start`.
  public mutating func read(
    _ bytes: UnsafeRawBufferPointer, at start: TextPosition
  ) throws(RecordReadingError) -> RecordDraft {
    var places = TextPlaces(bytes, start)
    if expectsPlain, let draft = plainDraft(bytes, &places, at: start) { return draft }
    var fields = DraftFields(count: 16)
    let keys = try RecordTextReader(plainForm: .fields).read(bytes, &places, &fields)
    expectsPlain = !keys.hasFields
    return try RecordDraft(keys, fields)
  }

  /// The types of a row's cells: most tables have one type.
  private mutating func cellTypes(
    _ row: SeparatedValuesReader.Row, _ table: RecordTable
  ) -> [FieldType?] {
    let type = table.typeName(in: row) ?? defaultType?.text ?? ""
    if let cells, cells.type == type, cells.names == table.fieldNames { return cells.types }
    let schema = schemas.first { $0.name.text == type }
    let types = table.fieldNames.map { schema?.field($0.text)?.type }
    cells = (type, table.fieldNames, types)
    return types
  }

  /// Reads an object that contains the fields themselves without building a tree, the usual case in
  /// imports; nil if it has a `fields` key or any fault.
  private mutating func plainDraft(
    _ bytes: UnsafeRawBufferPointer, _ places: inout TextPlaces, at start: TextPosition
  ) -> RecordDraft? {
    var draft = RecordDraft()
    draft.position = start
    draft.fields.reserveCapacity(max(knownNames.count, 16))
    var isKnown = true
    var names = NamesMet()
    let isPlain = JSONParser.eachMember(of: bytes) { member in
      let index = draft.fields.count
      if isKnown, index >= knownNames.count || knownNames[index].text != member.name {
        isKnown = false
        for field in draft.fields { _ = names.insert(field.name.text) }
      }
      let mayBeDeletion = member.name == "deleted" && member.value == .bool(true)
      guard member.name != "fields", member.name != "serverErrorCode", !mayBeDeletion,
        let reading = try? PlainJSONReader.read(member.value),
        isKnown || names.insert(member.name)
      else { return false }
      draft.fields.append(
        RecordDraft.Field(
          isKnown ? knownNames[index] : FieldName(stored: member.name), reading.value,
          type: reading.type, at: places.position(member.offset)))
      return true
    }
    guard isPlain else { return nil }
    if !isKnown { knownNames = draft.fields.map(\.name) }
    return draft
  }
}
