internal import Basics
internal import CloudModel
internal import RecordStore

// The shared database: a window on the zones of others (R10.3.4), which shows the records that
// shares cover, and nothing else.
extension CloudDatabase {
  /// The user record name of who acts; nil for nobody.
  var user: UserRecordName? { account.map(environment.userRecordName) }

  /// The zones that the user sees, each with the sequence number since which he sees it.
  func sharedZones() throws -> [(zone: StoredZone, since: Int64)] {
    guard let user else { return [] }
    return try store.sharedZones(of: user)
  }

  /// A zone as it may be written: `NAME:OWNER`, where OWNER, after the last colon, is an account
  /// or a user record name (M9).
  func sharedIdentity(_ zone: ZoneID) -> ZoneID {
    guard zone.owner == .current, let colon = zone.name.text.lastIndex(of: ":"),
      let name = try? ZoneName(String(zone.name.text[..<colon]))
    else { return zone }
    let owner = String(zone.name.text[colon...].dropFirst())
    if owner.hasPrefix("_") { return ZoneID(name, owner: .user(UserRecordName(stored: owner))) }
    guard let account = try? Account(owner) else { return zone }
    return ZoneID(name, owner: .user(environment.userRecordName(account)))
  }

  /// A zone that the user sees; nil for none. Without an owner it is the only one of its name
  /// (M9). Throws `invalidArguments` where there are several.
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

  /// Since which sequence number the user sees a zone; 0 for his own.
  func opening(of zone: StoredZone) throws -> Int64 {
    guard scope == .shared, let user else { return 0 }
    let zones = try store.sharedZones(of: user, named: zone.zone.id.name)
    return zones.first { $0.zone.number == zone.number }?.since ?? 0
  }

  // MARK: What is seen

  /// Whether this database shows all of a zone: in the shared one, where the zone is shared as a
  /// whole.
  func seesAll(of zone: StoredZone) throws -> Bool {
    guard scope == .shared, let user else { return true }
    return try store.zoneMembership(of: user, in: zone) != nil
  }

  /// The share by which the user sees a record of the shared database; nil for none.
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

  /// A record that this database shows; nil for none.
  func record(
    _ name: RecordName, in zone: StoredZone, keys: [FieldName]? = nil
  ) throws -> StoredRecord? {
    guard let stored = try store.record(name, in: zone, keys: keys) else { return nil }
    return try isVisible(stored, in: zone) ? stored : nil
  }

  /// Whether this database shows a record of a name.
  func hasRecord(_ name: RecordName, in zone: StoredZone) throws -> Bool {
    guard scope == .shared else { return try store.hasRecord(name, in: zone) }
    return try record(name, in: zone, keys: []) != nil
  }

  /// Which rows of a zone the shared database shows.
  func visibleSharedRows(
    in zone: StoredZone
  ) throws -> (TypeTable) throws -> VisibleRows {
    guard let user, try !seesAll(of: zone) else { return { _ in .all } }
    return { table in .numbered(try store.coveredRecords(of: table, in: zone, seenBy: user)) }
  }

  /// Who asks a query of some zones; nil outside of the shared database.
  func audience(in zones: [StoredZone]) throws -> RecordSelection.Audience? {
    guard scope == .shared, let user else { return nil }
    let whole = try store.memberships(of: user).filter { $0.root == nil }
    return RecordSelection.Audience(
      user, zone: zones.count == 1 ? zones[0] : nil,
      wholeZones: zones.filter { zone in whole.contains { $0.isIn(zone) } })
  }
}
