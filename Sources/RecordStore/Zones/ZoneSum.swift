internal import Basics
internal import CloudModel
public import StoreFiles

/// The sums over the records that were read of a zone. They must match the zone's row: this reveals
/// a record that damage hides.
public struct ZoneSum {
  private(set) var found = Extent()
  /// Whether a record was skipped that is already reported.
  public var hasDamage = false

  /// No records.
  public init() {}

  mutating func add(_ checksum: UInt64) {
    found += Extent(count: 1, checksum: checksum)
  }

  /// Adds a record.
  public mutating func add(_ record: StoredRecord) { add(record.checksum) }

  /// The damage of a zone of which all records were added; nil for none.
  public func damage(of zone: StoredZone) -> StoreError? {
    let (name, counted, count) = (zone.zone.id, zone.zone.recordCount, found.count)
    if hasDamage || count == counted && found.checksum == zone.checksum { return nil }
    return StoreError(
      .damagedZone(name),
      count == counted
        ? "zone '\(name.text)' is damaged: its records do not match its checksum"
        : "zone '\(name.text)' is damaged: it counts \(counted.counted("record")), but \(count) "
          + "can be found")
  }
}
