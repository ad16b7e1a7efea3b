internal import Basics
public import CloudModel
internal import SQLite
internal import StoreFiles

/// Returns which records a query subscription is about, nil if it can match none, and whether that
/// depends on more than records.
public typealias SubscriptionSelecting =
  (StoredSubscription) throws -> (selection: RecordSelection, isVolatile: Bool)?

/// The changes of an operation that subscriptions need: the numbers of records, not their contents.
/// New records need no entry: their numbers are greater than the last one before the operation.
struct ChangeJournal {
  /// The last sequence number before the operation.
  var start: Int64
  var updated = GrowingList<Place>()
  var deleted = GrowingList<Place>()
  /// What query subscriptions wanted of the deleted records.
  var matches = GrowingList<SubscriptionMatch>()
  /// The types that the operation dropped, with their numbers.
  var dropped: [(type: RecordType, number: Int64)] = []
  /// Returns which records a query subscription is about.
  let select: SubscriptionSelecting

  /// Where a record is, or was.
  struct Place: Hashable {
    let number: Int64
    let type: Int64
    let zone: Int64
  }
}

/// A change that fires a query subscription.
public struct SubscriptionMatch {
  /// The subscription's place among all.
  let entry: Int
  /// The subscription.
  public let subscription: StoredSubscription
  /// What happened to the record.
  public let reason: PushNotification.Reason
  /// The zone of the record: a private one with the name of its owner.
  public let zone: ZoneID
  /// The record's name.
  public let name: RecordName
  /// The record, with the fields that the push needs, as it is or was last; nil if the push needs
  /// none.
  public let record: Record?
  /// The sequence number of the change.
  public let sequence: Int64
}

extension EnvironmentStore {
  /// Begins to note the changes of an operation, whose transaction has begun, if there are
  /// subscriptions. Throws `StoreError`, and the errors of `select`.
  public func beginJournal(_ select: @escaping SubscriptionSelecting) throws {
    if subscriptionIndex?.isVolatile == true { subscriptionIndex = nil }
    state.journal = ChangeJournal(start: lastSequence, select: select)
    if try currentIndex()?.entries.isEmpty != false { state.journal = nil }
  }

  /// The subscriptions, ready for matching by the current schema: the operation itself may drop a
  /// type or field that they name. Nil if no changes are noted. Throws `StoreError`, and the errors
  /// of the journal's `select`.
  func currentIndex() throws -> SubscriptionIndex? {
    guard let journal = state.journal else { return nil }
    if let index = subscriptionIndex, index.version == catalog.version { return index }
    // Most stores have no subscription: every save would prepare the long query for nothing.
    let hasAny = try database.hasRow("SELECT 1 FROM _subscription LIMIT 1")
    let entries = try (hasAny ? subscriptions() : []).map { stored in
      (stored: stored, found: try journal.select(stored))
    }
    let hasHeld =
      try hasAny && database.hasRow("SELECT 1 FROM _notification WHERE user < 0 LIMIT 1")
    let index = SubscriptionIndex(
      version: catalog.version,
      entries.map { SubscriptionIndex.Entry(stored: $0.stored, selection: $0.found?.selection) },
      isVolatile: entries.contains { $0.found?.isVolatile == true }, hasHeld: hasHeld)
    subscriptionIndex = index
    return index
  }

  /// Stops noting changes.
  public func endJournal() { state.journal = nil }

  /// Whether changes are noted.
  public var hasJournal: Bool { state.journal != nil }

  /// Notes a change of a record.
  func note(update stored: StoredRecord) {
    state.journal?.updated.append(
      .init(number: stored.number, type: stored.type, zone: stored.zone))
  }

  /// Notes records that are about to be deleted, in the order of their deletion: whether they match
  /// subscriptions can be known only now (R8.1.7).
  func note(
    deletions records: [(number: Int64, type: Int64)], zone: Int64
  ) throws {
    guard let index = try currentIndex() else { return }
    let place = try changedZone(zone)
    for (offset, record) in records.enumerated() {
      state.journal?.deleted.append(.init(number: record.number, type: record.type, zone: zone))
      // A record that the operation itself made was never visible to others.
      guard record.number <= state.journal?.start ?? 0,
        let matcher = try index.matcher(record.type, in: place.place, self)
      else { continue }
      let sequence = lastSequence + Int64(offset) + 1
      try matcher.matches(
        in: record.number...record.number, self,
        wanting: { index.entries[$0].wants(.delete, in: place) }
      ) { (match) throws(StoreError) in
        state.journal?.matches.append(
          try self.match(match, index.entries[match.entry], .deleted, place, sequence))
      }
    }
  }

  /// Notes all records of a zone, which are about to be deleted.
  func note(deletionOfZone zone: Int64) throws {
    guard let index = try currentIndex() else { return }
    let place = try changedZone(zone)
    for type in index.types.sorted()
    where index.entries.contains(where: { $0.isQuery(of: type) && $0.wants(.delete, in: place) }) {
      let numbers = try connection.numbers(
        "SELECT _id FROM \(try table(of: type).table) WHERE _zone = \(zone) ORDER BY _id")
      try note(deletions: numbers.map { ($0, type) }, zone: zone)
    }
  }

  private func match(
    _ match: QueryMatcher.Match, _ entry: SubscriptionIndex.Entry,
    _ reason: PushNotification.Reason, _ place: ChangedZone, _ sequence: Int64
  ) throws(StoreError) -> SubscriptionMatch {
    let keys = entry.stored.subscription.info?.keys ?? []
    var record: Record?
    if !keys.isEmpty, let type = entry.selection?.table.number {
      record = try stored(numbered: match.number, type: type, in: place.stored, keys: keys).record
    }
    return SubscriptionMatch(
      entry: match.entry, subscription: entry.stored, reason: reason,
      zone: place.stored.zone.id, name: match.name, record: record, sequence: sequence)
  }

  /// The query subscriptions that the operation fires, in the order of its changes, and for one
  /// change in the order of the subscriptions. A record that was made and changed counts as made.
  public func queryMatches() throws -> [SubscriptionMatch] {
    guard let index = try currentIndex(), let journal = state.journal else { return [] }
    try catalog.makePendingTables()
    var found = Array(journal.matches.elements)
    func add(
      _ numbers: ClosedRange<Int64>, _ type: Int64, _ place: DatabasePlace,
      _ event: Subscription.Events
    ) throws(StoreError) {
      guard let matcher = try index.matcher(type, in: place, self) else { return }
      try matcher.matches(
        in: numbers, self, wanting: { index.entries[$0].stored.subscription.events.contains(event) }
      ) { (match) throws(StoreError) in
        let zone = try changedZone(match.zone)
        guard zone.place == place, index.entries[match.entry].wants(event, in: zone) else { return }
        let reason: PushNotification.Reason = event == .create ? .created : .updated
        found.append(
          try self.match(match, index.entries[match.entry], reason, zone, match.sequence))
      }
    }
    var places: Set<DatabasePlace> = []
    for zone in state.changes?.zones.keys.sorted() ?? [] {
      places.insert(try changedZone(zone).place)
    }
    if journal.start < lastSequence {
      for type in index.types.sorted() {
        for place in places {
          try add((journal.start + 1)...lastSequence, type, place, .create)
        }
      }
    }
    var met: Set<ChangeJournal.Place> = []
    for record in journal.updated.elements
    where record.number <= journal.start && met.insert(record).inserted {
      let zone = try changedZone(record.zone)
      try add(record.number...record.number, record.type, zone.place, .update)
    }
    return found.sorted { ($0.sequence, $0.entry) < ($1.sequence, $1.entry) }
  }

  // MARK: Zones

  /// A zone with changes, and its owner.
  struct ChangedZone {
    let stored: StoredZone
    let place: DatabasePlace
  }

  /// A zone by its number; in a private database with its owner's name.
  func changedZone(_ number: Int64) throws(StoreError) -> ChangedZone {
    if let known = knownZones[number] { return known }
    let found = try database.first(
      """
      SELECT z.scope, z.owner, z.name, u.name FROM _zone z LEFT JOIN _user u ON u._id = z.owner
      WHERE z._id = ?
      """, [number]
    ) { (row) throws(StoreError) in
      var cells = Cells(row)
      let place = DatabasePlace(scope: cells.next(), owner: cells.next())
      let (name, owner): (ZoneName, UserRecordName?) = (cells.next(), cells.next())
      let id = ZoneID(name, owner: owner.map { .user($0) } ?? .current)
      return ChangedZone(
        stored: StoredZone(
          number: number, zone: Zone(id: id, recordCount: 0, sequence: lastSequence), made: 0),
        place: place)
    }
    guard let found else { throw connection.damage("zone \(number) is missing") }
    knownZones[number] = found
    return found
  }
}

extension SubscriptionIndex.Entry {
  /// Whether the subscription is about an event in a zone.
  fileprivate func wants(
    _ event: Subscription.Events, in zone: EnvironmentStore.ChangedZone
  ) -> Bool {
    guard stored.subscription.events.contains(event) else { return false }
    return stored.subscription.zone.map { $0.name == zone.stored.zone.id.name } ?? true
  }
}
