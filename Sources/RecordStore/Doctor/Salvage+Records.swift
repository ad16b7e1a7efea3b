internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import SQLite
internal import StoreFiles

// Copies the records, and reports the names whose records are missing.
extension Salvage {
  /// Makes a type's table and copies its records.
  func copyRecords(of table: TypeTable) throws(StoreError) {
    if table.schema.name == .users { try new.connection.perform("DROP TABLE \(table.table)") }
    try new.connection.perform(Catalog.creation(of: table))
    let reader = FieldReader(table, keys: nil)
    let isRead = try walk.rows(
      of: table.location, SystemColumns.list + reader.list, names: Self.names(of: table)
    ) {
      (row) throws(StoreError) in
      let stored = try stored(in: row, table, reader)
      guard let reason = try keep(stored, table, row, reader) else { return }
      lose(stored.record, in: stored.zone, reason)
    }
    if !isRead { unread.append(table) }
  }

  /// The columns of a type's table, quoted.
  static func names(of table: TypeTable) -> [String] {
    SystemColumns.names.map(\.quotedIdentifier) + table.columns.flatMap(\.parts).map(\.name)
  }

  /// The record of a row.
  func stored(
    in row: Statement, _ table: TypeTable, _ reader: FieldReader
  ) throws(StoreError) -> StoredRecord {
    var stored = try new.stored(in: row, table, zones[row.int64(1)]?.id ?? .defaultZone)
    stored.record.fields = reader.fields(in: row, from: SystemColumns.count)
    return stored
  }

  /// Keeps a record; returns why it cannot be kept, or nil.
  func keep(
    _ stored: StoredRecord, _ table: TypeTable, _ row: Statement, _ reader: FieldReader
  ) throws(StoreError) -> String? {
    let record = stored.record
    guard table.isSound(row) else { return "it does not match its checksum" }
    guard zones[stored.zone] != nil else { return "its zone is missing" }
    guard let number = try number(of: stored) else { return "its number is damaged" }
    let name = try new.tables.insert()
    name.bind(stored.zone, 1)
    name.bind(record.name.text, 2)
    name.bind(table.number, 3)
    name.bind(number, 4)
    try name.perform()
    guard new.connection.changedRows == 1 else { return "another record has its name" }
    try insert(row, number, into: table, reader)
    numbers.insert(number)
    try new.changeLinks(
      of: (number, record.name), table, in: stored.zone, from: [], to: record.links)
    try new.changeAssets(from: RecordFields(), to: record.fields, table)
    count(stored)
    return nil
  }

  /// Inserts the row of a record. Its checksum covers the bytes of values, but not whether SQLite
  /// reads them as text or blob, which depends on a single bit.
  private func insert(
    _ row: Statement, _ number: Int64, into table: TypeTable, _ reader: FieldReader
  ) throws(StoreError) {
    let parts = reader.columns.flatMap(\.parts)
    let columns = SystemColumns.names + parts.map(\.name)
    let types =
      SystemColumns.names.map { SystemColumns.texts.contains($0) ? "TEXT" : "" }
      + parts.map(\.type)
    let marks = types.map { ["TEXT", "BLOB"].contains($0) ? "CAST(? AS \($0))" : "?" }
    let insertion = try new.connection.prepared(
      "INSERT INTO \(table.table)(\(columns.joined(separator: ", "))) "
        + "VALUES (\(marks.joined(separator: ", ")))")
    insertion.bind(number, 1)
    for index in columns.indices.dropFirst() { insertion.bind(index, of: row, index + 1) }
    try insertion.perform()
  }

  /// The number of a record's row, which its checksum does not cover: the number that the row or
  /// its name has, if it is plausible; nil otherwise.
  private func number(of stored: StoredRecord) throws(StoreError) -> Int64? {
    func isFree(_ number: Int64) -> Bool {
      number > 0 && number <= stored.sequence && !numbers.contains(number)
    }
    if isFree(stored.number) { return stored.number }
    guard let place = try oldPlace(of: stored), isFree(place.number) else { return nil }
    return place.number
  }

  /// Where the damaged database has the record of a name; nil if it has none or is damaged there.
  func oldPlace(of stored: StoredRecord) throws(StoreError) -> (type: Int64, number: Int64)? {
    let place = try walk.readable { () throws(StoreError) -> (Int64, Int64)? in
      let name = try old.connection.prepared(
        "SELECT type, _id FROM _record WHERE zone = ? AND name = ?")
      name.bind(stored.zone, 1)
      name.bind(stored.record.name.text, 2)
      defer { name.reset() }
      return try name.next() ? (name.int64(0), name.int64(1)) : nil
    }
    return place ?? nil
  }

  private func count(_ stored: StoredRecord) {
    last = max(last, stored.sequence)
    authors.formUnion([stored.creator, stored.modifier])
    guard var zone = zones[stored.zone] else { return }
    zone.found.add(stored)
    zone.lastFound = max(zone.lastFound, stored.sequence)
    zones[stored.zone] = zone
  }

  /// Reports the names whose records could not be read.
  func listLostNames() throws(StoreError) {
    try forgetFoundRecords()
    var known = Set(losses.map { "\($0.zone)/\($0.record.record.name.text)" })
    for loss in losses { zones[loss.zone]?.isMissed = true }
    let isThere = try new.connection.query(
      "SELECT 1 FROM _record WHERE zone = ? AND name = ?")
    let isRead = try walk.rows(keyed: "_record", "zone, name, type") {
      (row) throws(StoreError) in
      isThere.bind(0, of: row, 1)
      isThere.bind(1, of: row, 2)
      defer { isThere.reset() }
      if try isThere.next() { return }
      let zone = zones[row.int64(0)]?.id ?? .defaultZone
      guard known.insert("\(row.int64(0))/\(row.text(1))").inserted else { return }
      let type = try new.catalog.table(number: row.int64(2))?.schema.name
      lose(
        Record(
          name: RecordName(stored: row.text(1)), type: type ?? RecordType(stored: ""), zone: zone),
        in: row.int64(0), "it could not be read")
      zones[row.int64(0)]?.isMissed = true
    }
    if !isRead, losses.isEmpty {
      lose(.lostRecord, "_record", "not all names could be read: records may be missing")
    }
  }
}
