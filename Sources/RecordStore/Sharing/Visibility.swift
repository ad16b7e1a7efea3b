internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

// What users see of the zones of others, and what they gained and lost there.
extension EnvironmentStore {
  // MARK: Windows

  /// The zones that a user sees in the shared database, or those with a name, in the byte order of
  /// their owners and names, each with the sequence number since which the user sees it.
  public func sharedZones(
    of user: UserRecordName, named name: ZoneName? = nil
  ) throws(StoreError) -> [(zone: StoredZone, since: Int64)] {
    try database.all(
      """
      SELECT \(EnvironmentTables.window.selection("w")), \(EnvironmentTables.zone.selection("z"))
      FROM _window w JOIN _zone z ON z._id = w.zone
      WHERE w.user = ?1 AND w.until IS NULL AND w.name = ifnull(?2, w.name)
      ORDER BY w.owner, w.name
      """, [user, name]
    ) { (statement) throws(StoreError) in
      let window = try Row(EnvironmentTables.window, in: statement)
      let zone = try Row(
        EnvironmentTables.zone, in: statement, from: EnvironmentTables.window.width)
      let id = ZoneID(zone["name"], owner: .user(window["owner"]))
      return (StoredZone(zone, id), window["since"])
    }
  }

  /// The zones that a user saw in the shared database until after a sequence number, oldest first.
  public func lostZones(
    of user: UserRecordName, after sequence: Int64
  ) throws(StoreError) -> [DeletedZone] {
    let windows: [Window] = try database.rows(
      "WHERE user = ? AND until > ? ORDER BY until", [user, sequence])
    return windows.map {
      DeletedZone(
        id: ZoneID($0.name, owner: .user($0.owner)), sequence: $0.until ?? 0, reason: .deleted)
    }
  }

  /// Makes an accepted share visible: opens the window on its zone, or, if the user sees the zone
  /// already, reports the records of the share as gained.
  public func show(_ share: StoredShare, to user: UserRecordName) throws(StoreError) {
    let place = try place(ofZone: share.zone)
    guard try !hasWindow(user.text, on: place) else {
      return try note(
        try covered(by: share.number, in: share.zone), in: share.zone, to: [user.text],
        isGained: true)
    }
    let sequence = state.changes?.next(zone: share.zone) ?? 0
    try database.insert(
      Window(
        user: user, owner: place.owner.name, name: place.zone.zone.id.name, zone: share.zone,
        since: sequence, until: nil), .replace)
  }

  /// Makes a share invisible that the user no longer has: closes the window on its zone, or, if the
  /// user sees others there, reports the share's records as lost.
  public func hide(_ share: StoredShare, from user: UserRecordName) throws(StoreError) {
    if try hasOther(than: share, user) {
      try note(
        try covered(by: share.number, in: share.zone), in: share.zone, to: [user.text],
        isGained: false)
    } else {
      try closeWindows(on: share.zone, of: user.text)
    }
  }

  /// Whether a user has accepted another share of the same zone. Looks at the newest first: a user
  /// who leaves many shares has it until the end.
  private func hasOther(
    than share: StoredShare, _ user: UserRecordName
  ) throws(StoreError) -> Bool {
    let others = """
      SELECT p._id FROM _participant p JOIN _share s ON s._id = p.share
      WHERE p.user = ?1 AND p.status = \(AcceptanceStatus.accepted.rawValue) AND s.zone = ?2
        AND s._id <> ?3
      """
    let values: [any StoredValue] = [user, share.zone, share.number]
    if let newestParticipant,
      try database.hasRow("\(others) AND p._id = ?4", values + [newestParticipant])
    {
      return true
    }
    newestParticipant = try database.value("\(others) ORDER BY p._id DESC LIMIT 1", values)
    return newestParticipant != nil
  }

  private func hasWindow(_ user: String, on place: ZonePlace) throws(StoreError) -> Bool {
    try database.hasRow(
      "SELECT 1 FROM _window WHERE user = ? AND owner = ? AND name = ? AND until IS NULL",
      [user, place.owner.name, place.zone.zone.id.name])
  }

  /// Closes the windows on a zone, of one user or of all.
  private func closeWindows(on zone: Int64, of user: String? = nil) throws(StoreError) {
    let sequence = state.changes?.next(zone: zone) ?? 0
    try database.run(
      EnvironmentTables.window.update(["until": "?1"])
        + " WHERE zone = ?2 AND until IS NULL AND user = ifnull(?3, user)", [sequence, zone, user])
    try database.delete(
      from: EnvironmentTables.visibility, "zone = ? AND user = ifnull(?, user)", [zone, user])
  }

  /// Forgets the shares of a zone that is about to be deleted.
  func removeShares(in zone: Int64) throws(StoreError) {
    guard try hasShares(zone) else { return }
    try closeWindows(on: zone)
    for sql in [
      "DELETE FROM _participant WHERE share IN (SELECT _id FROM _share WHERE zone = ?)",
      "DELETE FROM _cover WHERE share IN (SELECT _id FROM _share WHERE zone = ?)",
      "DELETE FROM _share WHERE zone = ?",
    ] {
      try database.run(sql, [zone])
    }
    state.changes?.areShared[zone] = nil
  }

  /// Whether a zone has shares of any kind.
  func hasShares(_ zone: Int64) throws(StoreError) -> Bool {
    try database.hasRow("SELECT 1 FROM _share WHERE zone = ?", [zone])
  }

  // MARK: Records

  /// Forgets which shares cover records that are about to be deleted, and reports the loss to their
  /// participants.
  func uncover(_ records: [TreeRecord], in zone: Int64) throws(StoreError) {
    let covers = try records.map { (record) throws(StoreError) in
      try cover(of: record, in: zone)
    }
    for (record, share) in zip(records, covers) {
      guard let share else { continue }
      try noteVisibility(of: [record], in: zone, from: share, to: nil)
      try setCover(nil, of: record)
    }
  }

  /// Ends a share whose record is about to be deleted: its records become invisible to
  /// participants.
  func end(_ share: StoredShare) throws(StoreError) {
    for participant in try participants(of: share) where participant.status == .accepted {
      if let user = participant.user { try hide(share, from: UserRecordName(stored: user)) }
    }
    for sql in [
      "DELETE FROM _participant WHERE share = ?", "DELETE FROM _cover WHERE share = ?",
      "DELETE FROM _share WHERE _id = ?",
    ] {
      try database.run(sql, [share.number])
    }
    state.changes?.areShared[share.zone] = nil
    let zone = StoredZone(unnamed: share.zone)
    if let root = share.root, let stored = try record(root, in: zone) {
      try setShare(nil, of: stored)
    }
  }

  /// Reports records lost or gained to the users who see one of two shares but not the other. A
  /// gained record that changed itself is in the feed already.
  func noteVisibility(
    of records: [TreeRecord], in zone: Int64, from old: Int64?, to new: Int64?,
    changed: Int64? = nil
  ) throws(StoreError) {
    let gained = new == nil ? [] : records.filter { $0.number != changed }
    if old == nil, gained.isEmpty { return }
    let (before, after) = (try members(of: old), try members(of: new))
    try note(records, in: zone, to: before.filter { !after.contains($0) }, isGained: false)
    try note(gained, in: zone, to: after.filter { !before.contains($0) }, isGained: true)
  }

  private func note(
    _ records: [TreeRecord], in zone: Int64, to users: [String], isGained: Bool
  ) throws(StoreError) {
    if users.isEmpty { return }
    for record in records {
      let type = try table(of: record.type).schema.name
      let sequence = state.changes?.next(zone: zone) ?? 0
      for user in users {
        try database.insert(
          VisibilityChange(
            user: user, zone: zone, name: record.name, type: type, sequence: sequence,
            isGained: isGained), .replace)
      }
    }
  }

  /// The users who have accepted a share, and see what it covers.
  private func members(of share: Int64?) throws(StoreError) -> [String] {
    guard let share else { return [] }
    return try database.values(
      """
      SELECT user FROM _participant
      WHERE share = ? AND status = \(AcceptanceStatus.accepted.rawValue) AND user IS NOT NULL
      """, [share])
  }
}

/// A zone that a user sees in the shared database: from the change `since` to the change `until`.
private struct Window {
  let user: UserRecordName
  let owner: UserRecordName
  let name: ZoneName
  let zone: Int64
  let since: Int64
  let until: Int64?
}

extension Window: StoredRow {
  static let table = EnvironmentTables.window

  init(_ row: Row) {
    self.init(
      user: row["user"], owner: row["owner"], name: row["name"], zone: row["zone"],
      since: row["since"], until: row["until"])
  }

  var values: KeyValuePairs<String, any StoredValue> {
    [
      "user": user, "owner": owner, "name": name, "zone": zone, "since": since, "until": until,
    ]
  }
}

/// A record that a user gained or lost although it did not change.
struct VisibilityChange {
  let user: String
  let zone: Int64
  let name: RecordName
  let type: RecordType
  let sequence: Int64
  let isGained: Bool
}

extension VisibilityChange: StoredRow {
  static let table = EnvironmentTables.visibility

  init(_ row: Row) {
    self.init(
      user: row["user"], zone: row["zone"], name: row["name"], type: row["type"],
      sequence: row["sequence"], isGained: row["gained"])
  }

  var values: KeyValuePairs<String, any StoredValue> {
    [
      "user": user, "zone": zone, "name": name, "type": type, "sequence": sequence,
      "gained": isGained,
    ]
  }
}
