public import CloudModel
internal import SQLite
public import StoreFiles

/// A change of one record of a zone, or its deletion.
public struct StoredChange: Sendable {
  /// The sequence number of the change.
  public let sequence: Int64
  /// The sequence number of the record's version: an older one where somebody only gained it.
  public let version: Int64
  /// What changed.
  public let subject: Subject

  init(sequence: Int64, version: Int64? = nil, subject: Subject) {
    (self.sequence, self.subject) = (sequence, subject)
    self.version = version ?? sequence
  }

  /// What changed.
  public enum Subject: Sendable {
    /// The record of a number, and the number of its type.
    case record(Int64, type: Int64)
    /// A deleted record.
    case deletion(RecordName, RecordType)
  }
}

/// A zone that is no more.
public struct DeletedZone: Sendable {
  /// Which zone it was.
  public let id: ZoneID
  /// The sequence number of its deletion.
  public let sequence: Int64
  /// Why.
  public let reason: ZoneDeletionReason
}

extension EnvironmentStore {
  /// What changed in a zone after a sequence number, oldest first, at most so many: each record
  /// once, at its last change; deletions after a sequence number of their own. It takes as long
  /// as there are changes to give where the zone has its `FeedIndexes`; without them all of its
  /// records are read, and verified. Throws `StoreError`, and what `damaged` throws.
  public func changes(
    in zone: StoredZone, after sequence: Int64, deletionsAfter horizon: Int64, limit: Int,
    damaged: DamageReporter = { throw $0 }
  ) throws -> [StoredChange] {
    guard zone.zone.sequence > min(sequence, horizon) else { return [] }
    var found: [StoredChange] = []
    var sum: ZoneSum? = ZoneSum()
    for type in try types() {
      guard let table = try table(type) else { continue }
      if let index = try feedIndex(of: table) {
        found += try changedRecords(of: table, in: zone, by: index, after: sequence, limit: limit)
        sum = nil
      } else {
        found += try changedRecords(of: table, in: zone, after: sequence, &sum, damaged)
      }
    }
    if changes == nil, let error = sum?.damage(of: zone) { try damaged(error) }
    found += try deletions(in: zone, after: horizon, limit: limit)
    found.sort { $0.sequence < $1.sequence }
    return found.count > limit ? Array(found[..<limit]) : found
  }

  private func changedRecords(
    of table: TypeTable, in zone: StoredZone, by index: PhysicalIndex, after sequence: Int64,
    limit: Int
  ) throws(StoreError) -> [StoredChange] {
    let changes = try changes(
      """
      SELECT _sequence, _id FROM \(table.table) INDEXED BY \(index.identifier)
      WHERE _zone = ? AND _sequence > ? ORDER BY _sequence LIMIT ?
      """, in: zone, after: sequence, limit: limit
    ) { .record($0.int64(1), type: table.number) }
    for (one, next) in zip(changes, changes.dropFirst()) where one.sequence >= next.sequence {
      throw StoreError(
        .corrupt, "\(file.databasePath): the index \(index.name) is out of order")
    }
    return changes
  }

  private func changedRecords(
    of table: TypeTable, in zone: StoredZone, after sequence: Int64, _ sum: inout ZoneSum?,
    _ damaged: DamageReporter
  ) throws -> [StoredChange] {
    let rows = try sql { () throws(SQLiteError) in
      try connection.transientStatement(
        """
        SELECT \(SystemColumns.list)\(FieldReader(table).list) FROM \(table.table) t NOT INDEXED
        WHERE t._zone = ?
        """)
    }
    rows.bind(zone.number, 1)
    var changes: [StoredChange] = []
    while try sql({ () throws(SQLiteError) in try rows.step() }) {
      let number = rows.int64(SystemColumns.sequence)
      guard table.isSound(rows) else {
        // Nobody knows on which page it belongs.
        sum?.hasDamage = true
        try damaged(
          .damaged(RecordName(stored: rows.text(SystemColumns.name)), in: zone.zone.id))
        continue
      }
      sum?.add(UInt64(bitPattern: rows.int64(SystemColumns.checksum)))
      guard number > sequence else { continue }
      changes.append(
        StoredChange(sequence: number, subject: .record(rows.int64(0), type: table.number)))
    }
    return changes
  }

  private func deletions(
    in zone: StoredZone, after sequence: Int64, limit: Int
  ) throws(StoreError) -> [StoredChange] {
    try changes(
      """
      SELECT sequence, name, type, \(RowSeal.fits("_tombstone")) FROM _tombstone
      WHERE zone = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, in: zone, after: sequence, limit: limit
    ) { (row) throws(SQLiteError) in
      try RowSeal.require(row, 3, of: "_tombstone")
      return .deletion(RecordName(stored: row.text(1)), RecordType(stored: row.text(2)))
    }
  }

  /// The rows of a query for changes, which begin with the sequence number.
  private func changes(
    _ query: String, in zone: StoredZone, after sequence: Int64, limit: Int,
    _ subject: (Statement) throws(SQLiteError) -> StoredChange.Subject
  ) throws(StoreError) -> [StoredChange] {
    try sql { () throws(SQLiteError) in
      let statement = try connection.transientStatement(query)
      statement.bind(zone.number, 1)
      statement.bind(sequence, 2)
      statement.bind(Int64(limit), 3)
      var changes: [StoredChange] = []
      while try statement.step() {
        changes.append(
          StoredChange(sequence: statement.int64(0), subject: try subject(statement)))
      }
      return changes
    }
  }

  /// The zones of a database that were deleted after a sequence number, oldest first.
  public func deletedZones(
    _ scope: DatabaseScope, of owner: StoredUser?, after sequence: Int64
  ) throws(StoreError) -> [DeletedZone] {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT name, sequence, reason, \(RowSeal.fits("_zone_tombstone")) FROM _zone_tombstone
        WHERE scope = ? AND owner = ? AND sequence > ? ORDER BY sequence
        """)
      statement.bind(Int64(scope.rawValue), 1)
      statement.bind(owner?.number ?? 0, 2)
      statement.bind(sequence, 3)
      var zones: [DeletedZone] = []
      while try statement.step() {
        try RowSeal.require(statement, 3, of: "_zone_tombstone")
        zones.append(
          DeletedZone(
            id: ZoneID(stored: statement.text(0)), sequence: statement.int64(1),
            reason: ZoneDeletionReason(rawValue: statement.int64(2)) ?? .deleted))
      }
      return zones
    }
  }

  /// The sequence number up to which deletions are forgotten.
  public func forgottenSequence() throws(StoreError) -> Int64 {
    try sql { () throws(SQLiteError) in
      let state = try connection.statement(
        "SELECT forgotten, \(RowSeal.fits("_state")) FROM _state")
      guard try state.step() else { return 0 }
      defer { state.reset() }
      try RowSeal.require(state, 1, of: "_state")
      return state.int64(0)
    }
  }

  /// Forgets all deletions: tokens of before are worth nothing then (R9.7).
  public func forgetDeletions() throws(StoreError) {
    try sql { () throws(SQLiteError) in
      try connection.execute(
        """
        DELETE FROM _tombstone; DELETE FROM _zone_tombstone; DELETE FROM _visibility;
        DELETE FROM _window WHERE until IS NOT NULL
        """)
      let statement = try connection.statement(
        "UPDATE _state SET forgotten = ?1, seal = ckdb_seal(catalog, ?1)")
      statement.bind(changes?.sequence ?? 0, 1)
      try statement.run()
    }
  }

  /// Gives the room that deleted things had back to the file system.
  public func vacuum() throws(StoreError) {
    try requireWholePages()
    do throws(StoreError) {
      try exclusively { () throws(SQLiteError) in
        try connection.vacuum()
        _ = try connection.checkpoint(.truncate)
        // The roots of the tables have moved.
        file.writeCatalogCopy(of: connection)
      }
    } catch {
      try requireWholePages()
      throw error
    }
  }
}
