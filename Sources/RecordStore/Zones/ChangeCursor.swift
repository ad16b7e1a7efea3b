internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The changed records of a type in a zone, or the deletions, in order of their changes.
struct ChangeCursor {
  /// The current change; nil at the end.
  private(set) var change: StoredChange?

  private let rows: Statement
  private let read: (Statement) throws(StoreError) -> StoredChange
  /// The index that gives the order; nil if SQLite sorts.
  private let index: String?

  /// The sequence number of the current change; the largest number at the end.
  var place: Int64 { change?.sequence ?? .max }

  /// The records of a type that changed after a sequence number, by the index of the feed or else
  /// sorted.
  init(
    recordsOf table: TypeTable, in zone: StoredZone, after sequence: Int64,
    by index: PhysicalIndex?, in store: EnvironmentStore
  ) throws(StoreError) {
    rows = try store.connection.query(
      """
      SELECT _sequence, _id FROM \(table.table)
      \(index.map { "INDEXED BY \($0.identifier)" } ?? "NOT INDEXED")
      WHERE _zone = ? AND _sequence > ? ORDER BY _sequence
      """)
    rows.bind(zone.number, 1)
    // A full read includes records whose sequence number damage has made negative.
    rows.bind(sequence == 0 ? .min : sequence, 2)
    let type = table.number
    read = { StoredChange(sequence: $0.int64(0), subject: .record($0.int64(1), type: type)) }
    self.index = index.map { "\(store.file.databasePath): the index \($0.name)" }
    try advance()
  }

  /// The deletions after a sequence number.
  init(
    deletionsOf zone: StoredZone, after sequence: Int64, in store: EnvironmentStore
  ) throws(StoreError) {
    rows = try store.connection.query(
      """
      SELECT \(EnvironmentTables.tombstone.selection()) FROM _tombstone
      WHERE zone = ? AND sequence > ? ORDER BY sequence
      """)
    rows.bind(zone.number, 1)
    rows.bind(sequence, 2)
    read = { (statement) throws(StoreError) in
      let row = try Row(EnvironmentTables.tombstone, in: statement)
      return StoredChange(
        sequence: row["sequence"], subject: .deletion(row["name"], row["type"]))
    }
    index = nil
    try advance()
  }

  mutating func advance() throws(StoreError) {
    let last = change?.sequence ?? .min
    change = try rows.next() ? read(rows) : nil
    if let index, place <= last { throw StoreError(.corrupt, "\(index) is out of order") }
  }
}
