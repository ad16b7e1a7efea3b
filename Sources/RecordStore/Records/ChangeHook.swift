public import CloudModel
internal import SQLite
internal import StoreFiles

/// Receives the changes of records, within the transaction that makes them.
public struct ChangeListener {
  /// The record types it listens to; nil for all.
  public let types: Set<RecordType>?
  /// Called with each change, in order, before the transaction is committed.
  public let body: (RecordChange) throws -> Void

  /// Puts a listener together.
  public init(types: Set<RecordType>?, _ body: @escaping (RecordChange) throws -> Void) {
    self.types = types
    self.body = body
  }

  func wants(_ type: RecordType) -> Bool { types?.contains(type) ?? true }
}

/// The one place where all that writes records reports what it does: a save, a batch, an import, a
/// cascade, the deletion of a zone, a change of the schema. Without a listener it is a comparison
/// with nil.
extension EnvironmentStore {
  /// Whether changes of a type are to be reported.
  func isHeard(_ table: TypeTable) -> Bool { listener?.wants(table.schema.name) ?? false }

  /// Reports what became of a record, by its number.
  func report(
    _ number: Int64, _ table: TypeTable, in zone: Int64, before: Record?
  ) throws(StoreError) {
    guard isHeard(table) else { return }
    let place = try place(of: zone)
    let after = try stored(numbered: number, type: table.number, in: place.stored, keys: nil)
    report(before: before, after: after.record, place)
  }

  /// Reports a change whose outcome is known.
  func report(
    before: Record, after: Record, _ table: TypeTable, in zone: Int64
  ) throws(StoreError) {
    guard isHeard(table) else { return }
    report(before: before, after: after, try place(of: zone))
  }

  /// Reports that a record is about to be deleted, by its number.
  func reportDeletion(
    of number: Int64, _ table: TypeTable, in zone: Int64
  ) throws(StoreError) {
    guard isHeard(table) else { return }
    let place = try place(of: zone)
    let before = try stored(numbered: number, type: table.number, in: place.stored)
    report(before: before.record, after: nil, place)
  }

  /// Reports that records of a type are about to be deleted: the rows that a condition finds.
  func reportDeletions(
    _ table: TypeTable, in zone: Int64, where condition: String
  ) throws(StoreError) {
    guard isHeard(table) else { return }
    let place = try place(of: zone)
    for record in try records(table, place, where: condition) {
      report(before: record.record, after: nil, place)
    }
  }

  /// Reports what a change of a type's values does to the records that a condition finds; they have
  /// the same numbers then.
  func reportingChanges(
    of table: TypeTable, where condition: String, _ work: () throws(StoreError) -> Void
  ) throws(StoreError) {
    guard isHeard(table) else { return try work() }
    let zones = try connection.numbers(
      "SELECT DISTINCT _zone FROM \(table.table) WHERE \(condition)")
    var before: [(Place, StoredRecord)] = []
    for zone in zones {
      let place = try place(of: zone)
      before += try records(table, place, where: "(\(condition)) AND _zone = \(zone)").map {
        (place, $0)
      }
    }
    try work()
    for (place, old) in before {
      let new = try stored(numbered: old.number, type: table.number, in: place.stored, keys: nil)
      report(before: old.record, after: new.record, place)
    }
  }

  /// Passes the changes of the transaction to the listener, before the commit. Throws what
  /// the listener throws.
  public func tellListener() throws {
    guard let listener else { return }
    let told = heard
    heard.removeAll()
    for change in told { try listener.body(change) }
  }

  private func report(before: Record?, after: Record?, _ place: Place) {
    heard.append(
      RecordChange(in: place.scope, place.stored.zone.id, before: before, after: after))
  }

  private func records(
    _ table: TypeTable, _ place: Place, where condition: String
  ) throws(StoreError) -> [StoredRecord] {
    let numbers = try connection.numbers(
      "SELECT _id FROM \(table.table) WHERE \(condition) ORDER BY _id")
    var records: [StoredRecord] = []
    for number in numbers {
      records.append(
        try stored(numbered: number, type: table.number, in: place.stored, keys: nil))
    }
    return records
  }

  /// Where a zone is.
  private struct Place {
    let stored: StoredZone
    let scope: DatabaseScope
  }

  private func place(of zone: Int64) throws(StoreError) -> Place {
    let row = try connection.prepared(
      """
      SELECT z.scope, z.name, u.name, z.owner FROM _zone z LEFT JOIN _user u ON u._id = z.owner
      WHERE z._id = ?
      """)
    row.bind(zone, 1)
    guard try row.next(), let scope = DatabaseScope(rawValue: Int(row.int64(0))) else {
      throw connection.damage("zone \(zone) is missing")
    }
    defer { row.reset() }
    // Records of users are addressed in the default zone.
    let isOfUsers = row.int64(3) == Migrations.systemOwner
    let name = isOfUsers ? ZoneName.defaultZone : ZoneName(stored: row.text(1))
    let owner = row.isNull(2) ? nil : UserRecordName(stored: row.text(2))
    let id = ZoneID(name, owner: owner.map { .user($0) } ?? .current)
    return Place(
      stored: StoredZone(
        number: zone, zone: Zone(id: id, recordCount: 0, sequence: 0), made: 0), scope: scope)
  }
}
