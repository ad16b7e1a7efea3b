public import CloudModel
internal import SQLite
public import StoreFiles

/// A change of one record of a zone, or its deletion.
public struct StoredChange: Sendable {
  /// The sequence number of the change.
  public let sequence: Int64
  /// The sequence number of the record's version; older than the change if a user only gained the
  /// record.
  public let version: Int64
  /// What changed.
  public let subject: Subject

  init(sequence: Int64, version: Int64? = nil, subject: Subject) {
    (self.sequence, self.subject) = (sequence, subject)
    self.version = version ?? sequence
  }

  /// What changed.
  public enum Subject: Sendable {
    /// The record with a number, and the number of its type.
    case record(Int64, type: Int64)
    /// A deleted record.
    case deletion(RecordName, RecordType)
  }
}

/// A deleted zone.
public struct DeletedZone: Sendable {
  /// Which zone it was.
  public let id: ZoneID
  /// The sequence number of its deletion.
  public let sequence: Int64
  /// Why.
  public let reason: ZoneDeletionReason
}

extension EnvironmentStore {
  /// The changes of a zone after a sequence number, oldest first, up to a limit: each record once,
  /// at its last change; deletions after a sequence number of their own. With `FeedIndexes` it
  /// takes time proportional to the changes that it returns; without them it reads and verifies all
  /// records of the zone. Throws `StoreError`, and the errors of `damaged`.
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
    if state.changes == nil, let error = sum?.damage(of: zone) { try damaged(error) }
    found += try deletions(in: zone, after: horizon, limit: limit)
    found.sort { $0.sequence < $1.sequence }
    return found.count > limit ? Array(found[..<limit]) : found
  }

  private func changedRecords(
    of table: TypeTable, in zone: StoredZone, by index: PhysicalIndex, after sequence: Int64,
    limit: Int
  ) throws(StoreError) -> [StoredChange] {
    let changes = try database.all(
      """
      SELECT _sequence, _id FROM \(table.table) INDEXED BY \(index.identifier)
      WHERE _zone = ? AND _sequence > ? ORDER BY _sequence LIMIT ?
      """, [zone.number, sequence, limit]
    ) { StoredChange(sequence: $0.int64(0), subject: .record($0.int64(1), type: table.number)) }
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
    let rows = try connection.query(
      """
      SELECT \(SystemColumns.list)\(FieldReader(table).list) FROM \(table.table) t NOT INDEXED
      WHERE t._zone = ?
      """)
    rows.bind(zone.number, 1)
    var changes: [StoredChange] = []
    while try rows.next() {
      let number = rows.int64(SystemColumns.sequence)
      guard table.isSound(rows) else {
        // It is unknown to which page it belongs.
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
    try database.all(
      """
      SELECT \(EnvironmentTables.tombstone.selection()) FROM _tombstone
      WHERE zone = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, [zone.number, sequence, limit]
    ) { (statement) throws(StoreError) in
      let row = try Row(EnvironmentTables.tombstone, in: statement)
      return StoredChange(
        sequence: row["sequence"], subject: .deletion(row["name"], row["type"]))
    }
  }

  /// The zones of a database that were deleted after a sequence number, oldest first.
  public func deletedZones(
    _ scope: DatabaseScope, of owner: StoredUser?, after sequence: Int64
  ) throws(StoreError) -> [DeletedZone] {
    try database.all(
      """
      SELECT \(EnvironmentTables.zoneTombstone.selection()) FROM _zone_tombstone
      WHERE scope = ? AND owner = ? AND sequence > ? ORDER BY sequence
      """, [scope.rawValue, owner?.number ?? 0, sequence]
    ) { (statement) throws(StoreError) in
      let row = try Row(EnvironmentTables.zoneTombstone, in: statement)
      return DeletedZone(
        id: ZoneID(row["name"] as ZoneName), sequence: row["sequence"],
        reason: ZoneDeletionReason(rawValue: row["reason"]) ?? .deleted)
    }
  }

  /// The sequence number up to which deletions are forgotten.
  public func forgottenSequence() throws(StoreError) -> Int64 {
    let forgotten: Int64? = try database.first(
      "SELECT \(EnvironmentTables.state.selection()) FROM _state"
    ) { (row) throws(StoreError) in try Row(EnvironmentTables.state, in: row)["forgotten"] }
    return forgotten ?? 0
  }

  /// Forgets all deletions: older tokens expire (R9.7).
  public func forgetDeletions() throws(StoreError) {
    try connection.perform(
      """
      DELETE FROM _tombstone; DELETE FROM _zone_tombstone; DELETE FROM _visibility;
      DELETE FROM _window WHERE until IS NOT NULL
      """)
    try database.run(
      EnvironmentTables.state.update(["forgotten": "?1"]), [state.changes?.sequence ?? 0])
  }

  /// Returns the space of deleted things to the file system.
  public func vacuum() throws(StoreError) {
    try requireWholePages()
    do throws(StoreError) {
      try exclusively { () throws(StoreError) in
        try onSQLite { () throws(SQLiteError) in try connection.vacuum() }
        try connection.emptyLog()
        // The roots of the tables have moved.
        file.writeCatalogCopy(of: connection)
      }
    } catch {
      try requireWholePages()
      throw error
    }
  }
}
