public import CloudModel
internal import SQLite

/// A change that fires a zone or database subscription: once for an operation, however much it
/// changed.
public struct FeedMatch {
  /// The subscription.
  public let subscription: StoredSubscription
  /// The zone that changed, as the subscription's user calls it; nil where several did.
  public let zone: ZoneID?
}

// Zone and database subscriptions fire exactly where the change feed of the zone or the database
// has news (R8.1).
extension EnvironmentStore {
  /// Which zone and database subscriptions the operation fires, in their order.
  public func feedMatches() throws -> [FeedMatch] {
    guard let journal, let index = subscriptionIndex, journal.start < lastSequence else {
      return []
    }
    var found: [FeedMatch] = []
    for entry in index.entries where entry.stored.subscription.kind != .query {
      let subscription = entry.stored.subscription
      let zones =
        subscription.scope == .shared
        ? try sharedNews(entry.stored, journal) : try privateNews(entry.stored, journal)
      guard let first = zones.first else { continue }
      found.append(FeedMatch(subscription: entry.stored, zone: zones.count == 1 ? first : nil))
    }
    return found
  }

  /// The zones of a user's own that have news for a subscription.
  private func privateNews(
    _ stored: StoredSubscription, _ journal: ChangeJournal
  ) throws -> [ZoneID] {
    let subscription = stored.subscription
    func isMeant(_ zone: ZoneID) -> Bool {
      subscription.zone.map { $0.name == zone.name } ?? !zone.name.isDefault
    }
    let place = DatabasePlace(scope: Int64(DatabaseScope.private.rawValue), owner: stored.user)
    var news: [ZoneID] = []
    for number in changes?.zones.keys.sorted() ?? [] {
      let zone = try changedZone(number)
      guard zone.place == place, isMeant(zone.stored.zone.id) else { continue }
      if let type = subscription.type {
        guard try hasChanges(of: type, in: number, journal) else { continue }
      }
      news.append(ZoneID(zone.stored.zone.id.name))
    }
    guard subscription.type == nil else { return news }
    for zone in try madeAndDeletedZones(of: stored.user, after: journal.start)
    where isMeant(zone) && !news.contains(zone) {
      news.append(zone)
    }
    return news
  }

  /// Whether the operation changed records of a type in a zone.
  private func hasChanges(
    of type: RecordType, in zone: Int64, _ journal: ChangeJournal
  ) throws(StoreError) -> Bool {
    guard let table = try table(type) else { return false }
    let isMeant = { (place: ChangeJournal.Place) in
      place.type == table.number && place.zone == zone
    }
    if journal.updated.contains(where: isMeant) || journal.deleted.contains(where: isMeant) {
      return true
    }
    return try sql { () throws(SQLiteError) in
      try catalog.makePendingTables()
      let row = try connection.statement(
        "SELECT 1 FROM \(table.table) NOT INDEXED WHERE _id > ? AND _zone = ? LIMIT 1")
      row.bind(journal.start, 1)
      row.bind(zone, 2)
      defer { row.reset() }
      return try row.step()
    }
  }

  private func madeAndDeletedZones(
    of user: Int64, after sequence: Int64
  ) throws(StoreError) -> [ZoneID] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT name FROM _zone WHERE scope = ?1 AND owner = ?2 AND made > ?3
        UNION SELECT name FROM _zone_tombstone WHERE scope = ?1 AND owner = ?2 AND sequence > ?3
        ORDER BY name
        """)
      row.bind(Int64(DatabaseScope.private.rawValue), 1)
      row.bind(user, 2)
      row.bind(sequence, 3)
      var zones: [ZoneID] = []
      while try row.step() { zones.append(ZoneID(ZoneName(stored: row.text(0)))) }
      return zones
    }
  }

  /// The zones of others that have news for a user.
  private func sharedNews(
    _ stored: StoredSubscription, _ journal: ChangeJournal
  ) throws -> [ZoneID] {
    let (user, type) = (stored.userName, stored.subscription.type)
    var news: [ZoneID] = []
    for (zone, since) in try sharedZones(of: user) {
      let isChanged = changes?.zones[zone.number] != nil
      guard since > journal.start || isChanged else { continue }
      if type == nil, since > journal.start {
        news.append(zone.zone.id)
      } else if try hasNews(of: type, in: zone, for: user, since: since, journal) {
        news.append(zone.zone.id)
      }
    }
    if type == nil {
      news += try lostZones(of: user, after: journal.start).map(\.id).filter { !news.contains($0) }
    }
    return news
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
