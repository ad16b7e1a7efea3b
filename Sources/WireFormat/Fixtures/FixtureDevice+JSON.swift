internal import Basics
internal import CloudModel

extension FixtureDevice: WrittenFixtureEntry {
  static let key = "devices"
  var name: String? { device.name }

  init(_ name: String, _ json: JSONValue) throws(CloudError) {
    var settings = NamedDevice(account: nil)
    for member in try FixtureJSON.members(json, "a device") {
      let value = member.value
      switch member.name {
      case "kind":
        let word = try FixtureJSON.text(value, "kind")
        guard let kind = NamedDevice.Kind(rawValue: word) else {
          throw FixtureJSON.fault("the kind of a device must be ios or mac, not '\(word.visible)'")
        }
        settings.kind = kind
      case "account": settings.account = try Account(FixtureJSON.text(value, "account"))
      case "clockOffset":
        guard case .int(let milliseconds) = value else {
          throw FixtureJSON.fault("'clockOffset' must be a whole number of milliseconds")
        }
        settings.clockOffset = milliseconds
      case "online": settings.isOnline = try FixtureJSON.bool(value, "online")
      default:
        throw FixtureJSON.unknown(
          member.name, "a device", ["kind", "account", "clockOffset", "online"])
      }
    }
    self.init(try Device(name), settings)
  }

  func json(_ source: FixtureWriter.AssetText) -> JSONValue {
    var members = [JSONMember("kind", .string(settings.kind.rawValue))]
    if let account = settings.account {
      members.append(JSONMember("account", .string(account.name)))
    }
    if settings.clockOffset != 0 {
      members.append(JSONMember("clockOffset", .int(settings.clockOffset)))
    }
    if !settings.isOnline { members.append(JSONMember("online", .bool(false))) }
    return .object(members)
  }
}
