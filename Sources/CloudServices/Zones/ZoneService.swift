internal import Basics
public import CloudModel
internal import RecordStore

/// What became of zones that were saved.
public struct ZonesResult: Sendable {
  /// Those that were not there before.
  public var made: [ZoneName]
  /// The notices of the operation.
  public var notices: [Notice]
}

extension CloudDatabase {
  /// The zones in name order; the default zone is always among them (R1.3.15). Throws `CloudError`.
  public func zones() throws(CloudError) -> [Zone] {
    try requireReader()
    try strike(.zone)
    return try environment.read {
      var zones = try storedZones().map(\.zone)
      if scope != .shared, !zones.contains(where: \.name.isDefault) {
        let place = zones.firstIndex { !utf8Precedes($0.name.text, ZoneName.defaultZone.text) }
        zones.insert(
          Zone(name: .defaultZone, recordCount: 0, sequence: 0), at: place ?? zones.count)
      }
      return zones
    }
  }

  /// One zone. Throws `zoneNotFound`.
  public func zone(_ name: ZoneName) throws(CloudError) -> Zone {
    try requireReader()
    try strike(.zone, in: name)
    return try environment.read {
      try zoneToRead(name)?.zone ?? Zone(name: name, recordCount: 0, sequence: 0)
    }
  }

  /// How many records of each type a zone has. Throws `zoneNotFound`.
  public func recordCounts(in name: ZoneName) throws(CloudError) -> [(RecordType, Int)] {
    try requireReader()
    return try environment.read {
      guard let zone = try zoneToRead(name) else { return [] }
      var counts: [(RecordType, Int)] = []
      for type in try store.types() {
        guard let table = try store.table(type) else { continue }
        let count = try store.count(table, in: zone)
        if count > 0 { counts.append((type, count)) }
      }
      return counts
    }
  }

  /// Saves zones in one transaction; those that exist stay as they are (R2.9).
  ///
  /// Throws `badDatabase` outside of the private database (R2.4, R2.16).
  public func createZones(_ names: [ZoneName]) throws(CloudError) -> ZonesResult {
    try requireAccount()
    for name in names { try strike(.zone, in: name) }
    guard scope == .private else {
      throw CloudError(
        .badDatabase, "Custom zones can be created in the private database only",
        zoneName: names.first?.text)
    }
    return try write { transaction in
      let made = try names.filter { name in
        if try store.zone(name, scope, of: transaction.writer) != nil { return false }
        _ = try store.addZone(name, scope, of: transaction.writer)
        return !name.isDefault
      }
      return ZonesResult(made: made, notices: transaction.notices)
    }
  }

  /// Deletes a zone and all that is in it (R2.7), for a reason that change feeds tell.
  /// Throws `serverRejectedRequest` for the default zone (R2.15), `zoneNotFound` for a
  /// missing one (R2.8).
  public func deleteZone(
    _ name: ZoneName, reason: ZoneDeletionReason = .deleted
  ) throws(CloudError) {
    try requireAccount()
    try strike(.zone, in: name)
    guard !name.isDefault else {
      throw CloudError(
        .serverRejectedRequest, "The default zone cannot be deleted", zoneName: name.text)
    }
    try write { transaction in
      let writer = transaction.writer
      guard scope == .private, let zone = try store.zone(name, scope, of: writer) else {
        throw try missing(name)
      }
      try store.deleteZone(zone, scope, of: writer, reason: reason)
    }
  }
}
