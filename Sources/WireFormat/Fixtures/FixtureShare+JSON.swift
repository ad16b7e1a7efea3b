internal import Basics
internal import CloudModel
internal import FieldCodecs

extension FixtureShare: WrittenFixtureEntry {
  static let key = "shares"
  static let isNamed = false
  var name: String? { nil }

  init(_ name: String, _ json: JSONValue) throws(CloudError) {
    let members = try FixtureJSON.members(json, "a share")
    guard let named = members.first(where: { $0.name == "zone" }) else {
      throw FixtureJSON.fault("the share has no zone")
    }
    let (zone, owner) = try Self.ownedZone(FixtureJSON.text(named.value, "zone"))
    self.init(zone, root: nil, owner: owner)
    for member in members {
      let value = member.value
      switch member.name {
      case "zone": break
      case "root": self.root = try RecordName(FixtureJSON.text(value, "root"))
      case "title": self.title = try FixtureJSON.text(value, "title")
      case "type": type = try FixtureJSON.text(value, "type")
      case "public": publicPermission = try SharePermission(fixture: value)
      case "allowsRequests": allowsRequests = try FixtureJSON.bool(value, "allowsRequests")
      case "fields":
        for member in try FixtureJSON.members(value, "'fields'") {
          if let field = try Self.field(member) { fields.append(field) }
        }
        fields.sort { utf8Precedes($0.name.text, $1.name.text) }
      case "participants":
        for participant in try FixtureJSON.members(value, "'participants'") {
          participants.append(try Self.participant(participant))
        }
        participants.sort { utf8Precedes($0.who, $1.who) }
      default:
        throw FixtureJSON.unknown(
          member.name, "a share",
          ["zone", "root", "title", "type", "public", "allowsRequests", "fields", "participants"])
      }
    }
  }

  /// Parses a field of a share; nil if it has no value.
  private static func field(_ member: JSONMember) throws(CloudError) -> FixtureShareField? {
    let name =
      member.name == FieldName.shareThumbnail.text
      ? FieldName.shareThumbnail : try FieldName(member.name)
    do throws(ValueReadingError) {
      let reading = try PlainJSONReader.read(member.value)
      guard let value = reading.value else { return nil }
      return FixtureShareField(name, value, type: reading.type, text: value.plainText)
    } catch { throw FixtureJSON.fault("\(name.text): \(error.message)") }
  }

  /// Parses a zone and the account after its last colon.
  private static func ownedZone(
    _ text: String
  ) throws(CloudError) -> (zone: ZoneName, owner: Account?) {
    guard let colon = text.lastIndex(of: ":") else { return (try ZoneName(text), nil) }
    return (
      try ZoneName(String(text[..<colon])), try Account(String(text[colon...].dropFirst()))
    )
  }

  private static func participant(_ member: JSONMember) throws(CloudError) -> FixtureParticipant {
    var participant = FixtureParticipant(
      member.name, .readOnly, isAccepted: false, .privateUser)
    for detail in try FixtureJSON.members(member.value, "a participant") {
      switch detail.name {
      case "permission": participant.permission = try SharePermission(fixture: detail.value)
      case "accepted": participant.isAccepted = try FixtureJSON.bool(detail.value, "accepted")
      case "role":
        let word = try FixtureJSON.text(detail.value, "role")
        let roles: [ParticipantRole] = [.administrator, .privateUser, .publicUser]
        guard let role = roles.first(where: { $0.name == word }) else {
          throw FixtureJSON.fault(
            "a role must be administrator, privateUser or publicUser, not '\(word.visible)'")
        }
        participant.role = role
      default:
        throw FixtureJSON.unknown(detail.name, "a participant", ["permission", "accepted", "role"])
      }
    }
    return participant
  }

  func json(_ source: FixtureWriter.AssetText) -> JSONValue {
    let place = owner.map { "\(zone.text):\($0.name)" } ?? zone.text
    var members = [JSONMember("zone", .string(place))]
    if let root { members.append(JSONMember("root", .string(root.text))) }
    if let title { members.append(JSONMember("title", .string(title))) }
    if let type { members.append(JSONMember("type", .string(type))) }
    members.append(JSONMember("public", .string(publicPermission.word)))
    if allowsRequests { members.append(JSONMember("allowsRequests", .bool(true))) }
    if !fields.isEmpty {
      let fields = fields.map { JSONMember($0.name.text, $0.json) }
      members.append(JSONMember("fields", .object(fields)))
    }
    members.append(
      JSONMember("participants", .object(participants.map { JSONMember($0.who, $0.json) })))
    return .object(members)
  }
}

extension FixtureShareField {
  fileprivate var json: JSONValue {
    let json = value.plainJSON
    guard let type = value.typeToWrite(type) else { return json }
    return .object([JSONMember("value", json), JSONMember("type", .string(type.schemaName))])
  }
}

extension FixtureParticipant {
  fileprivate var json: JSONValue {
    var members = [
      JSONMember("permission", .string(permission.word)), JSONMember("accepted", .bool(isAccepted)),
    ]
    if role != .privateUser { members.append(JSONMember("role", .string(role.name))) }
    return .object(members)
  }
}

extension SharePermission {
  fileprivate init(fixture value: JSONValue) throws(CloudError) {
    guard case .string(let word) = value, let permission = SharePermission(word: word) else {
      throw FixtureJSON.fault("a permission must be none, read or write")
    }
    self = permission
  }
}
