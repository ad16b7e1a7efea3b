internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// What the rows of a query hold: the record's number, the values of the order, and the record
/// with some of its fields; or of these only what a filter looks at.
struct QueryRows {
  let order: QueryOrder
  /// Whether all but the fields of the record is there, too.
  let hasSystem: Bool
  private let reader: FieldReader
  /// The fields that are given of a record; nil for all.
  private let given: [FieldName]?
  private let table: TypeTable
  /// In the order of their numbers.
  private let zones: [StoredZone]

  /// Rows of whole records, or of some fields alone where `keys` says so.
  init(_ selection: RecordSelection, _ order: QueryOrder, keys: [FieldName]?) {
    self.order = order
    table = selection.table
    zones = selection.zones.sorted { $0.number < $1.number }
    hasSystem = keys == nil
    given = selection.keys
    reader = FieldReader(table, keys: keys)
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

  /// The record of a row that has all of it, with all fields. Throws `damagedRecord` for one that
  /// is not what was written.
  func whole(in row: Statement, _ store: EnvironmentStore) throws(StoreError) -> Record {
    let zone = zone(numbered: row.int64(SystemColumns.zone))
    try requireSound(row)
    var stored = try store.stored(in: row, table, zone)
    stored.record.fields = fields(in: row)
    return stored.record
  }

  /// Throws `damagedRecord` if a row, which must hold a whole record, is not what was written.
  func requireSound(_ row: Statement) throws(StoreError) {
    guard table.isSound(row, fieldsFrom: firstField) else {
      throw .damaged(
        RecordName(stored: row.text(SystemColumns.name)),
        in: zone(numbered: row.int64(SystemColumns.zone)))
    }
  }

  /// Makes views of the rows of a zone, with the fields that are requested.
  func viewReader(inZone number: Int64) -> RecordViewReader {
    RecordViewReader(table, zone(numbered: number), keys: given, fieldsFrom: firstField)
  }

  private func zone(numbered number: Int64) -> ZoneID {
    let place = zones.firstPlace { $0.number < number }
    guard place < zones.count, zones[place].number == number else { return .defaultZone }
    return zones[place].zone.id
  }

  /// The record with the fields that are requested.
  func given(_ record: Record) -> Record {
    guard let given else { return record }
    var record = record
    record.fields.keep(given)
    return record
  }

  /// Where the next page begins after a row.
  func place(in row: Statement) -> QueryPlace {
    QueryPlace(
      values: order.terms.enumerated().map { $1.value(in: row, at: firstKey + $0) },
      number: row.int64(0))
  }
}
