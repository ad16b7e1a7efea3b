public import CloudModel
internal import FieldCodecs
internal import SQLite

/// Records of a zone that are to be deleted with all that die with them (R5.4–R5.6): those
/// whose deleteSelf references lead to one of them. Within a write transaction, one at a time.
///
/// They stand in a temporary table, which single statements work on: a deletion may take a hundred
/// thousand others with it.
public struct DoomedRecords {
  private let store: EnvironmentStore
  private let zone: StoredZone
  private var connection: Connection { store.connection }

  /// Why a record has to stay: another that stays has it as its parent (R5.9) or validates it
  /// (R5.1).
  public struct Objection {
    /// The record's number.
    public let number: Int64
    /// The record's name.
    public let target: RecordName
    /// The other record's name.
    public let source: RecordName
    /// Whether it is its child.
    public let isParent: Bool
  }

  /// Begins without a record. Throws `StoreError`.
  public init(in zone: StoredZone, of store: EnvironmentStore) throws(StoreError) {
    self.store = store
    self.zone = zone
    try store.sql { () throws(SQLiteError) in try makeTable() }
  }

  /// Finds all that dies with some records. Throws `StoreError`.
  public init(
    _ roots: [StoredRecord], in zone: StoredZone, of store: EnvironmentStore
  ) throws(StoreError) {
    try self.init(in: zone, of: store)
    for record in roots.sorted(by: { $0.number < $1.number }) { try add(record) }
    try store.sql { () throws(SQLiteError) in try addDependents() }
  }

  /// Adds a record, without what dies with it. Throws `StoreError`.
  public func add(_ record: StoredRecord) throws(StoreError) {
    try store.sql { () throws(SQLiteError) in
      let root = try connection.statement(
        "INSERT OR IGNORE INTO temp._doomed(_id, type, name) VALUES (?, ?, ?)")
      root.bind(record.number, 1)
      root.bind(record.type, 2)
      root.bind(record.record.name.text, 3)
      try root.run()
    }
  }

  /// Whether a record refers to one of these so that its deletion matters. Throws `StoreError`.
  public func areTargets() throws(StoreError) -> Bool {
    try store.sql { () throws(SQLiteError) in
      let link = try connection.statement(
        """
        SELECT 1 FROM temp._doomed d CROSS JOIN _reference l ON l.zone = ? AND l.target = d.name
        LIMIT 1
        """)
      link.bind(zone.number, 1)
      defer { link.reset() }
      return try link.step()
    }
  }

  /// All records of a type in a zone, and none beside them; nothing may refer to them from
  /// elsewhere. Throws `StoreError`.
  init(
    allOf table: TypeTable, in zone: StoredZone, of store: EnvironmentStore
  ) throws(StoreError) {
    self.store = store
    self.zone = zone
    try store.sql { () throws(SQLiteError) in
      try makeTable()
      let all = try connection.transientStatement(
        """
        INSERT INTO temp._doomed(_id, type, name)
        SELECT _id, \(table.number), _name FROM \(table.table) WHERE _zone = ? ORDER BY _id
        """)
      all.bind(zone.number, 1)
      try all.run()
    }
  }

  /// - `place`: from 1 on without gaps; targets stand before those that die with them.
  private func makeTable() throws(SQLiteError) {
    try connection.statement(
      """
      CREATE TEMP TABLE IF NOT EXISTS _doomed(place INTEGER PRIMARY KEY,
        _id INTEGER NOT NULL UNIQUE, type INTEGER NOT NULL, name TEXT NOT NULL)
        STRICT
      """
    ).run()
    try connection.statement("DELETE FROM temp._doomed").run()
  }

  private func addDependents() throws(SQLiteError) {
    var first: Int64 = 1
    while true {
      let next = try count() + 1
      let dependents = try connection.statement(
        """
        INSERT OR IGNORE INTO temp._doomed(_id, type, name)
        SELECT l.source, l.type, l.name FROM temp._doomed d
        CROSS JOIN _reference l ON l.zone = ?1 AND l.target = d.name AND l.kind = ?2
        WHERE d.place >= ?3 ORDER BY l.source
        """)
      dependents.bind(zone.number, 1)
      dependents.bind(RecordLink.Kind.deleteSelf.rawValue, 2)
      dependents.bind(first, 3)
      try dependents.run()
      guard connection.changedRows > 0 else { return }
      first = next
    }
  }

  private func count() throws(SQLiteError) -> Int64 {
    try connection.integer("SELECT max(place) FROM temp._doomed") ?? 0
  }

  private func tables() throws(SQLiteError) -> [TypeTable] {
    let types = try connection.statement("SELECT DISTINCT type FROM temp._doomed ORDER BY type")
    var numbers: [Int64] = []
    while try types.step() { numbers.append(types.int64(0)) }
    return try numbers.map { (number) throws(SQLiteError) in try store.table(of: number) }
  }

  // MARK: What speaks against it

  /// The records that have to stay, each with one reason, but for those that records of `type`
  /// need, which all go. Throws `StoreError`.
  public func objections(exceptBy type: TypeTable?) throws(StoreError) -> [Objection] {
    try store.sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT d._id, d.name, l.name, l.kind FROM temp._doomed d
        CROSS JOIN _reference l ON l.zone = ?1 AND l.target = d.name AND l.kind > ?2
        WHERE l.type <> ?3 AND NOT EXISTS (SELECT 1 FROM temp._doomed o WHERE o._id = l.source)
        ORDER BY d.place, l.kind DESC, l.source
        """)
      statement.bind(zone.number, 1)
      statement.bind(RecordLink.Kind.deleteSelf.rawValue, 2)
      statement.bind(type?.number ?? 0, 3)
      var objections: [Objection] = []
      while try statement.step() {
        if objections.last?.number == statement.int64(0) { continue }
        objections.append(
          Objection(
            number: statement.int64(0), target: RecordName(stored: statement.text(1)),
            source: RecordName(stored: statement.text(2)),
            isParent: statement.int64(3) == RecordLink.Kind.parent.rawValue))
      }
      return objections
    }
  }

  /// Whose deletion kills a record, by the records' numbers. Throws `StoreError`.
  public func killers() throws(StoreError) -> [Int64: [Int64]] {
    try store.sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT l.source, d._id FROM temp._doomed d
        CROSS JOIN _reference l ON l.zone = ?1 AND l.target = d.name AND l.kind = ?2
        """)
      statement.bind(zone.number, 1)
      statement.bind(RecordLink.Kind.deleteSelf.rawValue, 2)
      var killers: [Int64: [Int64]] = [:]
      while try statement.step() {
        killers[statement.int64(0), default: []].append(statement.int64(1))
      }
      return killers
    }
  }

  // MARK: Deletion

  /// So many records are worth a large page cache.
  private static let bulk: Int64 = 1000

  /// Deletes the records and leaves their tombstones. Throws `StoreError`.
  public func delete() throws(StoreError) {
    let count = try store.sql { () throws(SQLiteError) in try self.count() }
    if count >= Self.bulk { try store.prepareForBulk() }
    if store.listener != nil {
      for table in try store.sql({ () throws(SQLiteError) in try tables() }) {
        try store.reportDeletions(
          table, in: zone.number, where: "_id \(Self.numbers(of: table))")
      }
    }
    try store.sql { () throws(SQLiteError) in
      let tables = try tables()
      var sums = Sums()
      for table in tables { try release(table, &sums) }
      // What takes pages comes first, the most pages come last: one that is written to the log
      // twice within a transaction costs SQLite another walk through the log.
      for table in tables { try addTombstones(of: table) }
      if try deleteInnerLinks() != sums.links {
        for table in tables { try deleteOtherLinks(of: table) }
      }
      try deleteNames()
      for table in tables { try deleteRows(of: table) }
      store.changes?.note(
        deletions: Int(count), zone: zone.number, checksum: sums.checksum, bytes: sums.bytes)
    }
  }

  /// What there is of the records.
  private struct Sums {
    var checksum: UInt64 = 0
    var bytes: Int64 = 0
    var links = 0
  }

  /// Lets go of the assets of a type's records, takes them out of indexes, and sums up.
  private func release(_ table: TypeTable, _ sums: inout Sums) throws(SQLiteError) {
    try forEach(of: table) { (record, checksum, _) throws(SQLiteError) in
      sums.checksum &+= checksum
      sums.bytes += record.fields.quotaSize
      sums.links += record.links.count
      try store.changeAssets(from: record.fields, to: RecordFields(), table)
    }
    try store.removeFromIndexes(table, where: "t._id \(Self.numbers(of: table))")
  }

  /// Gives the records of a type, without their names, with their checksums and numbers.
  private func forEach(
    of table: TypeTable, _ body: (Record, UInt64, Int64) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let reader = FieldReader(table, keys: nil)
    let rows = try connection.statement(
      """
      SELECT t._id, t._checksum, t._parent\(reader.list) FROM temp._doomed d
      CROSS JOIN \(table.table) t ON t._id = d._id WHERE d.type = \(table.number) ORDER BY d._id
      """)
    defer { rows.reset() }
    var record = Record(
      name: RecordName(stored: ""), type: table.schema.name, zone: zone.zone.id)
    while try rows.step() {
      record.parent = rows.isNull(2) ? nil : RecordName(stored: rows.text(2))
      record.fields = reader.fields(in: rows, from: 3)
      try body(record, UInt64(bitPattern: rows.int64(1)), rows.int64(0))
    }
  }

  /// Deletes the links between the records, mostly all that they have; returns how many.
  private func deleteInnerLinks() throws(SQLiteError) -> Int {
    let links = try connection.statement(
      """
      DELETE FROM _reference WHERE zone = ? AND target IN (SELECT name FROM temp._doomed)
        AND source IN (SELECT _id FROM temp._doomed)
      """)
    links.bind(zone.number, 1)
    try links.run()
    return connection.changedRows
  }

  private func deleteOtherLinks(of table: TypeTable) throws(SQLiteError) {
    try forEach(of: table) { (record, _, number) throws(SQLiteError) in
      try store.changeLinks(
        of: (number, record.name), table, in: zone.number, from: record.links, to: [])
    }
  }

  private func deleteRows(of table: TypeTable) throws(SQLiteError) {
    try connection.statement(
      "DELETE FROM \(table.table) WHERE _id \(Self.numbers(of: table))"
    ).run()
  }

  private static func numbers(of table: TypeTable) -> String {
    "IN (SELECT _id FROM temp._doomed WHERE type = \(table.number))"
  }

  private func deleteNames() throws(SQLiteError) {
    let names = try connection.statement(
      "DELETE FROM _record WHERE zone = ? AND name IN (SELECT name FROM temp._doomed)")
    names.bind(zone.number, 1)
    try names.run()
  }

  private func addTombstones(of table: TypeTable) throws(SQLiteError) {
    let tombstones = try connection.statement(
      """
      INSERT INTO _tombstone(zone, name, type, sequence, share, seal)
      SELECT ?1, d.name, ?2, ?3 + d.place, t._share,
        ckdb_seal(?1, d.name, ?2, ?3 + d.place, t._share)
      FROM temp._doomed d CROSS JOIN \(table.table) t ON t._id = d._id
      WHERE d.type = \(table.number) ORDER BY d.name
      """)
    tombstones.bind(zone.number, 1)
    tombstones.bind(table.schema.name.text, 2)
    tombstones.bind(store.lastSequence, 3)
    try tombstones.run()
  }
}
