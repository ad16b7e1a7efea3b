internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The columns of a query's rows: the record's number, the values of the order, and the record with
/// some of its fields; or only what a filter needs.
struct QueryRows {
  let order: QueryOrder
  /// Whether everything but the fields of the record is there, too.
  let hasSystem: Bool
  private let reader: FieldReader
  /// The fields that each record gets; nil for all.
  private let given: [FieldName]?
  private let table: TypeTable
  /// In the order of their numbers.
  private let zones: [StoredZone]

  /// Rows of whole records, or of some fields if there are `keys`.
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

  /// The columns, starting with `_id`.
  var list: SQLFragment {
    var list = SQLFragment(hasSystem ? SystemColumns.list : "t._id")
    for term in order.terms { list += SQLFragment(", ") + term.sql }
    list += reader.list
    return list
  }

  func fields(in row: Statement) -> RecordFields { reader.fields(in: row, from: firstField) }

  /// The record of a row with all columns. Throws `damagedRecord` if the row does not match its
  /// checksum.
  func whole(in row: Statement, _ store: EnvironmentStore) throws(StoreError) -> Record {
    let zone = zone(numbered: row.int64(SystemColumns.zone))
    try requireSound(row)
    var stored = try store.stored(in: row, table, zone)
    stored.record.fields = fields(in: row)
    return stored.record
  }

  /// The checksum of the record of a row with all columns.
  func checksum(of row: Statement) -> UInt64 {
    UInt64(bitPattern: row.int64(SystemColumns.checksum))
  }

  /// Throws `damagedRecord` if a row, which must have the whole record, does not match its
  /// checksum.
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

  /// The place at which the next page begins after a row.
  func place(in row: Statement) -> QueryPlace {
    QueryPlace(
      values: order.terms.enumerated().map { $1.value(in: row, at: firstKey + $0) },
      number: row.int64(0))
  }
}
