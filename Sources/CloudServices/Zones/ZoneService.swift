internal import Basics
public import CloudModel
internal import RecordStore

/// The result of saving zones.
public struct ZonesResult: Sendable {
  /// The new zones.
  public var made: [ZoneID]
  /// The notices of the operation.
  public var notices: [Notice]
}

extension CloudDatabase {
  /// The zones in name order, always including the default zone (R1.3.15).
  public func zones() throws(CloudError) -> [Zone] {
    try requireReader()
    try strike(.zone, isReading: true)
    return try environment.read {
      var zones = try seen(storedZones())
      if scope != .shared, !zones.contains(where: \.id.isDefault) {
        let place = zones.firstIndex { !utf8Precedes($0.id.name.text, ZoneName.defaultZone.text) }
        zones.insert(
          Zone(id: .defaultZone, recordCount: 0, sequence: 0), at: place ?? zones.count)
      }
      return zones
    }
  }

  /// Returns a zone. Throws `zoneNotFound`.
  public func zone(_ id: ZoneID) throws(CloudError) -> Zone {
    try requireReader()
    try strike(.zone, in: id, isReading: true)
    return try environment.read {
      try zoneToRead(id).flatMap { try seen([$0]).first }
        ?? Zone(id: identity(id), recordCount: 0, sequence: 0)
    }
  }

  /// How many records of each type this database shows in a zone. Throws `zoneNotFound`.
  public func recordCounts(in id: ZoneID) throws(CloudError) -> [(RecordType, Int)] {
    try requireReader()
    return try environment.read {
      guard let zone = try zoneToRead(id) else { return [] }
      return try storedCounts(in: zone)
    }
  }

  /// Zones with the number of records, and the zone-wide share, that this database shows.
  private func seen(_ zones: [StoredZone]) throws -> [Zone] {
    var seen = try counted(zones)
    if scope == .public { return seen }
    for (index, zone) in zones.enumerated() where try seesAll(of: zone) {
      seen[index].share = try store.share(.zoneWideShare, in: zone)?.name
    }
    return seen
  }

  private func counted(_ zones: [StoredZone]) throws -> [Zone] {
    if scope == .public, try hidesRecords() {
      return try zones.map { zone in
        let counts = try storedCounts(in: zone)
        return Zone(
          id: zone.zone.id, recordCount: counts.reduce(0) { $0 + $1.1 },
          sequence: zone.zone.sequence)
      }
    }
    guard scope == .shared, let user else { return zones.map(\.zone) }
    let counts = try store.coveredCounts(seenBy: user)
    return try zones.map { zone in
      if try seesAll(of: zone) { return zone.zone }
      return Zone(
        id: zone.zone.id, recordCount: counts[zone.number] ?? 0, sequence: zone.zone.sequence)
    }
  }

  /// Whether the user may not read all records of some type.
  private func hidesRecords() throws -> Bool {
    for type in try store.types() {
      guard let table = try store.table(type) else { continue }
      if try permissions.visibility(of: table.schema.grants) != .all { return true }
    }
    return false
  }

  private func storedCounts(in zone: StoredZone) throws -> [(RecordType, Int)] {
    var counts: [(RecordType, Int)] = []
    for type in try store.types() {
      guard let table = try store.table(type) else { continue }
      let count = try count(table, in: zone)
      if count > 0 { counts.append((type, count)) }
    }
    return counts
  }

  /// How many records of a type this database shows in a zone.
  private func count(_ table: TypeTable, in zone: StoredZone) throws -> Int {
    if try seesAll(of: zone) {
      return try store.count(table, in: zone, visibleRows(of: nil, in: zone)(table))
    }
    return try user.flatMap { try store.coveredCounts(of: table, seenBy: $0)[zone.number] } ?? 0
  }

  /// Saves zones in one transaction; existing zones do not change (R2.9).
  ///
  /// Throws `badDatabase` outside of the private database (R2.4, R2.16).
  public func createZones(_ ids: [ZoneID]) throws(CloudError) -> ZonesResult {
    try requireActor()
    for id in ids { try strike(.zone, in: id) }
    guard scope == .private else {
      throw CloudError(
        .badDatabase, "Custom zones can be created in the private database only",
        zone: ids.first)
    }
    let zones = ids.map(identity)
    if let foreign = zones.first(where: { $0.owner != .current }) {
      throw CloudError(
        .invalidArguments, "A user can only create their own zones", zone: foreign)
    }
    return try write { transaction in
      let made = try zones.filter { zone in
        if try store.zone(zone, scope, of: transaction.writer) != nil { return false }
        _ = try store.addZone(zone, scope, of: transaction.writer)
        return !zone.isDefault
      }
      return ZonesResult(made: made, notices: transaction.notices)
    }
  }

  /// Deletes a zone with all its records (R2.7), for a reason that change feeds report; in the
  /// shared database leaves all shares of the zone instead (R10.3.14). Throws
  /// `serverRejectedRequest` for the default zone (R2.15), `zoneNotFound` for a missing one (R2.8).
  public func deleteZone(
    _ id: ZoneID, reason: ZoneDeletionReason = .deleted
  ) throws(CloudError) {
    try requireActor()
    try strike(.zone, in: id)
    guard !id.isDefault else {
      throw CloudError(
        .serverRejectedRequest, "The default zone cannot be deleted", zone: id)
    }
    try write { transaction in
      let writer = transaction.writer
      if scope == .shared { return try leaveShares(of: zoneToWrite(id, writer)) }
      guard scope == .private, let zone = try zoneIfMade(id, writer) else {
        throw try missing(identity(id))
      }
      try store.deleteZone(zone, scope, of: writer, reason: reason)
    }
  }
}
