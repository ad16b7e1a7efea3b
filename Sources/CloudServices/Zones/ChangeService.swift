internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles

/// A page of the changes of a database (R9.2).
public struct DatabaseChanges: Sendable {
  /// Custom zones that are new or contain changes, oldest change first.
  public var changed: [ZoneID] = []
  /// Deleted zones.
  public var deleted: [(zone: ZoneID, reason: ZoneDeletionReason)] = []
  /// The token for the next fetch.
  public var token: ChangeToken
  /// Whether there is more after this page.
  public var isMoreComing = false
}

/// A page of the changes of a zone (R9.3), without the records themselves.
public struct ZoneChanges: Sendable {
  /// The client token of the last operation that had one (R4.4.16).
  public var clientToken: String?
  /// Deleted records.
  public var deleted: [(name: RecordName, type: RecordType)] = []
  /// The token for the next fetch.
  public var token: ChangeToken
  /// Whether there is more after this page.
  public var isMoreComing = false
}

extension CloudDatabase {
  /// The zones that changed after a token, or all; at most `limit` changes.
  ///
  /// Throws `invalidArguments` for the public database (R9.9) and for a token of another
  /// family (R9.1), `changeTokenExpired` for one that is too old or of another database.
  public func databaseChanges(
    since token: ChangeToken?, limit: Int?
  ) throws(CloudError) -> DatabaseChanges {
    try requireFeed()
    try strike(.changes)
    return try environment.read {
      let since = try place(of: token, .database, of: nil)
      var events: [(sequence: Int64, event: DatabaseEvent)] = []
      for zone in try storedZones() where zone.zone.sequence > since && !zone.zone.id.isDefault {
        let isAll = token == nil && limit == nil
        guard let last = try isAll ? zone.zone.sequence : lastSeenChange(in: zone, after: since)
        else { continue }
        events.append((last, .changed(zone.zone.id)))
      }
      let horizon = try token?.horizon ?? store.lastStoredSequence()
      for zone in try deletedZones(after: horizon) where !zone.id.isDefault {
        events.append((zone.sequence, .deleted(zone.id, zone.reason)))
      }
      events.sort { $0.sequence < $1.sequence }
      let page = events.prefix(limit ?? events.count)
      let isMoreComing = page.count < events.count
      let sequence =
        try isMoreComing ? page.last?.sequence ?? since : store.lastStoredSequence()
      var changes = DatabaseChanges(
        token: ChangeToken(
          .database, origin: try feed(of: nil), sequence: sequence,
          horizon: isMoreComing ? horizon : 0))
      changes.isMoreComing = isMoreComing
      for case (_, let event) in page {
        switch event {
        case .changed(let zone): changes.changed.append(zone)
        case .deleted(let zone, let reason): changes.deleted.append((zone, reason))
        }
      }
      return changes
    }
  }

  private enum DatabaseEvent {
    case changed(ZoneID)
    case deleted(ZoneID, ZoneDeletionReason)
  }

  /// Passes each record of a zone that changed after a token, or all records, to `body`, as
  /// `viewChanges` does.
  public func zoneChanges(
    in id: ZoneID, since token: ChangeToken?, limit: Int?, keys: [FieldName]? = nil,
    damaged: DamageReport = { throw $0 }, _ body: (Record) throws -> Void
  ) throws(CloudError) -> ZoneChanges {
    try zoneChanges(
      in: id, since: token, limit: limit, damaged: damaged
    ) { zone, _, change, number, type, sum in
      let stored = try store.stored(numbered: number, type: type, in: zone, keys: keys)
      guard stored.sequence == change.version else {
        throw StoreError.damaged(stored.record.name, in: id)
      }
      sum.add(stored)
      try body(stored.record)
    }
  }

  /// Passes a view of each record of a zone that changed after a token, or of all, to `body`, once
  /// and in its current state (R9.4); at most `limit` changes. `keys` limits the fields.
  ///
  /// Throws as `databaseChanges`, `invalidArguments` for a default zone (R9.9),
  /// `zoneNotFound` for a missing one (R9.8).
  public func viewChanges(
    in id: ZoneID, since token: ChangeToken?, limit: Int?, keys: [FieldName]? = nil,
    damaged: DamageReport = { throw $0 }, _ body: (RecordView) throws -> Void
  ) throws(CloudError) -> ZoneChanges {
    var views: RecordViews?
    return try zoneChanges(
      in: id, since: token, limit: limit, damaged: damaged
    ) { zone, since, change, number, type, sum in
      if views == nil { views = RecordViews(store, zone, after: since, keys: keys) }
      try views?.view(numbered: number, type: type, changedAt: change.version, &sum, body)
    }
  }

  /// Reads the record of a change after a sequence number, by its number and its type's.
  private typealias ChangeReader =
    (StoredZone, Int64, StoredChange, Int64, Int64, inout ZoneSum) throws -> Void

  private func zoneChanges(
    in id: ZoneID, since token: ChangeToken?, limit: Int?, damaged: DamageReport,
    _ read: ChangeReader
  ) throws(CloudError) -> ZoneChanges {
    try requireFeed()
    try strike(.changes, in: id)
    guard !id.isDefault else { throw .noFeed("the default zone", zone: id) }
    var mayBuild = true
    while true {
      var missing = FeedIndexes()
      let changes: ZoneChanges? = try environment.read {
        guard let zone = try zoneToRead(id) else { throw CloudError.zoneNotFound(id) }
        let page = try page(of: zone, since: token, limit: limit)
        if page.since < zone.zone.sequence, mayBuild, token != nil || limit != nil {
          missing = try store.missingFeedIndexes(of: zone)
          if !missing.isEmpty { return nil }
        }
        return try self.read(page, of: zone, damaged, read)
      }
      if let changes { return changes }
      mayBuild = false
      try environment.build(missing)
    }
  }

  /// The start and length of a page.
  private struct ChangePage {
    let since: Int64
    /// Deletions after this sequence number are reported; at first all that are known (R9.12).
    let horizon: Int64
    let limit: Int?
  }

  private func page(
    of zone: StoredZone, since token: ChangeToken?, limit: Int?
  ) throws -> ChangePage {
    let opening = try opening(of: zone)
    return ChangePage(
      since: try place(of: token, .zone, of: zone.zone.id, made: max(zone.made, opening)),
      horizon: try token?.horizon ?? max(opening, store.forgottenSequence()), limit: limit)
  }

  private func read(
    _ page: ChangePage, of zone: StoredZone, _ damaged: DamageReport, _ read: ChangeReader
  ) throws -> ZoneChanges {
    var sum = ZoneSum()
    let isWhole = try seesAll(of: zone)
    var (given, last, isMoreComing) = (0, page.since, false)
    var deleted: [(RecordName, RecordType)] = []
    func report(_ error: StoreError) throws {
      sum.hasDamage = true
      try damaged(CloudError(error))
    }
    try eachChange(in: zone, page, isWhole: isWhole, damaged: report) { change in
      if given == page.limit {
        isMoreComing = true
        return false
      }
      (given, last) = (given + 1, change.sequence)
      switch change.subject {
      case .record(let number, let type):
        do {
          try read(zone, page.since, change, number, type, &sum)
        } catch let error as StoreError where error.isDamageOfPart {
          try report(error)
        }
      case .deletion(let name, let type): deleted.append((name, type))
      }
      return true
    }
    let sequence =
      isMoreComing ? last : max(zone.zone.sequence, try store.forgottenSequence())
    var changes = ZoneChanges(
      token: ChangeToken(
        .zone, origin: try feed(of: zone.zone.id), sequence: sequence,
        horizon: isMoreComing ? page.horizon : 0))
    (changes.deleted, changes.isMoreComing) = (deleted, isMoreComing)
    changes.clientToken = try store.clientToken(of: zone)
    if isWhole, page.since == 0, !isMoreComing, let error = sum.damage(of: zone) {
      try damaged(CloudError(error))
    }
    return changes
  }

  /// Passes the changes of a zone after the start of a page, until `body` returns false.
  private func eachChange(
    in zone: StoredZone, _ page: ChangePage, isWhole: Bool, damaged: DamageReporter,
    _ body: (StoredChange) throws -> Bool
  ) throws {
    guard !isWhole, let user else {
      return try store.changes(
        in: zone, after: page.since, deletionsAfter: page.horizon, damaged: damaged, body)
    }
    // One more change shows whether there are more.
    let limit = page.limit.map { min($0, .max - 1) + 1 } ?? .max
    for change in try store.changes(
      in: zone, seenBy: user, after: page.since, lossesAfter: page.horizon, limit: limit)
    where try !body(change) { return }
  }

  /// The sequence number of a zone's last change, after another, that this database shows; nil for
  /// none. The shared database hides changes of records that the user does not see.
  private func lastSeenChange(in zone: StoredZone, after sequence: Int64) throws -> Int64? {
    guard scope == .shared, let user, try !seesAll(of: zone) else { return zone.zone.sequence }
    let opened = try opening(of: zone)
    let last = try store.changes(
      in: zone, seenBy: user, after: sequence, lossesAfter: sequence, limit: .max
    ).last?.sequence
    return opened > sequence ? max(opened, last ?? 0) : last
  }

  private func deletedZones(after sequence: Int64) throws -> [DeletedZone] {
    guard scope == .shared else {
      return try store.deletedZones(scope, of: owner(), after: sequence)
    }
    return try user.map { try store.lostZones(of: $0, after: sequence) } ?? []
  }

  /// The current token of a zone; nil for a zone without a feed.
  public func changeToken(of zone: Zone) throws(CloudError) -> ChangeToken? {
    guard scope != .public, !zone.id.isDefault else { return nil }
    let origin = try serving { () throws -> UInt64 in try feed(of: zone.id) }
    return ChangeToken(.zone, origin: origin, sequence: zone.sequence)
  }

  /// Checks for a feed; only private and shared databases have one (R9.9).
  private func requireFeed() throws(CloudError) {
    guard scope != .public else { throw .noFeed("the public database", zone: nil) }
    try requireActor()
  }

  /// The identity of this database, or of one of its zones.
  func origin(of zone: ZoneID?) -> UInt64 { origin(of: zone, in: nil) }

  /// The identity of the feed of this database or one of its zones, which also differs between
  /// incarnations of the environment.
  private func feed(of zone: ZoneID?) throws -> UInt64 {
    try origin(of: zone, in: store.incarnations()[0])
  }

  private func origin(of zone: ZoneID?, in incarnation: Incarnation?) -> UInt64 {
    var parts = [
      environment.container.text, environment.environment.rawValue, scope.name,
      account?.name ?? "", zone.map(identity)?.text ?? "",
    ]
    if let incarnation { parts.append("\(incarnation.identity)") }
    return Checksum64.hash(Array(parts.separated(by: "\u{0}").utf8), seed: 0)
  }

  /// The sequence number of a token; 0 for none. A token of a former incarnation is valid up to the
  /// point where that one is part of this one.
  private func place(
    of token: ChangeToken?, _ family: ChangeToken.Family, of zone: ZoneID?, made: Int64 = 0
  ) throws -> Int64 {
    guard let token else { return 0 }
    guard token.family == family else {
      throw CloudError(
        .invalidArguments,
        family == .zone
          ? "the token is for a database, not for a zone"
          : "the token is for a zone, not for a database")
    }
    let incarnation = try store.incarnations().first { origin(of: zone, in: $0) == token.origin }
    guard let incarnation else { throw CloudError.tokenExpired }
    let first = try max(made, store.forgottenSequence())
    let last = try incarnation.until ?? max(made, store.lastStoredSequence())
    // Deletions up to the horizon do not matter to the token, and may be forgotten.
    guard token.horizon >= first, token.horizon <= last else { throw CloudError.tokenExpired }
    return token.sequence
  }
}
