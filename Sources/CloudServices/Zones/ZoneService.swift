internal import Basics
public import CloudModel
internal import RecordStore

extension CloudDatabase {
  /// The zones in name order; the default zone is always among them (§1.3). Throws `CloudError`.
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

  /// Saves a zone. Returns and throws as `createZones`.
  public func createZone(_ name: ZoneName) throws(CloudError) -> Bool {
    try !createZones([name]).isEmpty
  }

  /// Saves zones in one transaction; those that exist stay as they are (rule 2.9).
  ///
  /// Returns those that were made. Throws `badDatabase` outside of the private database (rules
  /// 2.4 and 2.16).
  public func createZones(_ names: [ZoneName]) throws(CloudError) -> [ZoneName] {
    try requireAccount()
    for name in names { try strike(.zone, in: name) }
    guard scope == .private else {
      throw CloudError(
        .badDatabase, "Custom zones can be created in the private database only",
        zoneName: names.first?.text)
    }
    return try environment.write {
      let writer = try writer()
      return try names.filter { name in
        if try store.zone(name, scope, of: writer) != nil { return false }
        _ = try store.addZone(name, scope, of: writer)
        return !name.isDefault
      }
    }
  }

  /// Deletes a zone and all that is in it (rule 2.7), for a reason that change feeds tell.
  /// Throws `serverRejectedRequest` for the default zone (rule 2.15), `zoneNotFound` for a
  /// missing one (rule 2.8).
  public func deleteZone(
    _ name: ZoneName, reason: ZoneDeletionReason = .deleted
  ) throws(CloudError) {
    try requireAccount()
    try strike(.zone, in: name)
    guard !name.isDefault else {
      throw CloudError(
        .serverRejectedRequest, "The default zone cannot be deleted", zoneName: name.text)
    }
    try environment.write {
      let writer = try writer()
      guard scope == .private, let zone = try store.zone(name, scope, of: writer) else {
        throw try missing(name)
      }
      try store.deleteZone(zone, scope, of: writer, reason: reason)
    }
  }
}
