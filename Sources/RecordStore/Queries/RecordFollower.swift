internal import CloudModel

/// Finds the records that references lead to, for key paths: in the zone of the record that has
/// the reference (R5.11), and each of them once.
final class RecordFollower {
  private let store: EnvironmentStore
  private let zones: [StoredZone]
  private var known: [ZoneID: [[UInt8]: Found?]] = [:]
  private var count = 0

  typealias Found = (record: Record, schema: RecordTypeSchema)

  /// So many records are kept in memory.
  private static let most = 10_000

  init(_ store: EnvironmentStore, _ zones: [StoredZone]) {
    self.store = store
    self.zones = zones
  }

  /// The record that a reference of another names; nil for none.
  func record(_ reference: Reference, from source: Record) throws -> Found? {
    // Not by its characters: names are told apart by their bytes.
    let key = Array(reference.name.text.utf8)
    if let found = known[source.zone]?[key] { return found }
    guard let zone = zones.first(where: { $0.zone.id == source.zone }) else { return nil }
    if count == Self.most {
      known.removeAll()
      count = 0
    }
    let found: Found?
    if let record = try store.record(reference.name, in: zone)?.record,
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
}
