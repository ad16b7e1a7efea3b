internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// Makes views of a query's rows, which must have the whole records.
final class QueryViews {
  private let rows: QueryRows
  private let store: EnvironmentStore
  private var readers = SmallMap<Int64, RecordViewReader>()
  private var last: (zone: Int64, reader: RecordViewReader)?

  init(_ rows: QueryRows, _ store: EnvironmentStore) { (self.rows, self.store) = (rows, store) }

  /// The view of a row, valid until the next one. Throws `damagedRecord` if the row does not match
  /// its checksum.
  func view(of row: Statement) throws(StoreError) -> RecordView {
    let reader = reader(of: row.int64(SystemColumns.zone))
    try rows.requireSound(row)
    reader.look(at: row)
    try reader.lookAtSystem(of: row, store.users)
    return reader.view
  }

  private func reader(of zone: Int64) -> RecordViewReader {
    if let last, last.zone == zone { return last.reader }
    let reader = readers[zone] ?? rows.viewReader(inZone: zone)
    readers[zone] = reader
    last = (zone, reader)
    return reader
  }
}
