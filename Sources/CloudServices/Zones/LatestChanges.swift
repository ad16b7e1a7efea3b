public import CloudModel
internal import RecordStore
internal import StoreFiles

/// A change of a record, as a live view shows it.
public struct LatestChange: Sendable {
  /// Its number, which increases with each change of the environment.
  public let number: Int64
  /// The zone.
  public let zone: ZoneID
  /// The record.
  public let record: RecordName
  /// Its type.
  public let type: RecordType
  /// What happened.
  public let kind: Kind
  /// Who made the change, when and on which device; nil for a deletion.
  public let stamp: Record.Stamp?

  /// What happened to a record.
  public enum Kind: String, Sendable {
    case created, updated, deleted
  }
}

/// The last changes of a database, oldest first.
public struct LatestChanges: Sendable {
  /// The changes.
  public var changes: [LatestChange] = []
  /// How many earlier ones are left out.
  public var omitted = 0
  /// Whether there may be more, which were not counted.
  public var hasMore = false
  /// The number of the last change of the environment, after which to continue.
  public var last: Int64
}

extension CloudDatabase {
  /// The last changes after a number that the account may see and that `isWanted` accepts, at most
  /// `most`; each record once. With a nil `number` the last ones of all.
  ///
  /// Unlike CloudKit's feeds it covers the public database and default zones, too. It looks back at
  /// most `reach` changes, so that an import does not delay a live view. With a stopped clock the
  /// first update of a record looks like its creation. Throws `notAuthenticated` outside of the
  /// public database.
  public func latestChanges(
    after number: Int64?, most: Int, reach: Int64 = 10_000,
    where isWanted: (LatestChange) -> Bool = { _ in true }
  ) throws(CloudError) -> LatestChanges {
    if scope != .public { try requireAccount() }
    while true {
      var missing = FeedIndexes()
      let found: LatestChanges? = try environment.read {
        let last = try store.lastStoredSequence()
        let known = min(number ?? 0, last)
        let since = max(known, last - reach)
        let zones = try storedZones().filter { $0.zone.sequence > since }
        for zone in zones where missing.isEmpty { missing = try store.missingFeedIndexes(of: zone) }
        guard missing.isEmpty else { return nil }
        let all = try zones.flatMap { try placed($0, after: since) }
          .sorted { $0.change.sequence < $1.change.sequence }
        var changes = LatestChanges(last: last)
        for placed in all.reversed() {
          try store.checkInterrupt()
          // The first page needs no count.
          if number == nil, changes.changes.count == most { break }
          guard let change = try latest(placed), isWanted(change) else { continue }
          if changes.changes.count < most {
            changes.changes.append(change)
          } else {
            changes.omitted += 1
          }
        }
        changes.changes.reverse()
        changes.hasMore = number != nil && since > known && !all.isEmpty
        return changes
      }
      if let found { return found }
      try environment.build(missing)
    }
  }

  /// A change with its zone.
  private struct PlacedChange {
    let zone: StoredZone
    let change: StoredChange
  }

  private func placed(_ zone: StoredZone, after number: Int64) throws -> [PlacedChange] {
    if let user, try !seesAll(of: zone) {
      return try store.changes(
        in: zone, seenBy: user, after: number, lossesAfter: number, limit: .max
      ).map { PlacedChange(zone: zone, change: $0) }
    }
    var found: [PlacedChange] = []
    try store.changes(in: zone, after: number, deletionsAfter: number) { change in
      try store.checkInterrupt()
      found.append(PlacedChange(zone: zone, change: change))
      return true
    }
    return found
  }

  /// The change as the account sees it; nil if the account may not read the record.
  private func latest(_ placed: PlacedChange) throws -> LatestChange? {
    let (zone, change) = (placed.zone, placed.change)
    switch change.subject {
    case .deletion(let name, let type):
      if let schema = try store.table(type)?.schema,
        try permissions.visibility(of: schema.grants) != .all
      {
        return nil
      }
      return LatestChange(
        number: change.sequence, zone: zone.zone.id, record: name, type: type, kind: .deleted,
        stamp: nil)
    case .record(let number, let type):
      let stored = try store.stored(numbered: number, type: type, in: zone, keys: [])
      guard try permissions.mayRead(stored) else { return nil }
      let record = stored.record
      return LatestChange(
        number: change.sequence, zone: zone.zone.id, record: record.name, type: record.type,
        kind: record.created == record.modified ? .created : .updated, stamp: record.modified)
    }
  }
}
