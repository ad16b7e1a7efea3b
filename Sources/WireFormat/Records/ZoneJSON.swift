internal import Basics
public import CloudModel

// The zone of a record and of other objects in JSON.

extension [UInt8] {
  /// Appends `"zoneName":…`, with `"ownerName":…` for another user's zone (M9).
  public mutating func append(zoneMembers zone: ZoneID) {
    append(text: "\"zoneName\":")
    append(jsonString: zone.name.text)
    append(ownerOf: zone)
  }

  /// Appends `"zone":…`, with `"ownerName":…` for another user's zone (M9).
  mutating func append(recordZone zone: ZoneID) {
    append(text: "\"zone\":")
    append(jsonString: zone.text)
    append(ownerOf: zone)
  }

  private mutating func append(ownerOf zone: ZoneID) {
    guard case .user(let owner) = zone.owner else { return }
    append(text: ",\"ownerName\":")
    append(jsonString: owner.text)
  }
}
