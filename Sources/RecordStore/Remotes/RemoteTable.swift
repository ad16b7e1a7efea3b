internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A database of another server, as a database of this store knows it.
public struct StoredRemote: Sendable {
  package let number: Int64
  /// The remote's address, database and user.
  public let identity: String
  let scope: Int
  let owner: Int64
  /// The token of its feed of zones; nil for the beginning.
  public var token: String?
  /// The incarnation of this store's file when it was pulled or pushed last; 0 for none, -1 after a
  /// reset.
  public var incarnation: Int64
  /// The records of the request whose answer is not known yet.
  public var sent: String?
}

extension StoredRemote: StoredRow {
  package static let table = EnvironmentTables.remote

  package init(_ row: Row) {
    number = row.number
    (identity, scope, owner) = (row["identity"], row["scope"], row["owner"])
    (token, incarnation, sent) = (row["token"], row["incarnation"], row["sent"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "identity": identity, "scope": scope, "owner": owner, "token": token,
      "incarnation": incarnation, "sent": sent,
    ]
  }
}

/// A zone of a remote database, or the records of a type in a zone without a feed.
public struct StoredRemoteZone: Sendable {
  package let number: Int64
  let remote: Int64
  /// The zone's name.
  public let name: ZoneName
  /// The type; empty for the zone itself.
  public let type: String
  /// Where the feed or the query goes on; nil for the beginning.
  public var token: String?
  /// The number of the feed or query, which increases when it starts anew.
  public var round: Int64
  /// Whether it is not at its end.
  public var isPending: Bool
}

extension StoredRemoteZone: StoredRow {
  package static let table = EnvironmentTables.remoteZone

  package init(_ row: Row) {
    number = row.number
    (remote, name, type) = (row["remote"], row["name"], row["type"])
    (token, round, isPending) = (row["token"], row["round"], row["pending"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "remote": remote, "name": name, "type": type, "token": token, "round": round,
      "pending": isPending,
    ]
  }
}

extension EnvironmentStore {
  /// Waits until no other process pulls or pushes.
  public func lockRemotes() throws(StoreError) -> WriterLock { try database.lockRemotes() }

  /// The remote with an identity, for a database of a user (nil for the public one).
  public func remote(
    _ identity: String, _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> StoredRemote? {
    try database.row(
      "WHERE identity = ? AND scope = ? AND owner = ?",
      [identity, scope.rawValue, owner?.number ?? 0])
  }

  /// Adds a remote.
  public func addRemote(
    _ identity: String, _ scope: DatabaseScope, of owner: StoredUser?
  ) throws(StoreError) -> StoredRemote {
    let owner = owner?.number ?? 0
    let number = try database.insert(
      EnvironmentTables.remote,
      [
        "identity": identity, "scope": scope.rawValue, "owner": owner, "token": nil as String?,
        "incarnation": 0, "sent": nil as String?,
      ])
    return StoredRemote(
      number: number, identity: identity, scope: scope.rawValue, owner: owner, token: nil,
      incarnation: 0, sent: nil)
  }

  /// Sets the values of a remote.
  public func update(_ remote: StoredRemote) throws(StoreError) { try database.update(remote) }

  /// Makes the next push to any remote refuse until a pull: the records were lost, not deleted.
  func distrustRemotes() throws(StoreError) {
    try database.run(
      EnvironmentTables.remote.update(["incarnation": "-1", "sent": "NULL"])
        + " WHERE incarnation <> 0")
  }

  /// The zones of a remote, and the types that were pulled from zones without a feed.
  public func zones(of remote: StoredRemote) throws(StoreError) -> [StoredRemoteZone] {
    try database.rows("WHERE remote = ? ORDER BY name, type", [remote.number])
  }

  /// The row of a zone of a remote, or of a type in it, which is added if there is none.
  public func zone(
    _ name: ZoneName, _ type: String = "", of remote: StoredRemote
  ) throws(StoreError) -> StoredRemoteZone {
    if let zone = try knownZone(name, type, of: remote) { return zone }
    let number = try database.insert(
      EnvironmentTables.remoteZone,
      [
        "remote": remote.number, "name": name, "type": type, "token": nil as String?, "round": 0,
        "pending": true,
      ])
    return StoredRemoteZone(
      number: number, remote: remote.number, name: name, type: type, token: nil, round: 0,
      isPending: true)
  }

  /// The row of a zone of a remote, or of a type in it; nil for none.
  public func knownZone(
    _ name: ZoneName, _ type: String = "", of remote: StoredRemote
  ) throws(StoreError) -> StoredRemoteZone? {
    try database.row("WHERE remote = ? AND name = ? AND type = ?", [remote.number, name, type])
  }

  /// Sets the values of a zone of a remote.
  public func update(_ zone: StoredRemoteZone) throws(StoreError) { try database.update(zone) }

  /// Forgets a zone of a remote with everything in it.
  public func remove(_ zone: StoredRemoteZone) throws(StoreError) {
    try database.delete(from: EnvironmentTables.remoteRecord, "zone = ?", [zone.number])
    try database.delete(
      from: EnvironmentTables.remoteZone, "remote = ? AND name = ?", [zone.remote, zone.name])
  }

  // MARK: Assets

  /// The contents that a remote's checksum names; nil if it is not known.
  public func asset(
    ofChecksum checksum: String, of remote: StoredRemote
  ) throws(StoreError) -> Asset? {
    let found: Asset?? = try database.first(
      """
      SELECT \(EnvironmentTables.remoteAsset.selection()) FROM _remote_asset
      WHERE remote = ? AND checksum = ?
      """, [remote.number, checksum]
    ) { (statement) throws(StoreError) in
      let row = try Row(EnvironmentTables.remoteAsset, in: statement)
      return Asset(sha256: row["hash"], size: row["size"])
    }
    return found ?? nil
  }

  /// Notes the contents that a remote's checksum names.
  public func note(
    _ asset: Asset, ofChecksum checksum: String, of remote: StoredRemote
  ) throws(StoreError) {
    try database.insert(
      EnvironmentTables.remoteAsset,
      [
        "remote": remote.number, "checksum": checksum, "hash": asset.sha256, "size": asset.size,
      ], .update)
  }
}
