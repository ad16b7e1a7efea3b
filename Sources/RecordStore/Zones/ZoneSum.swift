internal import Basics
internal import CloudModel
public import StoreFiles

/// The count and the sum of the records that were read of a zone. They must match the zone's row:
/// this reveals a record that damage hides.
public struct ZoneSum {
  private var count = 0
  private var checksum: UInt64 = 0
  /// Whether a record was skipped that is already reported.
  public var hasDamage = false

  /// No records.
  public init() {}

  mutating func add(_ checksum: UInt64) {
    count += 1
    self.checksum &+= checksum
  }

  /// Adds a record.
  public mutating func add(_ record: StoredRecord) { add(record.checksum) }

  /// The damage of a zone of which all records were added; nil for none.
  public func damage(of zone: StoredZone) -> StoreError? {
    let (name, counted) = (zone.zone.id, zone.zone.recordCount)
    if hasDamage || count == counted && checksum == zone.checksum { return nil }
    return StoreError(
      .damagedZone(name),
      count == counted
        ? "zone '\(name.text)' is damaged: its records do not match its checksum"
        : "zone '\(name.text)' is damaged: it counts \(counted.counted("record")), but \(count) "
          + "can be found")
  }
}
