internal import Basics

/// The changes of a write transaction so far, apart from the rows themselves.
struct ChangeSet {
  /// The last sequence number that was given.
  var sequence: Int64
  /// Changes of the zones' counts and checksums, by the zones' numbers.
  var zones: [Int64: ZoneChange] = [:]
  /// The sums of zones at the beginning, as far as they were read.
  var sums: [Int64: ZoneSums] = [:]
  /// Whether a record no longer has contents that it had.
  var hasReleasedAssets = false
  /// Whether zones have shared hierarchies, as far as that is known.
  var areShared: [Int64: Bool] = [:]

  /// Whether zones were made or deleted.
  var hasZoneChanges = false

  init(sequence: Int64) { self.sequence = sequence }

  /// Forgets the changes of zones, which have been written.
  mutating func forgetZones() { (zones, sums) = ([:], [:]) }

  /// The sums over a zone's records, as its row has them.
  struct ZoneSums {
    var checksum: UInt64 = 0
    var types = ""

    mutating func add(_ change: ZoneChange) {
      checksum &+= change.all.checksum
      var extents = TypeExtents(stored: types)
      extents.add(change.types)
      types = extents.stored
    }
  }

  struct ZoneChange {
    var bytes: Int64 = 0
    var sequence: Int64 = 0
    /// Changes of the sums over all records.
    private(set) var all = Extent()
    /// Changes of the sums over the records of each type.
    private(set) var types = TypeExtents()

    mutating func note(
      _ change: Extent, ofType type: Int64, _ bytes: Int64, _ sequence: Int64
    ) {
      all += change
      types[type] += change
      self.bytes += bytes
      self.sequence = sequence
    }
  }

  /// Gives the next sequence number to a change in a zone that concerns no record.
  mutating func next(zone: Int64) -> Int64 {
    sequence += 1
    zones[zone, default: ZoneChange()].sequence = sequence
    return sequence
  }

  /// Gives the next sequence number to a change of a record.
  mutating func next(zone: Int64, type: Int64, _ change: Extent, bytes: Int64 = 0) -> Int64 {
    sequence += 1
    note(zone: zone, type: type, change, bytes: bytes)
    return sequence
  }

  /// Gives the next sequence numbers to deletions in a zone; `deleted` has the sums over the
  /// records of each type.
  mutating func note(deletions deleted: TypeExtents, zone: Int64, bytes: Int64) {
    for deleted in deleted.list {
      sequence += Int64(deleted.extent.count)
      note(zone: zone, type: deleted.type, Extent() - deleted.extent)
    }
    zones[zone]?.bytes -= bytes
  }

  /// Notes a change that already has a sequence number.
  mutating func note(zone: Int64, type: Int64, _ change: Extent, bytes: Int64 = 0) {
    zones[zone, default: ZoneChange()].note(change, ofType: type, bytes, sequence)
  }
}
