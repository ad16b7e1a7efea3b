internal import Basics

/// The changes of a write transaction so far, apart from the rows themselves.
struct ChangeSet {
  /// The last sequence number that was given.
  var sequence: Int64
  /// Changes of the zones' counts and checksums, by the zones' numbers.
  var zones: [Int64: ZoneChange] = [:]
  /// The checksums of zones at the beginning, as far as they were read.
  var checksums: [Int64: UInt64] = [:]
  /// Whether a record no longer has contents that it had.
  var hasReleasedAssets = false
  /// Whether zones have shared hierarchies, as far as that is known.
  var areShared: [Int64: Bool] = [:]

  /// Whether zones were made or deleted.
  var hasZoneChanges = false

  init(sequence: Int64) { self.sequence = sequence }

  /// Forgets the changes of zones, which have been written.
  mutating func forgetZones() { (zones, checksums) = ([:], [:]) }

  struct ZoneChange {
    var records = 0
    var checksum: UInt64 = 0
    var bytes: Int64 = 0
    var sequence: Int64 = 0
  }

  /// Gives the next sequence number to a change in a zone.
  mutating func next(
    zone: Int64, records: Int = 0, checksum: UInt64 = 0, bytes: Int64 = 0
  ) -> Int64 {
    sequence += 1
    note(zone: zone, records: records, checksum: checksum, bytes: bytes)
    return sequence
  }

  /// Gives the next sequence numbers to deletions in a zone, whose records had these sums.
  mutating func note(deletions count: Int, zone: Int64, checksum: UInt64, bytes: Int64) {
    sequence += Int64(count)
    note(zone: zone, records: -count, checksum: 0 &- checksum, bytes: -bytes)
  }

  /// Notes a change that already has a sequence number.
  mutating func note(zone: Int64, records: Int = 0, checksum: UInt64, bytes: Int64 = 0) {
    var change = zones[zone] ?? ZoneChange()
    change.records += records
    change.checksum &+= checksum
    change.bytes += bytes
    change.sequence = sequence
    zones[zone] = change
  }
}
