internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

// What users see of the zones of others, and what they gained and lost there.
extension EnvironmentStore {
  // MARK: Windows

  /// The zones that a user sees in the shared database, or those of a name, in the byte order of
  /// their owners and names, each with the sequence number since which he sees it.
  public func sharedZones(
    of user: UserRecordName, named name: ZoneName? = nil
  ) throws(StoreError) -> [(zone: StoredZone, since: Int64)] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT z._id, z.name, z.records, z.sequence, z.made, z.checksum, w.owner, w.since,
          \(RowSeal.fits("_window", "w")) AND \(RowSeal.fits("_zone", "z"))
        FROM _window w JOIN _zone z ON z._id = w.zone
        WHERE w.user = ?1 AND w.until IS NULL AND w.name = ifnull(?2, w.name)
        ORDER BY w.owner, w.name
        """)
      row.bind(user.text, 1)
      row.bind(optional: name?.text, 2)
      var zones: [(StoredZone, Int64)] = []
      while try row.step() {
        try RowSeal.require(row, 8, of: "_window")
        let owner = ZoneOwner.user(UserRecordName(stored: row.text(6)))
        let id = ZoneID(ZoneName(stored: row.text(1)), owner: owner)
        let zone = Zone(id: id, recordCount: Int(row.int64(2)), sequence: row.int64(3))
        zones.append(
          (
            StoredZone(
              number: row.int64(0), zone: zone, made: row.int64(4),
              checksum: UInt64(bitPattern: row.int64(5))), row.int64(7)
          ))
      }
      return zones
    }
  }

  /// The zones that a user saw in the shared database until after a sequence number, oldest first.
  public func lostZones(
    of user: UserRecordName, after sequence: Int64
  ) throws(StoreError) -> [DeletedZone] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT owner, name, until, \(RowSeal.fits("_window")) FROM _window
        WHERE user = ? AND until > ? ORDER BY until
        """)
      row.bind(user.text, 1)
      row.bind(sequence, 2)
      var zones: [DeletedZone] = []
      while try row.step() {
        try RowSeal.require(row, 3, of: "_window")
        let owner = ZoneOwner.user(UserRecordName(stored: row.text(0)))
        zones.append(
          DeletedZone(
            id: ZoneID(ZoneName(stored: row.text(1)), owner: owner), sequence: row.int64(2),
            reason: .deleted))
      }
      return zones
    }
  }

  /// Lets a user see what he has accepted: opens the window on a share's zone, or reports the
  /// records of the share as gained where he sees the zone already.
  public func show(_ share: StoredShare, to user: UserRecordName) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let place = try place(ofZone: share.zone)
      guard try !hasWindow(user.text, on: place) else {
        return try note(
          try covered(by: share.number, in: share.zone), in: share.zone, to: [user.text],
          isGained: true)
      }
      let sequence = changes?.next(zone: share.zone) ?? 0
      let row = try connection.statement(
        """
        INSERT OR REPLACE INTO _window(user, owner, name, zone, since, until, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, NULL, ckdb_seal(?1, ?2, ?3, ?4, ?5, NULL))
        """)
      row.bind(user.text, 1)
      row.bind(place.owner.name.text, 2)
      row.bind(place.zone.zone.id.name.text, 3)
      row.bind(share.zone, 4)
      row.bind(sequence, 5)
      try row.run()
    }
  }

  /// Ends what a user saw by a share that he has no more: closes the window on its zone, or reports
  /// the share's records as lost where he sees others there.
  public func hide(_ share: StoredShare, from user: UserRecordName) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      if try hasOther(than: share, user) {
        try note(
          try covered(by: share.number, in: share.zone), in: share.zone, to: [user.text],
          isGained: false)
      } else {
        try closeWindows(on: share.zone, of: user.text)
      }
    }
  }

  /// Whether a user has accepted another share of the same zone.
  private func hasOther(
    than share: StoredShare, _ user: UserRecordName
  ) throws(SQLiteError) -> Bool {
    let row = try connection.statement(
      """
      SELECT 1 FROM _participant p JOIN _share s ON s._id = p.share
      WHERE p.user = ? AND p.status = \(AcceptanceStatus.accepted.rawValue) AND s.zone = ?
        AND s._id <> ? LIMIT 1
      """)
    row.bind(user.text, 1)
    row.bind(share.zone, 2)
    row.bind(share.number, 3)
    defer { row.reset() }
    return try row.step()
  }

  private func hasWindow(_ user: String, on place: ZonePlace) throws(SQLiteError) -> Bool {
    let row = try connection.statement(
      "SELECT 1 FROM _window WHERE user = ? AND owner = ? AND name = ? AND until IS NULL")
    row.bind(user, 1)
    row.bind(place.owner.name.text, 2)
    row.bind(place.zone.zone.id.name.text, 3)
    defer { row.reset() }
    return try row.step()
  }

  /// Closes the windows on a zone, of one user or of all.
  private func closeWindows(on zone: Int64, of user: String? = nil) throws(SQLiteError) {
    let sequence = changes?.next(zone: zone) ?? 0
    let row = try connection.statement(
      """
      UPDATE _window SET until = ?1, seal = ckdb_seal(user, owner, name, zone, since, ?1)
      WHERE zone = ?2 AND until IS NULL AND user = ifnull(?3, user)
      """)
    row.bind(sequence, 1)
    row.bind(zone, 2)
    row.bind(optional: user, 3)
    try row.run()
    let log = try connection.statement(
      "DELETE FROM _visibility WHERE zone = ?1 AND user = ifnull(?2, user)")
    log.bind(zone, 1)
    log.bind(optional: user, 2)
    try log.run()
  }

  /// Forgets the shares of a zone that is about to go.
  func removeShares(in zone: Int64) throws(SQLiteError) {
    guard try hasShares(zone) else { return }
    try closeWindows(on: zone)
    for sql in [
      "DELETE FROM _participant WHERE share IN (SELECT _id FROM _share WHERE zone = ?)",
      "DELETE FROM _cover WHERE share IN (SELECT _id FROM _share WHERE zone = ?)",
      "DELETE FROM _share WHERE zone = ?",
    ] {
      let row = try connection.statement(sql)
      row.bind(zone, 1)
      try row.run()
    }
    changes?.areShared[zone] = nil
  }

  /// Whether a zone has shares of any kind.
  func hasShares(_ zone: Int64) throws(SQLiteError) -> Bool {
    let row = try connection.statement("SELECT 1 FROM _share WHERE zone = ? LIMIT 1")
    row.bind(zone, 1)
    defer { row.reset() }
    return try row.step()
  }

  // MARK: Records

  /// Forgets which shares cover records that are about to be deleted, and reports the loss to
  /// those who saw them.
  func uncover(_ records: [TreeRecord], in zone: Int64) throws(SQLiteError) {
    let covers = try records.map { (record) throws(SQLiteError) in
      try cover(of: record, in: zone)
    }
    for (record, share) in zip(records, covers) {
      guard let share else { continue }
      try noteVisibility(of: [record], in: zone, from: share, to: nil)
      try setCover(nil, of: record)
    }
  }

  /// Ends a share, whose record is about to be deleted: nobody sees its records by it any more.
  func end(_ share: StoredShare) throws(StoreError) {
    for participant in try participants(of: share) where participant.status == .accepted {
      if let user = participant.user { try hide(share, from: UserRecordName(stored: user)) }
    }
    try sql { () throws(SQLiteError) in
      for sql in [
        "DELETE FROM _participant WHERE share = ?", "DELETE FROM _cover WHERE share = ?",
        "DELETE FROM _share WHERE _id = ?",
      ] {
        let row = try connection.statement(sql)
        row.bind(share.number, 1)
        try row.run()
      }
      changes?.areShared[share.zone] = nil
    }
    let zone = StoredZone(unnamed: share.zone)
    if let root = share.root, let stored = try record(root, in: zone) {
      try setShare(nil, of: stored)
    }
  }

  /// Reports to those who see one share and not another that they lost records, or gained them.
  /// The feed has a record that changed itself among those gained without that.
  func noteVisibility(
    of records: [TreeRecord], in zone: Int64, from old: Int64?, to new: Int64?,
    changed: Int64? = nil
  ) throws(SQLiteError) {
    let gained = new == nil ? [] : records.filter { $0.number != changed }
    if old == nil, gained.isEmpty { return }
    let (before, after) = (try members(of: old), try members(of: new))
    try note(records, in: zone, to: before.filter { !after.contains($0) }, isGained: false)
    try note(gained, in: zone, to: after.filter { !before.contains($0) }, isGained: true)
  }

  private func note(
    _ records: [TreeRecord], in zone: Int64, to users: [String], isGained: Bool
  ) throws(SQLiteError) {
    if users.isEmpty { return }
    let row = try connection.statement(
      """
      INSERT OR REPLACE INTO _visibility(user, zone, name, type, sequence, gained, seal)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ckdb_seal(?1, ?2, ?3, ?4, ?5, ?6))
      """)
    row.bind(zone, 2)
    row.bind(Int64(isGained ? 1 : 0), 6)
    for record in records {
      row.bind(record.name.text, 3)
      row.bind(try table(of: record.type).schema.name.text, 4)
      row.bind(changes?.next(zone: zone) ?? 0, 5)
      for user in users {
        row.bind(user, 1)
        try row.run()
      }
    }
  }

  /// The users who have accepted a share, and see what it covers.
  private func members(of share: Int64?) throws(SQLiteError) -> [String] {
    guard let share else { return [] }
    let row = try connection.statement(
      """
      SELECT user FROM _participant
      WHERE share = ? AND status = \(AcceptanceStatus.accepted.rawValue) AND user IS NOT NULL
      """)
    row.bind(share, 1)
    var users: [String] = []
    while try row.step() { users.append(row.text(0)) }
    return users
  }
}
