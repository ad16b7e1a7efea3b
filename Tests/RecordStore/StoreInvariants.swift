internal import Basics
internal import CloudModel
internal import SQLite
internal import Testing

@testable internal import RecordStore

/// What must hold in every environment file after every commit (design.md §4), looked at from
/// outside: over a read-only connection of its own.
struct StoreInvariants {
  private let connection: Connection
  private let catalog: Catalog

  init(_ path: String) throws {
    connection = try Connection(path: path, mode: .readOnly)
    catalog = Catalog(connection)
  }

  func check() throws {
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    try checkRowPairs()
    try checkZones()
    try checkRecordChecksums()
    try checkSequences()
    let living = "SELECT count(*) FROM _tombstone t JOIN _record r USING (zone, name)"
    #expect(try connection.integer(living) == 0, "a tombstone of a living name")
  }

  /// Each record has one row in its type's table, in its zone, and each row has its record.
  private func checkRowPairs() throws {
    for type in try catalog.types() {
      let table = try #require(try catalog.table(type))
      let lonely = """
        SELECT count(*) FROM _record r LEFT JOIN \(table.table) t
        ON t._id = r._id AND t._zone = r.zone WHERE r.type = \(table.number) AND t._id IS NULL
        """
      #expect(try connection.integer(lonely) == 0, "records of \(type.text) without their row")
      let orphans = """
        SELECT count(*) FROM \(table.table) t LEFT JOIN _record r
        ON t._id = r._id AND t._zone = r.zone AND r.type = \(table.number) WHERE r._id IS NULL
        """
      #expect(try connection.integer(orphans) == 0, "rows of \(type.text) without a record")
    }
    let strangers = "SELECT count(*) FROM _record WHERE type NOT IN (SELECT _id FROM _type)"
    #expect(try connection.integer(strangers) == 0, "records of unknown types")
    let homeless = "SELECT count(*) FROM _record WHERE zone NOT IN (SELECT _id FROM _zone)"
    #expect(try connection.integer(homeless) == 0, "records in no zone")
  }

  /// A zone counts its records and the sum of their checksums.
  private func checkZones() throws {
    var sums: [Int64: (count: Int64, sum: UInt64)] = [:]
    let records = try connection.transientStatement("SELECT zone, checksum FROM _record")
    while try records.step() {
      let old = sums[records.int64(0)] ?? (0, 0)
      sums[records.int64(0)] = (old.count + 1, old.sum &+ UInt64(bitPattern: records.int64(1)))
    }
    let zones = try connection.transientStatement("SELECT _id, records, checksum FROM _zone")
    while try zones.step() {
      let sum = sums[zones.int64(0)] ?? (0, 0)
      #expect(zones.int64(1) == sum.count, "count of zone \(zones.int64(0))")
      #expect(UInt64(bitPattern: zones.int64(2)) == sum.sum, "sum of zone \(zones.int64(0))")
    }
  }

  /// Each record's checksum is that of its system fields and its values.
  private func checkRecordChecksums() throws {
    let rows = try connection.transientStatement(
      "SELECT \(RecordColumns.list) FROM _record r")
    while try rows.step() {
      let table = try #require(try catalog.table(number: rows.int64(3)))
      let system = RecordChecksum.system(
        name: RecordName(stored: rows.text(2)), type: rows.int64(3), sequence: rows.int64(4),
        created: (at: rows.int64(5), by: rows.int64(6)),
        modified: (at: rows.int64(7), by: rows.int64(8)),
        parent: rows.isNull(9) ? nil : RecordName(stored: rows.text(9)),
        share: rows.isNull(10) ? nil : RecordName(stored: rows.text(10)))
      let values = table.checksum(try fields(of: rows.int64(0), table))
      #expect(
        UInt64(bitPattern: rows.int64(11)) == system &+ values, "checksum of \(rows.text(2))")
    }
  }

  private func fields(of number: Int64, _ table: TypeTable) throws -> RecordFields {
    let reader = FieldReader(table, keys: nil)
    let columns = reader.columns.isEmpty ? "t._id" : reader.list
    let row = try connection.transientStatement(
      "SELECT \(columns) FROM \(table.table) t WHERE t._id = ?")
    row.bind(number, 1)
    guard try row.step() else { return RecordFields() }
    return reader.fields(in: row, from: 0)
  }

  /// Sequence numbers are given once, and none is behind the file's last.
  private func checkSequences() throws {
    let all = """
      SELECT sequence FROM _record UNION ALL SELECT sequence FROM _tombstone
      UNION ALL SELECT sequence FROM _zone_tombstone
      """
    let last =
      try connection.integer(
        "SELECT max(s) FROM (SELECT max(sequence) AS s FROM _zone "
          + "UNION ALL SELECT max(sequence) FROM _zone_tombstone)") ?? 0
    let twice = "SELECT count(*) - count(DISTINCT sequence) FROM (\(all))"
    #expect(try connection.integer(twice) == 0, "a sequence number given twice")
    let beyond = "SELECT count(*) FROM (\(all)) WHERE sequence > \(last)"
    #expect(try connection.integer(beyond) == 0, "a sequence number behind the last one")
  }
}
