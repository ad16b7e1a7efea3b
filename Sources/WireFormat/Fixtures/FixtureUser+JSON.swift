internal import Basics
internal import CloudModel

extension FixtureUser: WrittenFixtureEntry {
  static let key = "users"
  var name: String? { account.name }

  init(_ name: String, _ json: JSONValue) throws(CloudError) {
    self.init(try Account(name))
    for member in try FixtureJSON.members(json, "a user") {
      let value = member.value
      switch member.name {
      case "email":
        for text in try FixtureJSON.texts(value, "email") {
          person.addresses.append(try PersonAddress(email: text))
        }
      case "phone":
        for text in try FixtureJSON.texts(value, "phone") {
          person.addresses.append(try PersonAddress(phone: text))
        }
      case "given": person.givenName = try FixtureJSON.text(value, "given")
      case "family": person.familyName = try FixtureJSON.text(value, "family")
      case "discoverable": isDiscoverable = try FixtureJSON.bool(value, "discoverable")
      case "contacts":
        contacts = try FixtureJSON.texts(value, "contacts").map {
          (text) throws(CloudError) -> PersonAddress in try PersonAddress(text)
        }
        contacts.sort { utf8Precedes($0.text, $1.text) }
      case "roles": roles = try FixtureJSON.texts(value, "roles").sorted(by: utf8Precedes)
      default:
        throw FixtureJSON.unknown(
          member.name, "a user",
          ["email", "phone", "given", "family", "discoverable", "contacts", "roles"])
      }
    }
  }

  func json(_ source: FixtureWriter.AssetText) -> JSONValue {
    var members: [JSONMember] = []
    if !person.emails.isEmpty {
      members.append(JSONMember("email", FixtureJSON.list(person.emails)))
    }
    if !person.phones.isEmpty {
      members.append(JSONMember("phone", FixtureJSON.list(person.phones)))
    }
    if let name = person.givenName { members.append(JSONMember("given", .string(name))) }
    if let name = person.familyName { members.append(JSONMember("family", .string(name))) }
    if let isDiscoverable { members.append(JSONMember("discoverable", .bool(isDiscoverable))) }
    if !contacts.isEmpty {
      members.append(JSONMember("contacts", FixtureJSON.list(contacts.map(\.text))))
    }
    if !roles.isEmpty { members.append(JSONMember("roles", FixtureJSON.list(roles))) }
    return .object(members)
  }
}
