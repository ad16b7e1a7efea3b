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
  /// The stored sums over its records of each type (`TypeExtents`); nil if its row was not read.
  let types: String?

  init(number: Int64, zone: Zone, made: Int64) {
    (self.number, self.zone, self.made) = (number, zone, made)
    (checksum, types) = (0, nil)
  }

  /// The zone of a row; its owner's if no other identity is requested.
  init(_ row: Row, _ id: ZoneID? = nil) {
    number = row.number
    zone = Zone(
      id: id ?? ZoneID(row["name"] as ZoneName), recordCount: row["records"],
      sequence: row["sequence"])
    (made, checksum, types) = (row["made"], row["checksum"], row["types"])
  }

  /// A zone known only by its row number.
  init(unnamed number: Int64) {
    self.init(
      number: number, zone: Zone(id: .defaultZone, recordCount: 0, sequence: 0), made: 0)
  }
}

extension EnvironmentStore {
  /// The zones of a database by name: of a user in the private one; `owner` is nil in the public
  /// one. The first list reads the table, because a damaged index can hide zones. Later lists, such
  /// as one for each of many accounts, use the index if it has all rows.
  public func zones(
    _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> [StoredZone] {
    let usesIndex = database.mayTrust(index: Self.zoneIndex, of: "_zone")
    return try database.all(
      """
      SELECT \(Self.selection) FROM _zone \(usesIndex ? "" : "NOT INDEXED")
      WHERE scope = ? AND owner = ? ORDER BY name
      """, [scope.rawValue, owner?.number ?? 0]
    ) { (row) throws(StoreError) in try zone(in: row) }
  }

  private static let zoneIndex = "sqlite_autoindex__zone_1"

  /// The zone of this name in a database, in the private one that of a user; nil if it does not
  /// exist. The zone gets the requested identity.
  public func zone(
    _ id: ZoneID, _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> StoredZone? {
    let statement = try connection.prepared(Self.zoneOfOwner)
    statement.bind(Int64(scope.rawValue), 1)
    statement.bind(owner?.number ?? 0, 2)
    statement.bind(id.name.text, 3)
    guard try statement.next() else {
      // A writer that makes many zones has no time to search past the index for each.
      if state.changes == nil { try requireNoZone(id.name, scope, owner) }
      return nil
    }
    defer { statement.reset() }
    let zone = try zone(in: statement, id)
    state.changes?.sums[zone.number] = .init(checksum: zone.checksum, types: zone.types ?? "")
    return zone
  }

  /// A zone of an account's private database; nil if there is none, or if the account has never
  /// written here.
  public func zone(_ id: ZoneID, of account: Account) throws(StoreError) -> StoredZone? {
    let statement = try connection.prepared(Self.zoneOfAccount)
    statement.bind(account.name, 1)
    statement.bind(id.name.text, 2)
    guard try statement.next() else { return nil }
    defer { statement.reset() }
    return try zone(in: statement, id)
  }

  /// The zone of the `Users` records of the public database, or of all private ones (R11.2.1). They
  /// are separate, so that no list, count or export of a default zone includes them.
  public func usersZone(isPublic: Bool) -> StoredZone {
    StoredZone(unnamed: isPublic ? Migrations.publicUsers : Migrations.privateUsers)
  }

  /// Throws `corrupt` if a row has the name although an index does not lead to it.
  private func requireNoZone(
    _ name: ZoneName, _ scope: DatabaseScope, _ owner: StoredUser?
  ) throws(StoreError) {
    if database.mayTrust(index: Self.zoneIndex, of: "_zone") { return }
    let isThere = try database.hasRow(
      "SELECT 1 FROM _zone NOT INDEXED WHERE scope = ? AND owner = ? AND name = ?",
      [scope.rawValue, owner?.number ?? 0, name])
    if isThere, !allowsDamage { throw connection.damage("an index of _zone is damaged") }
  }

  private static let selection = EnvironmentTables.zone.selection()
  // Each command of a batch asks for its zone: the texts are made once.
  private static let zoneOfOwner =
    "SELECT \(selection) FROM _zone WHERE scope = ? AND owner = ? AND name = ?"
  private static let zoneOfAccount = """
    SELECT \(selection) FROM _zone
    WHERE scope = 2 AND owner = (SELECT _id FROM _user WHERE account = ?) AND name = ?
    """

  /// The zone of a row; its owner's if no other identity is requested.
  private func zone(
    in statement: Statement, _ id: ZoneID? = nil
  ) throws(StoreError) -> StoredZone {
    let row =
      allowsDamage
      ? Row(damaged: EnvironmentTables.zone, in: statement)
      : try Row(EnvironmentTables.zone, in: statement)
    return StoredZone(row, id)
  }

  /// The bytes of a user's zones and own `Users` record that count towards the user's quota.
  public func quotaBytes(of owner: StoredUser) throws(StoreError) -> Int64 {
    let own = try record(RecordName(owner.name), in: usersZone(isPublic: false))
    return try (own?.record.fields.quotaSize ?? 0) + zoneBytes(.private, ofOwner: owner.number)
  }

  /// The bytes of the public database that count towards its quota.
  public func publicBytes() throws(StoreError) -> Int64 { try zoneBytes(.public, ofOwner: 0) }

  private func zoneBytes(
    _ scope: DatabaseScope, ofOwner owner: Int64
  ) throws(StoreError) -> Int64 {
    try database.value(
      "SELECT ifnull(sum(bytes), 0) FROM _zone WHERE scope = ? AND owner = ?",
      [scope.rawValue, owner]) ?? 0
  }

  /// By how many bytes this transaction has changed what counts towards a quota, without the
  /// `Users` records.
  public var pendingBytes: Int64 {
    state.changes?.zones.reduce(0) {
      $1.key > Migrations.privateUsers ? $0 + $1.value.bytes : $0
    } ?? 0
  }

  /// Stores the token that a client wants with the next changes of a zone.
  public func setClientToken(_ token: String, of zone: StoredZone) throws(StoreError) {
    try database.run(
      EnvironmentTables.zone.update(["client": "?1"]) + " WHERE _id = ?2", [token, zone.number])
  }

  /// The last client token of a zone; nil for none.
  public func clientToken(of zone: StoredZone) throws(StoreError) -> String? {
    let token: String?? = try database.value(
      "SELECT client FROM _zone WHERE _id = ?", [zone.number])
    return token ?? nil
  }

  /// Adds a zone to a database.
  public func addZone(
    _ id: ZoneID, _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> StoredZone {
    state.changes?.sequence += 1
    state.changes?.hasZoneChanges = true
    let sequence = state.changes?.sequence ?? 0
    let owner = owner?.number ?? 0
    let number = try database.insert(
      EnvironmentTables.zone,
      [
        "scope": scope.rawValue, "owner": owner, "name": id.name, "made": sequence,
        "sequence": sequence, "records": 0, "checksum": 0, "bytes": 0, "client": nil as String?,
        "types": "",
      ])
    database.catalogCopy.add()
    try database.delete(
      from: EnvironmentTables.zoneTombstone, "scope = ? AND owner = ? AND name = ?",
      [scope.rawValue, owner, id.name])
    return StoredZone(
      number: number, zone: Zone(id: id, recordCount: 0, sequence: sequence), made: sequence)
  }

  /// Deletes all zones of all databases except those of the `Users` records; each leaves a
  /// tombstone. Throws `StoreError`, and the errors of the journal's `select`.
  public func deleteAllZones() throws {
    let zones = try database.all("SELECT \(Self.selection) FROM _zone WHERE owner >= 0") {
      (statement) throws(StoreError) -> (zone: StoredZone, scope: Int64, owner: Int64) in
      let row = try Row(EnvironmentTables.zone, in: statement)
      return (StoredZone(row), row["scope"], row["owner"])
    }
    for (zone, scope, owner) in zones {
      try deleteZone(zone, scope: scope, owner: owner, reason: .deleted)
    }
    try distrustRemotes()
  }

  /// Deletes a zone with its contents, and leaves its tombstone (R2.7). Throws `StoreError`, and
  /// the errors of the journal's `select`.
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
    if state.journal != nil { try note(deletionOfZone: zone.number) }
    try removeShares(in: zone.number)
    for type in try catalog.types() {
      guard let table = try catalog.table(type) else { continue }
      try releaseAssets(of: table, in: zone)
      try removeFromIndexes(table, where: "t._zone = ?", zone.number)
      try database.run("DELETE FROM \(table.table) WHERE _zone = ?", [zone.number])
    }
    for sql in [
      "DELETE FROM _record WHERE zone = ?", "DELETE FROM _tombstone WHERE zone = ?",
      "DELETE FROM _reference WHERE zone = ?", "DELETE FROM _zone WHERE _id = ?",
    ] {
      try database.run(sql, [zone.number])
    }
    database.catalogCopy.change()
    knownZones[zone.number] = nil
    state.changes?.zones[zone.number] = nil
    state.changes?.sums[zone.number] = nil
    state.changes?.sequence += 1
    state.changes?.hasZoneChanges = true
    try database.insert(
      EnvironmentTables.zoneTombstone,
      [
        "scope": scope, "owner": owner, "name": zone.zone.id.name,
        "sequence": state.changes?.sequence ?? 0, "reason": reason.rawValue,
      ])
  }
}
