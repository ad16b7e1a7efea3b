internal import Basics
internal import CloudModel
internal import RecordStore

// The shared database: a view of other users' zones (R10.3.4) that shows only the records that
// shares cover.
extension CloudDatabase {
  /// The user record name of the account; nil if no account is signed in.
  var user: UserRecordName? { account.map(environment.userRecordName) }

  /// The zones that the user sees, each with the sequence number since which it is visible.
  func sharedZones() throws -> [(zone: StoredZone, since: Int64)] {
    guard let user else { return [] }
    return try store.sharedZones(of: user)
  }

  /// Parses a zone written as `NAME:OWNER`, where OWNER, after the last colon, is an account or a
  /// user record name (M9).
  func sharedIdentity(_ zone: ZoneID) -> ZoneID {
    guard zone.owner == .current, let colon = zone.name.text.lastIndex(of: ":"),
      let name = try? ZoneName(String(zone.name.text[..<colon]))
    else { return zone }
    let owner = String(zone.name.text[colon...].dropFirst())
    if owner.hasPrefix("_") { return ZoneID(name, owner: .user(UserRecordName(stored: owner))) }
    guard let account = try? Account(owner) else { return zone }
    return ZoneID(name, owner: .user(environment.userRecordName(account)))
  }

  /// Returns a zone that the user sees; nil for none. Without an owner it is the only one of its
  /// name (M9). Throws `invalidArguments` if there are several.
  func sharedZone(_ id: ZoneID) throws -> StoredZone? {
    guard let user else { return nil }
    let wanted = sharedIdentity(id)
    let zones = try store.sharedZones(of: user, named: wanted.name).map(\.zone)
    if let found = zones.first(where: { $0.zone.id == wanted }) { return found }
    guard wanted.owner == .current else { return nil }
    guard zones.count < 2 else {
      throw CloudError(
        .invalidArguments, "Several owners share a zone '\(id.name.text)'", zone: id,
        remedy: "specify one of \(zones.map(\.zone.id.text).joined(separator: ", "))")
    }
    return zones.first
  }

  /// The sequence number since which the user sees a zone; 0 for the user's own.
  func opening(of zone: StoredZone) throws -> Int64 {
    guard scope == .shared, let user else { return 0 }
    let zones = try store.sharedZones(of: user, named: zone.zone.id.name)
    return zones.first { $0.zone.number == zone.number }?.since ?? 0
  }

  // MARK: Visibility

  /// Whether this database shows a whole zone: in the shared database, if the zone is shared as a
  /// whole.
  func seesAll(of zone: StoredZone) throws -> Bool {
    guard scope == .shared, let user else { return true }
    return try store.zoneMembership(of: user, in: zone) != nil
  }

  /// The share that shows a record of the shared database to the user; nil for none.
  func membership(
    covering stored: StoredRecord, in zone: StoredZone
  ) throws -> Membership? {
    guard let user else { return nil }
    if let whole = try store.zoneMembership(of: user, in: zone) { return whole }
    return try store.cover(of: stored).flatMap { try store.membership(of: user, in: $0) }
  }

  /// Whether this database shows a stored record.
  func isVisible(_ stored: StoredRecord, in zone: StoredZone) throws -> Bool {
    try scope != .shared || membership(covering: stored, in: zone) != nil
  }

  /// Returns a record that this database shows; nil for none.
  func record(
    _ name: RecordName, in zone: StoredZone, keys: [FieldName]? = nil
  ) throws -> StoredRecord? {
    guard let stored = try store.record(name, in: zone, keys: keys) else { return nil }
    return try isVisible(stored, in: zone) ? stored : nil
  }

  /// Whether this database shows a record of the name.
  func hasRecord(_ name: RecordName, in zone: StoredZone) throws -> Bool {
    guard scope == .shared else { return try store.hasRecord(name, in: zone) }
    return try record(name, in: zone, keys: []) != nil
  }

  /// The rows of a zone that the shared database shows.
  func visibleSharedRows(
    in zone: StoredZone
  ) throws -> (TypeTable) throws -> VisibleRows {
    guard let user, try !seesAll(of: zone) else { return { _ in .all } }
    return { table in .numbered(try store.coveredRecords(of: table, in: zone, seenBy: user)) }
  }

  /// The user who queries some zones; nil outside the shared database.
  func audience(in zones: [StoredZone]) throws -> RecordSelection.Audience? {
    guard scope == .shared, let user else { return nil }
    let whole = try store.memberships(of: user).filter { $0.root == nil }
    return RecordSelection.Audience(
      user, zone: zones.count == 1 ? zones[0] : nil,
      wholeZones: zones.filter { zone in whole.contains { $0.isIn(zone) } })
  }
}
