public import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

/// A zone's row.
public struct StoredZone: Sendable {
  /// The row's number.
  public let number: Int64
  /// The zone.
  public let zone: Zone
  /// The sequence number of its creation.
  public let made: Int64
  /// The sum of its records' checksums.
  let checksum: UInt64

  init(number: Int64, zone: Zone, made: Int64, checksum: UInt64 = 0) {
    self.number = number
    self.zone = zone
    self.made = made
    self.checksum = checksum
  }

  /// A zone of which only the row matters.
  init(unnamed number: Int64) {
    self.init(
      number: number, zone: Zone(id: .defaultZone, recordCount: 0, sequence: 0), made: 0)
  }
}

extension EnvironmentStore {
  /// The zones of a database, in name order: of a user in the private one, of nobody (nil) in the
  /// public one.
  public func zones(
    _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> [StoredZone] {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT \(Self.zoneColumns) FROM _zone NOT INDEXED
        WHERE scope = ? AND owner = ? ORDER BY name
        """)
      statement.bind(Int64(scope.rawValue), 1)
      statement.bind(owner?.number ?? 0, 2)
      var zones: [StoredZone] = []
      while try statement.step() { zones.append(try zone(in: statement)) }
      return zones
    }
  }

  /// One zone of a database, of a user in the private one; nil for none of that name. The zone has
  /// the requested identity.
  public func zone(
    _ id: ZoneID, _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> StoredZone? {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(Self.zoneOfOwner)
      statement.bind(Int64(scope.rawValue), 1)
      statement.bind(owner?.number ?? 0, 2)
      statement.bind(id.name.text, 3)
      guard try statement.step() else {
        // A writer that makes many zones has no time to look past the index for each.
        if changes == nil { try requireNoZone(id.name, scope, owner) }
        return nil
      }
      defer { statement.reset() }
      let zone = try zone(in: statement, id)
      changes?.checksums[zone.number] = zone.checksum
      return zone
    }
  }

  /// One zone of an account's private database; nil for none of that name, also when the account
  /// has never written here.
  public func zone(_ id: ZoneID, of account: Account) throws(StoreError) -> StoredZone? {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(Self.zoneOfAccount)
      statement.bind(account.name, 1)
      statement.bind(id.name.text, 2)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      return try zone(in: statement, id)
    }
  }

  /// Where the `Users` records of the public database are, or those of all private ones
  /// (R11.2.1): apart, so that no list, count or export of a default zone meets them.
  public func usersZone(isPublic: Bool) -> StoredZone {
    StoredZone(unnamed: isPublic ? Migrations.publicUsers : Migrations.privateUsers)
  }

  /// Throws `SQLiteError` where a row has the name that an index does not lead to.
  private func requireNoZone(
    _ name: ZoneName, _ scope: DatabaseScope, _ owner: StoredUser?
  ) throws(SQLiteError) {
    let statement = try connection.statement(
      "SELECT 1 FROM _zone NOT INDEXED WHERE scope = ? AND owner = ? AND name = ?")
    statement.bind(Int64(scope.rawValue), 1)
    statement.bind(owner?.number ?? 0, 2)
    statement.bind(name.text, 3)
    guard !isPatient, try statement.step() else { return }
    statement.reset()
    throw SQLiteError(code: 11, message: "an index of _zone is damaged")
  }

  private static let zoneColumns = """
    _id, name, records, sequence, made, checksum, \(RowSeal.fits("_zone"))
    """
  // Each command of a batch asks for its zone: the texts are made once.
  private static let zoneOfOwner =
    "SELECT \(zoneColumns) FROM _zone WHERE scope = ? AND owner = ? AND name = ?"
  private static let zoneOfAccount = """
    SELECT \(zoneColumns) FROM _zone
    WHERE scope = 2 AND owner = (SELECT _id FROM _user WHERE account = ?) AND name = ?
    """

  /// The zone of a row; its owner's where nobody asks for it by another identity.
  private func zone(
    in statement: Statement, _ id: ZoneID? = nil
  ) throws(SQLiteError) -> StoredZone {
    if !isPatient { try RowSeal.require(statement, 6, of: "_zone") }
    return StoredZone(
      number: statement.int64(0),
      zone: Zone(
        id: id ?? ZoneID(stored: statement.text(1)), recordCount: Int(statement.int64(2)),
        sequence: statement.int64(3)), made: statement.int64(4),
      checksum: UInt64(bitPattern: statement.int64(5)))
  }

  /// What the records of a user's zones and his own one count towards his quota, in bytes.
  public func quotaBytes(of owner: StoredUser) throws(StoreError) -> Int64 {
    let own = try record(RecordName(owner.name), in: usersZone(isPublic: false))
    return try (own?.record.fields.quotaSize ?? 0) + zoneBytes(.private, ofOwner: owner.number)
  }

  /// What the records of the public database count towards its quota, in bytes.
  public func publicBytes() throws(StoreError) -> Int64 { try zoneBytes(.public, ofOwner: 0) }

  private func zoneBytes(
    _ scope: DatabaseScope, ofOwner owner: Int64
  ) throws(StoreError) -> Int64 {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT ifnull(sum(bytes), 0) FROM _zone WHERE scope = ? AND owner = ?")
      statement.bind(Int64(scope.rawValue), 1)
      statement.bind(owner, 2)
      defer { statement.reset() }
      return try statement.step() ? statement.int64(0) : 0
    }
  }

  /// By how many bytes this transaction has changed what zones count towards a quota, without
  /// those of the `Users` records.
  public var pendingBytes: Int64 {
    changes?.zones.reduce(0) {
      $1.key > Migrations.privateUsers ? $0 + $1.value.bytes : $0
    } ?? 0
  }

  /// Keeps what a client wants to be told by the next changes of a zone.
  public func setClientToken(_ token: String, of zone: StoredZone) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        UPDATE _zone SET client = ?1, seal = ckdb_seal(scope, owner, name, made, sequence,
          records, checksum, bytes, ?1) WHERE _id = ?2
        """)
      statement.bind(token, 1)
      statement.bind(zone.number, 2)
      try statement.run()
    }
  }

  /// The last client token of a zone; nil for none.
  public func clientToken(of zone: StoredZone) throws(StoreError) -> String? {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement("SELECT client FROM _zone WHERE _id = ?")
      statement.bind(zone.number, 1)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      return statement.isNull(0) ? nil : statement.text(0)
    }
  }

  /// Adds a zone to a database.
  public func addZone(
    _ id: ZoneID, _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> StoredZone {
    try sql { () throws(SQLiteError) in
      changes?.sequence += 1
      changes?.hasZoneChanges = true
      let sequence = changes?.sequence ?? 0
      let statement = try connection.statement(
        """
        INSERT INTO _zone(scope, owner, name, made, sequence, records, checksum, bytes, seal)
        VALUES (?1, ?2, ?3, ?4, ?4, 0, 0, 0, ckdb_seal(?1, ?2, ?3, ?4, ?4, 0, 0, 0, NULL))
        """)
      statement.bind(Int64(scope.rawValue), 1)
      statement.bind(owner?.number ?? 0, 2)
      statement.bind(id.name.text, 3)
      statement.bind(sequence, 4)
      try statement.run()
      catalog.isCopyStale = true
      let number = connection.lastInsertedRow
      let tombstone = try connection.statement(
        "DELETE FROM _zone_tombstone WHERE scope = ? AND owner = ? AND name = ?")
      tombstone.bind(Int64(scope.rawValue), 1)
      tombstone.bind(owner?.number ?? 0, 2)
      tombstone.bind(id.name.text, 3)
      try tombstone.run()
      return StoredZone(
        number: number, zone: Zone(id: id, recordCount: 0, sequence: sequence),
        made: sequence)
    }
  }

  /// Deletes all zones of all databases but those of the `Users` records; each leaves a tombstone.
  /// Throws `StoreError`, and what the journal's `select` throws.
  public func deleteAllZones() throws {
    let zones = try sql { () throws(SQLiteError) in
      let statement = try connection.transientStatement(
        "SELECT \(Self.zoneColumns), scope, owner FROM _zone WHERE owner >= 0")
      var zones: [(zone: StoredZone, scope: Int64, owner: Int64)] = []
      while try statement.step() {
        zones.append((try zone(in: statement), statement.int64(7), statement.int64(8)))
      }
      return zones
    }
    for (zone, scope, owner) in zones {
      try deleteZone(zone, scope: scope, owner: owner, reason: .deleted)
    }
  }

  /// Deletes a zone with all that is in it and leaves its tombstone (R2.7).
  /// Throws `StoreError`, and what the journal's `select` throws.
  public func deleteZone(
    _ zone: StoredZone, _ scope: DatabaseScope, of owner: StoredUser?,
    reason: ZoneDeletionReason = .deleted
  ) throws {
    try deleteZone(
      zone, scope: Int64(scope.rawValue), owner: owner?.number ?? 0, reason: reason)
  }

  private func deleteZone(
    _ zone: StoredZone, scope: Int64, owner: Int64, reason: ZoneDeletionReason
  ) throws {
    if listener != nil {
      for type in try types() {
        guard let table = try table(type) else { continue }
        try reportDeletions(table, in: zone.number, where: "_zone = \(zone.number)")
      }
    }
    if journal != nil { try note(deletionOfZone: zone.number) }
    try sql { () throws(SQLiteError) in
      try removeShares(in: zone.number)
      for type in try catalog.types() {
        guard let table = try catalog.table(type) else { continue }
        try releaseAssets(of: table, in: zone)
        try removeFromIndexes(table, where: "t._zone = ?", zone.number)
        let statement = try connection.statement("DELETE FROM \(table.table) WHERE _zone = ?")
        statement.bind(zone.number, 1)
        try statement.run()
      }
      for sql in [
        "DELETE FROM _record WHERE zone = ?", "DELETE FROM _tombstone WHERE zone = ?",
        "DELETE FROM _reference WHERE zone = ?",
        "DELETE FROM _zone WHERE _id = ?",
      ] {
        let statement = try connection.statement(sql)
        statement.bind(zone.number, 1)
        try statement.run()
      }
      catalog.isCopyStale = true
      knownZones[zone.number] = nil
      changes?.zones[zone.number] = nil
      changes?.checksums[zone.number] = nil
      changes?.sequence += 1
      changes?.hasZoneChanges = true
      let tombstone = try connection.statement(
        """
        INSERT INTO _zone_tombstone(scope, owner, name, sequence, reason, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ckdb_seal(?1, ?2, ?3, ?4, ?5))
        """)
      tombstone.bind(reason.rawValue, 5)
      tombstone.bind(scope, 1)
      tombstone.bind(owner, 2)
      tombstone.bind(zone.zone.id.name.text, 3)
      tombstone.bind(changes?.sequence ?? 0, 4)
      try tombstone.run()
    }
  }
}
