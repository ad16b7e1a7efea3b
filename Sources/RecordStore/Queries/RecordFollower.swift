internal import CloudModel

/// Finds the records that references lead to, for key paths: in the zone of the record that has the
/// reference (R5.11), each of them once.
final class RecordFollower {
  private let store: EnvironmentStore
  private let zones: [StoredZone]
  private var known: [ZoneID: [[UInt8]: Found?]] = [:]
  private var count = 0

  typealias Found = (record: Record, schema: RecordTypeSchema)

  /// The maximum number of records that are kept in memory.
  private static let most = 10_000

  private let audience: RecordSelection.Audience?

  init(_ store: EnvironmentStore, _ selection: RecordSelection) {
    self.store = store
    (zones, audience) = (selection.zones, selection.audience)
  }

  /// The record that a reference of another names; nil if there is none.
  func record(_ reference: Reference, from source: Record) throws -> Found? {
    // Names are compared by bytes, not by characters.
    let key = Array(reference.name.text.utf8)
    if let found = known[source.zone]?[key] { return found }
    guard let zone = zones.first(where: { $0.zone.id == source.zone }) else { return nil }
    if count == Self.most {
      known.removeAll()
      count = 0
    }
    let found: Found?
    if let stored = try store.record(reference.name, in: zone), try isSeen(stored, in: zone),
      case let record = stored.record,
      let schema = try store.table(record.type)?.schema
    {
      found = (record, schema)
    } else {
      found = nil
    }
    known[source.zone, default: [:]][key] = .some(found)
    count += 1
    return found
  }

  /// A reference does not lead to a record that the audience does not see.
  private func isSeen(_ stored: StoredRecord, in zone: StoredZone) throws -> Bool {
    guard let audience, !audience.seesAll(of: zone) else { return true }
    guard let share = try store.cover(of: stored) else { return false }
    return try store.membership(of: audience.user, in: share) != nil
  }
}
