internal import Basics
public import CloudModel
internal import SQLite
internal import StoreFiles

/// A zone or database subscription that fires.
public struct FeedMatch {
  /// The subscription.
  public let subscription: StoredSubscription
  /// A zone that has news; nil if any may have.
  public let zone: ZoneID?

  /// A match.
  public init(subscription: StoredSubscription, zone: ZoneID?) {
    (self.subscription, self.zone) = (subscription, zone)
  }
}

// Zone and database subscriptions fire exactly when the change feed of the zone or the database has
// news (R8.1).
extension EnvironmentStore {
  /// The zone and database subscriptions that the operation fires, in their order: each once,
  /// whatever the number of changes.
  public func feedMatches() throws -> [FeedMatch] {
    guard let index = try currentIndex(), let journal = state.journal, journal.start < lastSequence
    else {
      return []
    }
    return try index.feeds.compactMap { stored in
      let zone =
        try stored.subscription.scope == .shared
        ? sharedNews(stored, journal) : privateNews(stored, journal)
      return zone.map { FeedMatch(subscription: stored, zone: $0) }
    }
  }

  /// A zone of the user that has news for a subscription: the one that it names, or any.
  private func privateNews(
    _ stored: StoredSubscription, _ journal: ChangeJournal
  ) throws(StoreError) -> ZoneID? {
    let subscription = stored.subscription
    func isMeant(_ zone: ZoneName) -> Bool {
      subscription.zone.map { $0.name == zone } ?? !zone.isDefault
    }
    let place = DatabasePlace(scope: Int64(DatabaseScope.private.rawValue), owner: stored.user)
    for number in state.changes?.zones.keys.sorted() ?? [] {
      let zone = try changedZone(number)
      let id = zone.stored.zone.id
      guard zone.place == place, isMeant(id.name) else { continue }
      guard let type = subscription.type else { return id }
      if try hasChanges(of: type, in: number, journal) { return id }
    }
    guard subscription.type == nil, state.changes?.hasZoneChanges == true else { return nil }
    return try madeAndDeletedZones(of: stored.user, after: journal.start).first(where: isMeant)
      .map { ZoneID($0) }
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

  /// A zone of others that has news for a user: records, or it became visible or invisible.
  private func sharedNews(
    _ stored: StoredSubscription, _ journal: ChangeJournal
  ) throws -> ZoneID? {
    let (user, type) = (stored.userName, stored.subscription.type)
    for (zone, since) in try sharedZones(of: user) {
      if since > journal.start, type == nil { return zone.zone.id }
      guard since > journal.start || state.changes?.zones[zone.number] != nil else { continue }
      if try hasNews(of: type, in: zone, for: user, since: since, journal) { return zone.zone.id }
    }
    return type == nil ? try lostZones(of: user, after: journal.start).first?.id : nil
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
