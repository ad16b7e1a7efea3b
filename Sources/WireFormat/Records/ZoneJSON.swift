internal import Basics
public import CloudModel

// A zone in JSON: Web Services' dictionary, and the members of our own objects.

extension ZoneID {
  /// Web Services' dictionary (W4); omits the owner of own zones.
  var wireJSON: JSONValue {
    var members = [JSONMember("zoneName", .string(name.text))]
    if case .user(let owner) = owner {
      members.append(JSONMember("ownerRecordName", .string(owner.text)))
    }
    return .object(members)
  }
}

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
