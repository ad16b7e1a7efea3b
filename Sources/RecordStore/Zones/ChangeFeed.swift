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
  /// Passes the changes of a zone after a sequence number to `body`, oldest first, until it returns
  /// false: each record once, at its last change; deletions after a sequence number of their own.
  /// With `FeedIndexes` it takes time proportional to the changes that it passes; without them it
  /// reads all records of the zone, and verifies them unless `body` gets them all. Throws
  /// `StoreError`, and the errors of `damaged` and `body`.
  public func changes(
    in zone: StoredZone, after sequence: Int64, deletionsAfter horizon: Int64,
    damaged: DamageReporter = { throw $0 }, _ body: (StoredChange) throws -> Bool
  ) throws {
    guard zone.zone.sequence > min(sequence, horizon) else { return }
    var sources = [try ChangeCursor(deletionsOf: zone, after: horizon, in: self)]
    var sum: ZoneSum? = ZoneSum()
    for type in try types() {
      guard let table = try table(type) else { continue }
      let index = try feedIndex(of: table)
      if index != nil || sequence == 0 {
        sum = nil
      } else {
        try verify(table, in: zone, &sum, damaged)
      }
      sources.append(
        try ChangeCursor(recordsOf: table, in: zone, after: sequence, by: index, in: self))
    }
    if state.changes == nil, let error = sum?.damage(of: zone) { try damaged(error) }
    while let next = sources.indices.min(by: { sources[$0].place < sources[$1].place }),
      let change = sources[next].change
    {
      guard try body(change) else { return }
      try sources[next].advance()
    }
  }

  /// Verifies the records of a type in a zone: the sequence number of a damaged one is unknown.
  private func verify(
    _ table: TypeTable, in zone: StoredZone, _ sum: inout ZoneSum?, _ damaged: DamageReporter
  ) throws {
    let rows = try connection.query(
      """
      SELECT \(SystemColumns.list)\(FieldReader(table).list) FROM \(table.table) t NOT INDEXED
      WHERE t._zone = ?
      """)
    rows.bind(zone.number, 1)
    while try rows.next() {
      if table.isSound(rows) {
        sum?.add(UInt64(bitPattern: rows.int64(SystemColumns.checksum)))
      } else {
        sum?.hasDamage = true
        try damaged(
          .damaged(RecordName(stored: rows.text(SystemColumns.name)), in: zone.zone.id))
      }
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
