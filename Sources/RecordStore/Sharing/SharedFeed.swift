public import CloudModel
internal import SQLite
public import StoreFiles

// What a user sees of another user's zone in which records are shared, but not the whole zone.
extension EnvironmentStore {
  /// A query for the numbers of the records of a type that are covered by shares that a user has
  /// accepted, in a zone or in all (nil).
  static func coveredNumbers(
    of table: TypeTable, in zone: StoredZone?, seenBy user: UserRecordName
  ) -> SQLFragment {
    let zones = zone.map { SQLFragment(" AND s.zone = ?", [.integer($0.number)]) }
    return SQLFragment("WITH some(share, zone) AS (\(acceptedShares)", [.text(user.text)])
      + (zones ?? SQLFragment("")) + SQLFragment(") ")
      + SQLFragment(covers(of: table, \.record))
  }

  /// The shares that a user has accepted, and their zones; the user record name must be bound.
  private static let acceptedShares = """
    SELECT p.share, s.zone FROM _participant p CROSS JOIN _share s ON s._id = p.share
    WHERE p.user = ? AND p.status = \(AcceptanceStatus.accepted.rawValue)
    """

  /// The numbers of the records of a type in a zone that are covered by shares that a user has
  /// accepted.
  public func coveredRecords(
    of table: TypeTable, in zone: StoredZone, seenBy user: UserRecordName
  ) throws(StoreError) -> Set<Int64> {
    let row = try statement(Self.coveredNumbers(of: table, in: zone, seenBy: user))
    var numbers: Set<Int64> = []
    while try row.next() { numbers.insert(row.int64(0)) }
    return numbers
  }

  /// The number of records in each zone, or of a type there, that are covered by shares that a user
  /// has accepted, by the zones' numbers.
  public func coveredCounts(
    of table: TypeTable? = nil, seenBy user: UserRecordName
  ) throws(StoreError) -> [Int64: Int] {
    let row = try connection.query(
      """
      WITH some(share, zone) AS (\(Self.acceptedShares))
      SELECT zone, count(*)
      FROM (\(Self.covers(of: table) { "\($0.zone) AS zone" })) GROUP BY zone
      """)
    row.bind(user.text, 1)
    var counts: [Int64: Int] = [:]
    while try row.next() { counts[row.int64(0)] = Int(row.int64(1)) }
    return counts
  }

  /// What a user sees changed in a zone after a sequence number, oldest first, up to a limit:
  /// records that changed or that the user gained, each once, and those that the user lost after a
  /// sequence number of their own.
  public func changes(
    in zone: StoredZone, seenBy user: UserRecordName, after sequence: Int64,
    lossesAfter horizon: Int64, limit: Int
  ) throws(StoreError) -> [StoredChange] {
    guard zone.zone.sequence > min(sequence, horizon) else { return [] }
    var found: [Int64: StoredChange] = [:]
    for type in try types() {
      guard let table = try table(type) else { continue }
      for change in try changedRecords(of: table, in: zone, seenBy: user, after: sequence) {
        guard case .record(let number, _) = change.subject else { continue }
        found[number] = change
      }
    }
    var losses: [StoredChange] = []
    let log = try visibility(in: zone, of: user, after: min(sequence, horizon))
    for entry in log {
      if let stored = try seenRecord(entry.name, in: zone, by: user) {
        guard entry.isGained, entry.sequence > max(sequence, stored.sequence) else { continue }
        found[stored.number] = StoredChange(
          sequence: entry.sequence, version: stored.sequence,
          subject: .record(stored.number, type: stored.type))
      } else if !entry.isGained, entry.sequence > horizon {
        losses.append(
          StoredChange(sequence: entry.sequence, subject: .deletion(entry.name, entry.type)))
      }
    }
    let all = (found.values + losses).sorted { $0.sequence < $1.sequence }
    return all.count > limit ? Array(all[..<limit]) : all
  }

  /// A record of a zone by its name, without fields, if a share covers it that a user has accepted;
  /// nil otherwise.
  private func seenRecord(
    _ name: RecordName, in zone: StoredZone, by user: UserRecordName
  ) throws(StoreError) -> StoredRecord? {
    guard let stored = try record(name, in: zone, keys: []), let cover = try cover(of: stored),
      try membership(of: user, in: cover) != nil
    else { return nil }
    return stored
  }

  /// The records of a type that changed after a sequence number, by the feed's index if there is
  /// one, else from everything that the user sees.
  private func changedRecords(
    of table: TypeTable, in zone: StoredZone, seenBy user: UserRecordName, after sequence: Int64
  ) throws(StoreError) -> [StoredChange] {
    let index = sequence > 0 ? try feedIndex(of: table) : nil
    let covered = Self.coveredNumbers(of: table, in: zone, seenBy: user)
    var query = SQLFragment("SELECT t._id, t._sequence FROM \(table.table) t")
    if let index { query += " INDEXED BY \(index.identifier)" }
    query += SQLFragment(
      " WHERE \(index == nil ? "+" : "")t._zone = ? AND \(index == nil ? "+" : "")t._sequence > ?",
      [.integer(zone.number), .integer(sequence)])
    query += SQLFragment(" AND \(index == nil ? "" : "+")t._id IN (") + covered + SQLFragment(")")
    let row = try statement(query)
    var changes: [StoredChange] = []
    while try row.next() {
      changes.append(
        StoredChange(
          sequence: row.int64(1), subject: .record(row.int64(0), type: table.number)))
    }
    return changes
  }

  private func visibility(
    in zone: StoredZone, of user: UserRecordName, after sequence: Int64
  ) throws(StoreError) -> [VisibilityChange] {
    try database.rows(
      "WHERE user = ? AND zone = ? AND sequence > ? ORDER BY sequence",
      [user, zone.number, sequence])
  }
}
