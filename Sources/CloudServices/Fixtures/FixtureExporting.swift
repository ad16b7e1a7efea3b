internal import Basics
public import CloudModel
internal import RecordStore

/// A step of the walk through a store for a fixture.
public enum FixtureStep {
  /// The start of a zone; with the account, for another account's private database.
  case zone(DatabaseScope, Account?, ZoneID)
  /// A record of that zone, with the missing targets of its references.
  case record(Record, dangling: [RecordName])
  /// The entries other than records, at the end.
  case entries(FixtureEntries)
}

extension CloudDatabase {
  /// Goes through the public database and all private ones as they are at one moment, the account's
  /// own first: zones and records in name order; default zones without records are passed over.
  /// Throws `CloudError`, and what `body` throws.
  public func walkFixture(_ body: (FixtureStep) throws -> Void) throws(CloudError) {
    try requireAccount()
    try environment.read {
      let owners = try environment.owners()
      let databases =
        try [(Account?.none, environment.database(.public))]
        + owners.map { ($0, try environment.privateDatabase(of: $0)) }
      for (account, database) in databases {
        for zone in try database.storedZones() {
          if zone.zone.id.isDefault, zone.zone.recordCount == 0 { continue }
          try body(.zone(database.scope, account, zone.zone.id))
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
      try body(.entries(environment.fixtureEntries()))
    }
  }
}
