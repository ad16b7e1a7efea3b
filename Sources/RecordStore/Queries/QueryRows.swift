internal import CloudModel
internal import SQLite

/// What the rows of a query hold: the record's number, the values of the order, and the record
/// with some of its fields; or of these only what a filter looks at.
struct QueryRows {
  let order: QueryOrder
  /// Whether all but the fields of the record is there, too.
  let hasSystem: Bool
  private let reader: FieldReader
  private let table: TypeTable
  private let zones: [Int64: ZoneName]

  /// Rows of whole records, or of some fields alone where `keys` says so. A filter that looks at
  /// whole records has to have all their fields.
  init(
    _ selection: RecordSelection, _ order: QueryOrder, keys: [FieldName]?, isFiltered: Bool
  ) {
    self.order = order
    table = selection.table
    zones = Dictionary(uniqueKeysWithValues: selection.zones.map { ($0.number, $0.zone.name) })
    hasSystem = keys == nil
    reader = FieldReader(table, keys: keys ?? (isFiltered ? nil : selection.keys))
  }

  var firstKey: Int { hasSystem ? SystemColumns.count : 1 }
  private var firstField: Int { firstKey + order.terms.count }

  /// The columns, from `_id` on.
  var list: SQLFragment {
    var list = SQLFragment(hasSystem ? SystemColumns.list : "t._id")
    for term in order.terms { list += SQLFragment(", ") + term.sql }
    list += reader.list
    return list
  }

  func fields(in row: Statement) -> RecordFields { reader.fields(in: row, from: firstField) }

  /// The record of a row that has all of it.
  func record(in row: Statement, _ store: EnvironmentStore) throws(SQLiteError) -> Record {
    var stored = try store.stored(
      in: row, table, zones[row.int64(1)] ?? .defaultZone)
    stored.record.fields = fields(in: row)
    return stored.record
  }

  /// Where the next page begins behind a row.
  func place(in row: Statement) -> QueryPlace {
    QueryPlace(
      values: order.terms.enumerated().map { $1.value(in: row, at: firstKey + $0) },
      number: row.int64(0))
  }
}
