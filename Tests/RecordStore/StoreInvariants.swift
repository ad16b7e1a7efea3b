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
    try checkReferences()
    try checkAssetsAndBytes()
    try checkKeptIndexes()
    let living = "SELECT count(*) FROM _tombstone t JOIN _record r USING (zone, name)"
    #expect(try connection.integer(living) == 0, "a tombstone of a living name")
  }

  /// Each record has one row in its type's table, in its zone, and each row has its record.
  private func checkRowPairs() throws {
    for type in try catalog.types() {
      let table = try #require(try catalog.table(type))
      let lonely = """
        SELECT count(*) FROM _record r LEFT JOIN \(table.table) t
        ON t._id = r._id AND t._zone = r.zone AND t._name = r.name
        WHERE r.type = \(table.number) AND t._id IS NULL
        """
      #expect(try connection.integer(lonely) == 0, "records of \(type.text) without their row")
      let orphans = """
        SELECT count(*) FROM \(table.table) t LEFT JOIN _record r
        ON t._id = r._id AND t._zone = r.zone AND t._name = r.name AND r.type = \(table.number)
        WHERE r._id IS NULL
        """
      #expect(try connection.integer(orphans) == 0, "rows of \(type.text) without a record")
    }
    let strangers = "SELECT count(*) FROM _record WHERE type NOT IN (SELECT _id FROM _type)"
    #expect(try connection.integer(strangers) == 0, "records of unknown types")
    let homeless = "SELECT count(*) FROM _record WHERE zone NOT IN (SELECT _id FROM _zone)"
    #expect(try connection.integer(homeless) == 0, "records in no zone")
  }

  /// An index that writers keep has what one that is made now would have.
  private func checkKeptIndexes() throws {
    for type in try catalog.types() {
      let table = try #require(try catalog.table(type))
      for index in try catalog.keptIndexes(of: table) {
        let wanted = try entries(index.contents(of: table), of: index)
        let found: Set<String>
        if case .words = index.kind {
          let name = index.name.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
          try connection.execute(
            """
            DROP TABLE IF EXISTS temp.words;
            CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, '\(name)', 'instance')
            """)
          found = try entries("SELECT term, doc FROM temp.words", of: index)
        } else {
          found = try entries("SELECT value, _id FROM \(index.identifier)", of: index)
        }
        #expect(found == wanted, "\(index.name)")
      }
    }
  }

  /// The words or values of rows, each with the record's number.
  private func entries(_ sql: String, of index: PhysicalIndex) throws -> Set<String> {
    let rows = try connection.transientStatement(sql)
    var entries: Set<String> = []
    while try rows.step() {
      let value = rows.text(0)
      let parts = if case .words = index.kind { value.split(separator: " ") } else { [value[...]] }
      for part in parts { entries.insert("\(part) \(rows.int64(1))") }
    }
    return entries
  }

  /// The types' tables, one behind the other, by some of the columns that all of them have.
  private func allRows(_ columns: String) throws -> String {
    let tables = try catalog.types().compactMap { try catalog.table($0)?.table }
    let rows = tables.map { "SELECT \(columns) FROM \($0)" }
    // A store without types has no rows.
    return
      ([
        "SELECT \(columns) FROM (SELECT 0 AS _id, 0 AS _zone, 0 AS _sequence, 0 AS _checksum) "
          + "WHERE 0"
      ]
      + rows).joined(separator: " UNION ALL ")
  }

  /// A zone counts its records and the sum of their checksums.
  private func checkZones() throws {
    var sums: [Int64: (count: Int64, sum: UInt64)] = [:]
    let records = try connection.transientStatement(try allRows("_zone, _checksum"))
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
    for type in try catalog.types() {
      let table = try #require(try catalog.table(type))
      let reader = FieldReader(table, keys: nil)
      let rows = try connection.transientStatement(
        """
        SELECT \(SystemColumns.list)\(reader.list) FROM \(table.table) t
        """)
      while try rows.step() {
        let name = rows.text(SystemColumns.count - 1)
        let system = RecordChecksum.system(
          name: RecordName(stored: name), type: table.number, sequence: rows.int64(2),
          created: (at: rows.int64(3), by: rows.int64(4)),
          modified: (at: rows.int64(5), by: rows.int64(6)),
          parent: rows.isNull(7) ? nil : RecordName(stored: rows.text(7)),
          share: rows.isNull(8) ? nil : RecordName(stored: rows.text(8)))
        let values = table.checksum(reader.fields(in: rows, from: SystemColumns.count))
        #expect(UInt64(bitPattern: rows.int64(9)) == system &+ values, "checksum of \(name)")
      }
    }
  }

  /// Sequence numbers are given once, and none is behind the file's last.
  private func checkSequences() throws {
    let all = """
      \(try allRows("_sequence AS sequence")) UNION ALL SELECT sequence FROM _tombstone
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
    let numbers = "SELECT count(*) - count(DISTINCT _id) FROM (\(try allRows("_id"))"
    #expect(try connection.integer("\(numbers))") == 0, "a record's number given twice")
    let late = "SELECT count(*) FROM (\(try allRows("_id, _sequence"))) WHERE _id > _sequence"
    #expect(try connection.integer(late) == 0, "a record older than its creation")
  }

  /// The uses of contents and the bytes of the zones are those of the records.
  private func checkAssetsAndBytes() throws {
    var uses: [String: Int64] = [:]
    var bytes: [Int64: Int64] = [:]
    for type in try catalog.types() {
      let table = try #require(try catalog.table(type))
      let reader = FieldReader(table, keys: nil)
      let rows = try connection.transientStatement(
        "SELECT t._zone\(reader.list) FROM \(table.table) t")
      while try rows.step() {
        let fields = reader.fields(in: rows, from: 1)
        bytes[rows.int64(0), default: 0] += fields.quotaSize
        for asset in fields.assets { uses[asset.sha256, default: 0] += 1 }
      }
    }
    let assets = try connection.transientStatement("SELECT hash, uses FROM _asset")
    var found: [String: Int64] = [:]
    while try assets.step() { found[assets.text(0)] = assets.int64(1) }
    #expect(found == uses, "uses of contents")
    let zones = try connection.transientStatement("SELECT _id, bytes FROM _zone")
    while try zones.step() {
      #expect(zones.int64(1) == bytes[zones.int64(0)] ?? 0, "bytes of zone \(zones.int64(0))")
    }
  }

  /// The links that are kept are those of the records.
  private func checkReferences() throws {
    var expected: Set<String> = []
    for type in try catalog.types() {
      let table = try #require(try catalog.table(type))
      let reader = FieldReader(table, keys: nil)
      let rows = try connection.transientStatement(
        "SELECT t._id, t._zone, t._parent, t._name\(reader.list) FROM \(table.table) t")
      while try rows.step() {
        var record = Record(name: RecordName(stored: "r"), type: type, zone: .defaultZone)
        if !rows.isNull(2) { record.parent = RecordName(stored: rows.text(2)) }
        record.fields = reader.fields(in: rows, from: 4)
        for link in record.links {
          expected.insert(
            "\(rows.int64(1)) \(link.target.text) \(link.kind.rawValue) \(rows.int64(0)) "
              + "\(table.number) \(rows.text(3))")
        }
      }
    }
    let rows = try connection.transientStatement(
      """
      SELECT zone || ' ' || target || ' ' || kind || ' ' || source || ' ' || type || ' ' || name
      FROM _reference
      """)
    var found: Set<String> = []
    while try rows.step() { found.insert(rows.text(0)) }
    #expect(found == expected, "links of the records")
  }
}
