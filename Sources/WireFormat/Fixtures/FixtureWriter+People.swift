internal import Basics
internal import CloudModel
internal import FieldCodecs

// Accounts, devices and shares in a fixture's notation (M7).

extension FixtureUser {
  var json: JSONValue {
    var members: [JSONMember] = []
    if !person.emails.isEmpty { members.append(JSONMember("email", list(person.emails))) }
    if !person.phones.isEmpty { members.append(JSONMember("phone", list(person.phones))) }
    if let name = person.givenName { members.append(JSONMember("given", .string(name))) }
    if let name = person.familyName { members.append(JSONMember("family", .string(name))) }
    if let isDiscoverable { members.append(JSONMember("discoverable", .bool(isDiscoverable))) }
    if !contacts.isEmpty { members.append(JSONMember("contacts", list(contacts.map(\.text)))) }
    if !roles.isEmpty { members.append(JSONMember("roles", list(roles))) }
    return .object(members)
  }
}

extension FixtureDevice {
  var json: JSONValue {
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

extension FixtureShare {
  var json: JSONValue {
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

extension FixtureSubscription {
  var json: JSONValue {
    var members: [JSONMember] = []
    if let owner { members.append(JSONMember("user", .string(owner.name))) }
    members.append(JSONMember("database", .string(subscription.scope.name)))
    if case .object(let own) = subscription.json { members += own }
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

private func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
