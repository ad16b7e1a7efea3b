internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

// Zone and database subscriptions fire exactly when the change feed of the zone or the database has
// news (R8.1).
extension EnvironmentStore {
  /// The zone and database subscriptions that the operation fires, in their order: each once,
  /// whatever the number of changes.
  public func feedMatches() throws -> [StoredSubscription] {
    guard let index = try currentIndex(), let journal = state.journal, journal.start < lastSequence
    else {
      return []
    }
    return try index.feeds.filter { stored in
      try stored.subscription.scope == .shared
        ? hasSharedNews(stored, journal) : hasPrivateNews(stored, journal)
    }
  }

  /// Whether the user's zones have news for a subscription: the one that it names, or any.
  private func hasPrivateNews(
    _ stored: StoredSubscription, _ journal: ChangeJournal
  ) throws(StoreError) -> Bool {
    let subscription = stored.subscription
    func isMeant(_ zone: ZoneName) -> Bool {
      subscription.zone.map { $0.name == zone } ?? !zone.isDefault
    }
    let place = DatabasePlace(scope: Int64(DatabaseScope.private.rawValue), owner: stored.user)
    for number in state.changes?.zones.keys.sorted() ?? [] {
      let zone = try changedZone(number)
      guard zone.place == place, isMeant(zone.stored.zone.id.name) else { continue }
      guard let type = subscription.type else { return true }
      if try hasChanges(of: type, in: number, journal) { return true }
    }
    guard subscription.type == nil, state.changes?.hasZoneChanges == true else { return false }
    return try madeAndDeletedZones(of: stored.user, after: journal.start).contains(where: isMeant)
  }

  /// Whether the operation changed records of a type in a zone.
  private func hasChanges(
    of type: RecordType, in zone: Int64, _ journal: ChangeJournal
  ) throws(StoreError) -> Bool {
    let table = try table(type)
    let numbers =
      journal.dropped.filter { $0.type == type }.map(\.number) + (table.map { [$0.number] } ?? [])
    let isMeant = { (place: ChangeJournal.Place) in
      numbers.contains(place.type) && place.zone == zone
    }
    if journal.updated.elements.contains(where: isMeant)
      || journal.deleted.elements.contains(where: isMeant)
    {
      return true
    }
    guard let table else { return false }
    try catalog.makePendingTables()
    return try database.hasRow(
      "SELECT 1 FROM \(table.table) NOT INDEXED WHERE _id > ? AND _zone = ? LIMIT 1",
      [journal.start, zone])
  }

  private func madeAndDeletedZones(
    of user: Int64, after sequence: Int64
  ) throws(StoreError) -> [ZoneName] {
    try database.values(
      """
      SELECT name FROM _zone WHERE scope = ?1 AND owner = ?2 AND made > ?3
      UNION SELECT name FROM _zone_tombstone WHERE scope = ?1 AND owner = ?2 AND sequence > ?3
      """, [Int64(DatabaseScope.private.rawValue), user, sequence])
  }

  /// Whether the zones of others have news for a user: records, or a zone that became visible or
  /// invisible.
  private func hasSharedNews(
    _ stored: StoredSubscription, _ journal: ChangeJournal
  ) throws -> Bool {
    let (user, type) = (stored.userName, stored.subscription.type)
    for (zone, since) in try sharedZones(of: user) {
      if since > journal.start, type == nil { return true }
      guard since > journal.start || state.changes?.zones[zone.number] != nil else { continue }
      if try hasNews(of: type, in: zone, for: user, since: since, journal) { return true }
    }
    return try type == nil && !lostZones(of: user, after: journal.start).isEmpty
  }

  private func hasNews(
    of type: RecordType?, in zone: StoredZone, for user: UserRecordName, since: Int64,
    _ journal: ChangeJournal
  ) throws -> Bool {
    if try zoneMembership(of: user, in: zone) != nil {
      return try type.map { try hasChanges(of: $0, in: zone.number, journal) } ?? true
    }
    let now = StoredZone(
      number: zone.number,
      zone: Zone(id: zone.zone.id, recordCount: 0, sequence: lastSequence), made: zone.made)
    let start = since > journal.start ? 0 : journal.start
    let news = try changes(
      in: now, seenBy: user, after: start, lossesAfter: max(start, journal.start), limit: .max)
    guard let type else { return !news.isEmpty }
    return try news.contains { change in
      switch change.subject {
      case .record(_, let number): try table(type)?.number == number
      case .deletion(_, let deleted): deleted == type
      }
    }
  }
}
