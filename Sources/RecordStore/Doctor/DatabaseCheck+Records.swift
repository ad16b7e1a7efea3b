internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import SQLite
internal import StoreFiles

/// A set of rows as their count and the sum of their hashes: two different sets agree in both once
/// in 2^64 times.
struct RowSum: Equatable {
  private(set) var count = 0
  private var sum: UInt64 = 0

  mutating func add(_ row: Checksum64) {
    count += 1
    sum &+= row.finish()
  }
}

// Checks every record, and what is derived from the records: names, links, uses, counts.
extension DatabaseCheck {
  /// What the records say about derived rows.
  struct Tally {
    var names = RowSum()
    var links = RowSum()
    var zones: [Int64: ZoneTally] = [:]
    /// The rows of the authors of records.
    var authors: Set<Int64> = []
    /// The number of uses of contents, by their hashes.
    var uses: [String: Int64] = [:]
    /// The sequence numbers found so far.
    var sequences = NumberSet()
    var numbers = NumberSet()
    /// The last number of the file.
    var last: Int64 = 0
  }

  struct ZoneTally {
    var all = Extent()
    var types = TypeExtents()
    var bytes: Int64 = 0

    mutating func add(_ stored: StoredRecord) {
      let record = Extent(count: 1, checksum: stored.checksum)
      all += record
      types[stored.type] += record
      bytes += stored.record.fields.quotaSize
    }
  }

  func checkRecords() {
    var tally = Tally()
    attempt("_zone") { () throws(StoreError) in
      tally.last = try store.storedSequence()
    }
    let total = try? connection.number("SELECT total(records) FROM _zone")
    meter?.begin("read records", total: total ?? nil)
    var types: [TypeTable] = []
    attempt("_type") { () throws(StoreError) in
      for type in try store.catalog.types() {
        if let table = try store.catalog.table(type) { types.append(table) }
      }
    }
    for table in types {
      attempt(table.location) { () throws(StoreError) in try read(table, &tally) }
    }
    attempt("_tombstone") { () throws(StoreError) in try checkTombstones(&tally) }
    attempt("_zone") { () throws(StoreError) in try checkZones(tally, types) }
    attempt("_author") { () throws(StoreError) in try checkAuthors(tally) }
    attempt("_record") { () throws(StoreError) in try checkNames(tally, types) }
    attempt("_reference") { () throws(StoreError) in try checkLinks(tally) }
    attempt("_asset") { () throws(StoreError) in try checkUses(tally) }
    attempt("_share") { () throws(StoreError) in try checkSharing() }
    attempt("_subscription") { () throws(StoreError) in try checkSubscriptions() }
    for table in types {
      attempt(table.location) { () throws(StoreError) in try checkIndexes(of: table) }
    }
  }

  // MARK: Records

  /// Reads all records of a type.
  private func read(_ table: TypeTable, _ tally: inout Tally) throws(StoreError) {
    let reader = FieldReader(table, keys: nil)
    let rows = try connection.query(
      "SELECT \(SystemColumns.list)\(reader.list) FROM \(table.table) t")
    var previous: Int64 = 0
    while try rows.next() {
      guard rows.int64(0) > previous else {
        add(.page, table.location, "its records are out of order")
        break
      }
      previous = rows.int64(0)
      recordCount += 1
      meter?.advance()
      var stored = try store.stored(in: rows, table, .defaultZone)
      stored.record.fields = reader.fields(in: rows, from: SystemColumns.count)
      let checksum =
        stored.systemChecksum(sequence: stored.sequence)
        &+ table.checksum(stored.record.fields)
      if checksum != stored.checksum {
        add(.record, name(of: stored), "this \(table.schema.name.text) does not match its checksum")
      }
      note(stored, &tally)
    }
  }

  /// Adds what a record says about derived rows.
  private func note(_ stored: StoredRecord, _ tally: inout Tally) {
    let record = stored.record
    tally.names.add(
      Checksum64(
        numbers: stored.zone, stored.type, stored.number, texts: record.name.text))
    for link in record.links {
      tally.links.add(
        Checksum64(
          numbers: stored.zone, link.kind.rawValue, stored.number, stored.type,
          texts: link.target.text, record.name.text))
    }
    tally.authors.formUnion([stored.creator, stored.modifier])
    for asset in record.fields.assets { tally.uses[asset.sha256, default: 0] += 1 }
    tally.zones[stored.zone, default: ZoneTally()].add(stored)
    take(stored.sequence, &tally.sequences, tally.last, name(of: stored))
    take(stored.number, &tally.numbers, stored.sequence, name(of: stored))
  }

  /// A number is given once, and none is greater than the last one.
  private func take(
    _ number: Int64, _ taken: inout NumberSet, _ last: Int64, _ subject: @autoclosure () -> String
  ) {
    guard number > 0, number <= last else {
      return add(.sequence, subject(), "its number \(number) is greater than the last one, \(last)")
    }
    if taken.contains(number) { add(.sequence, subject(), "its number \(number) is used twice") }
    taken.insert(number)
  }

  private func name(of stored: StoredRecord) -> String {
    name(stored.record.name.text, zone: stored.zone)
  }

  func name(_ record: String, zone: Int64) -> String {
    "\((zoneNames[zone] ?? "zone \(zone)").visible)/\(record.visible)"
  }

  // MARK: Derived rows

  private func checkTombstones(_ tally: inout Tally) throws(StoreError) {
    for table in ["_tombstone", "_zone_tombstone"] {
      let rows = try connection.query("SELECT sequence, name FROM \(table)")
      while try rows.next() {
        take(rows.int64(0), &tally.sequences, tally.last, rows.text(1).visible)
      }
    }
    let living = try connection.query(
      "SELECT t.zone, t.name FROM _tombstone t JOIN _record r USING (zone, name)")
    while try living.next() {
      let subject = name(living.text(1), zone: living.int64(0))
      add(.tombstone, subject, "it is both deleted and present")
    }
  }

  private func checkZones(_ tally: Tally, _ types: [TypeTable]) throws(StoreError) {
    let rows = try connection.query(
      "SELECT _id, records, checksum, bytes, types FROM _zone")
    var known: Set<Int64> = []
    while try rows.next() {
      let found = tally.zones[rows.int64(0)] ?? ZoneTally()
      known.insert(rows.int64(0))
      let subject = (zoneNames[rows.int64(0)] ?? "").visible
      if rows.int64(1) != found.all.count {
        add(
          .zone, subject,
          "it counts \(rows.int64(1).counted("record")) but has \(found.all.count)")
      } else if UInt64(bitPattern: rows.int64(2)) != found.all.checksum {
        add(.zone, subject, "its checksum does not match its records")
      } else {
        check(TypeExtents(stored: rows.text(4)), found.types, subject, types)
      }
      if rows.int64(3) != found.bytes {
        add(.bytes, subject, "it counts \(rows.int64(3)) bytes but has \(found.bytes)")
      }
    }
    for (zone, found) in tally.zones where !known.contains(zone) {
      let count = found.all.count.counted("record")
      add(.zone, "zone \(zone)", "it is missing, but has \(count)")
    }
  }

  /// Compares the sums over the records of each type in a zone.
  private func check(
    _ stored: TypeExtents, _ found: TypeExtents, _ zone: String, _ types: [TypeTable]
  ) {
    for type in Set((stored.list + found.list).map(\.type)).sorted() {
      let (one, other) = (stored[type], found[type])
      if one.count == other.count, (one.checksum ^ other.checksum) & TypeExtents.storedBits == 0 {
        continue
      }
      let name = types.first { $0.number == type }?.schema.name.text ?? "type \(type)"
      let counts = one.count == other.count ? "" : ": \(one.count) were saved, \(other.count) found"
      add(.zone, zone, "its records of type '\(name)' do not match their checksum\(counts)")
    }
  }

  private func checkAuthors(_ tally: Tally) throws(StoreError) {
    let rows = try connection.query("SELECT _id FROM _author")
    var missing = tally.authors
    while try rows.next() { missing.remove(rows.int64(0)) }
    for author in missing.sorted() {
      add(.row, "_author", "the row \(author) is missing, but records refer to it")
    }
  }

  private func checkNames(_ tally: Tally, _ types: [TypeTable]) throws(StoreError) {
    var names = RowSum()
    let rows = try connection.query("SELECT zone, name, type, _id FROM _record")
    while try rows.next() {
      names.add(
        Checksum64(
          numbers: rows.int64(0), rows.int64(2), rows.int64(3), texts: rows.text(1)))
    }
    guard names != tally.names else { return }
    for table in types {
      let row = "t._id = r._id AND t._zone = r.zone AND t._name = r.name"
      try report(
        .lostRecord, "the record is missing",
        """
        SELECT r.zone, r.name FROM _record r WHERE r.type = \(table.number)
        AND NOT EXISTS (SELECT 1 FROM \(table.table) t WHERE \(row))
        """)
      try report(
        .name, "its name does not refer to it",
        """
        SELECT t._zone, t._name FROM \(table.table) t WHERE NOT EXISTS (SELECT 1 FROM _record r
        WHERE \(row) AND r.type = \(table.number))
        """)
    }
    try report(
      .lostRecord, "its type is unknown",
      "SELECT zone, name FROM _record WHERE type NOT IN (SELECT _id FROM _type)")
  }

  /// Reports each row of a query for a zone and a name.
  private func report(
    _ code: StoreFinding.Code, _ detail: String, _ query: String
  ) throws(StoreError) {
    let rows = try connection.query(query)
    while try rows.next() { add(code, name(rows.text(1), zone: rows.int64(0)), detail) }
  }

  private func checkLinks(_ tally: Tally) throws(StoreError) {
    var links = RowSum()
    let rows = try connection.query(
      "SELECT zone, target, kind, source, type, name FROM _reference")
    while try rows.next() {
      links.add(
        Checksum64(
          numbers: rows.int64(0), rows.int64(2), rows.int64(3), rows.int64(4),
          texts: rows.text(1), rows.text(5)))
    }
    if links != tally.links {
      add(.links, "_reference", "the stored links do not match the records")
    }
  }

  private func checkUses(_ tally: Tally) throws(StoreError) {
    var uses: [String: Int64] = [:]
    let rows = try connection.query("SELECT hash, uses FROM _asset")
    while try rows.next() { uses[rows.text(0)] = rows.int64(1) }
    // Contents that a reader held when their last use was dropped remain with no use.
    uses = uses.filter { $0.value != 0 }
    if uses != tally.uses { add(.uses, "_asset", "the usage counts do not match the records") }
  }
}

extension Checksum64 {
  fileprivate init(numbers: Int64..., texts: String...) {
    self.init(seed: 3)
    for number in numbers { add(UInt64(bitPattern: number)) }
    for text in texts { add(text) }
  }
}
