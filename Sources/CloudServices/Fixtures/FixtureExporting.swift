internal import Basics
public import CloudModel
internal import RecordStore

/// A step through all that a fixture of a store has.
public enum FixtureStep {
  /// A zone begins.
  case zone(DatabaseScope, ZoneID)
  /// A record of that zone, and the targets of its references that are not there.
  case record(Record, dangling: [RecordName])
}

extension CloudDatabase {
  /// Goes through the public database and the account's private one as they are at one moment:
  /// zones and records in name order; default zones without records are passed over. Throws
  /// `CloudError`, and what `body` throws.
  public func walkFixture(_ body: (FixtureStep) throws -> Void) throws(CloudError) {
    try requireAccount()
    try environment.read {
      for scope in [DatabaseScope.public, .private] {
        let database = try environment.database(scope)
        for zone in try database.storedZones() {
          if zone.zone.id.isDefault, zone.zone.recordCount == 0 { continue }
          try body(.zone(scope, zone.zone.id))
          try store.list(zone, type: nil, visible: database.visibleRows(of: nil, in: zone)) {
            record in
            try store.checkInterrupt()
            if record.type == .share { return true }
            let dangling = try record.fields.entries.flatMap(\.value.targets).filter {
              try !$0.isOfUser && !store.hasRecord($0, in: zone)
            }
            try body(.record(record, dangling: dangling))
            return true
          }
        }
      }
    }
  }
}
