internal import Basics
internal import CloudModel
internal import FieldCodecs

// Accounts, devices and shares (M7).
extension FixtureReader {
  mutating func readUser(_ name: String, _ json: JSONValue, at position: TextPosition) {
    do throws(CloudError) {
      fixture.people.users.append(Placed(try user(name, json), at: place(position)))
    } catch { note(error, at: position) }
  }

  private func user(_ name: String, _ json: JSONValue) throws(CloudError) -> FixtureUser {
    var user = FixtureUser(try Account(name))
    for member in try members(json, "a user") {
      let value = member.value
      switch member.name {
      case "email":
        for text in try texts(value, "email") {
          user.person.addresses.append(try PersonAddress(email: text))
        }
      case "phone":
        for text in try texts(value, "phone") {
          user.person.addresses.append(try PersonAddress(phone: text))
        }
      case "given": user.person.givenName = try text(value, "given")
      case "family": user.person.familyName = try text(value, "family")
      case "discoverable": user.isDiscoverable = try bool(value, "discoverable")
      case "contacts":
        user.contacts = try texts(value, "contacts").map {
          (text) throws(CloudError) -> PersonAddress in try PersonAddress(text)
        }
        user.contacts.sort { utf8Precedes($0.text, $1.text) }
      case "roles": user.roles = try texts(value, "roles").sorted(by: utf8Precedes)
      default:
        throw unknown(
          member.name, "a user",
          ["email", "phone", "given", "family", "discoverable", "contacts", "roles"])
      }
    }
    return user
  }

  mutating func readDevice(_ name: String, _ json: JSONValue, at position: TextPosition) {
    do throws(CloudError) {
      fixture.people.devices.append(Placed(try device(name, json), at: place(position)))
    } catch { note(error, at: position) }
  }

  private func device(_ name: String, _ json: JSONValue) throws(CloudError) -> FixtureDevice {
    var settings = NamedDevice(account: nil)
    for member in try members(json, "a device") {
      let value = member.value
      switch member.name {
      case "kind":
        let word = try text(value, "kind")
        guard let kind = NamedDevice.Kind(rawValue: word) else {
          throw fault("the kind of a device must be ios or mac, not '\(word.visible)'")
        }
        settings.kind = kind
      case "account": settings.account = try Account(text(value, "account"))
      case "clockOffset":
        guard case .int(let milliseconds) = value else {
          throw fault("'clockOffset' must be a whole number of milliseconds")
        }
        settings.clockOffset = milliseconds
      case "online": settings.isOnline = try bool(value, "online")
      default:
        throw unknown(member.name, "a device", ["kind", "account", "clockOffset", "online"])
      }
    }
    return FixtureDevice(try Device(name), settings)
  }

  mutating func readShare(_ json: JSONValue, at position: TextPosition) {
    do throws(CloudError) {
      fixture.people.shares.append(Placed(try share(json), at: place(position)))
    } catch { note(error, at: position) }
  }

  private func share(_ json: JSONValue) throws(CloudError) -> FixtureShare {
    let members = try members(json, "a share")
    guard let named = members.first(where: { $0.name == "zone" }) else {
      throw fault("the share has no zone")
    }
    let (zone, owner) = try ownedZone(text(named.value, "zone"))
    var share = FixtureShare(zone, root: nil, owner: owner)
    for member in members {
      let value = member.value
      switch member.name {
      case "zone": break
      case "root": share.root = try RecordName(text(value, "root"))
      case "title": share.title = try text(value, "title")
      case "type": share.type = try text(value, "type")
      case "public": share.publicPermission = try permission(value)
      case "allowsRequests": share.allowsRequests = try bool(value, "allowsRequests")
      case "fields":
        for member in try self.members(value, "'fields'") {
          if let field = try field(member) { share.fields.append(field) }
        }
        share.fields.sort { utf8Precedes($0.name.text, $1.name.text) }
      case "participants":
        for participant in try self.members(value, "'participants'") {
          share.participants.append(try self.participant(participant))
        }
        share.participants.sort { utf8Precedes($0.who, $1.who) }
      default:
        throw unknown(
          member.name, "a share",
          ["zone", "root", "title", "type", "public", "allowsRequests", "fields", "participants"])
      }
    }
    return share
  }

  /// Parses a field of a share; nil if it has no value.
  private func field(_ member: JSONMember) throws(CloudError) -> FixtureShareField? {
    let name =
      member.name == FieldName.shareThumbnail.text
      ? FieldName.shareThumbnail : try FieldName(member.name)
    do throws(ValueReadingError) {
      let reading = try PlainJSONReader.read(member.value)
      guard let value = reading.value else { return nil }
      return FixtureShareField(name, value, type: reading.type, text: value.plainText)
    } catch { throw fault("\(name.text): \(error.message)") }
  }

  /// Parses a zone and the account after its last colon.
  private func ownedZone(
    _ text: String
  ) throws(CloudError) -> (zone: ZoneName, owner: Account?) {
    guard let colon = text.lastIndex(of: ":") else { return (try ZoneName(text), nil) }
    return (
      try ZoneName(String(text[..<colon])), try Account(String(text[colon...].dropFirst()))
    )
  }

  private func participant(_ member: JSONMember) throws(CloudError) -> FixtureParticipant {
    var participant = FixtureParticipant(
      member.name, .readOnly, isAccepted: false, .privateUser)
    for detail in try members(member.value, "a participant") {
      switch detail.name {
      case "permission": participant.permission = try permission(detail.value)
      case "accepted": participant.isAccepted = try bool(detail.value, "accepted")
      case "role":
        let word = try text(detail.value, "role")
        let roles: [ParticipantRole] = [.administrator, .privateUser, .publicUser]
        guard let role = roles.first(where: { $0.name == word }) else {
          throw fault(
            "a role must be administrator, privateUser or publicUser, not '\(word.visible)'")
        }
        participant.role = role
      default: throw unknown(detail.name, "a participant", ["permission", "accepted", "role"])
      }
    }
    return participant
  }

  private func permission(_ value: JSONValue) throws(CloudError) -> SharePermission {
    guard case .string(let word) = value, let permission = SharePermission(word: word) else {
      throw fault("a permission must be none, read or write")
    }
    return permission
  }

  // MARK: Subscriptions

  mutating func readSubscription(_ json: JSONValue, at position: TextPosition) {
    do throws(CloudError) {
      fixture.people.subscriptions.append(Placed(try subscription(json), at: place(position)))
    } catch { note(error, at: position) }
  }

  /// Parses a subscription in the wire format, with its user and its database.
  private func subscription(_ json: JSONValue) throws(CloudError) -> FixtureSubscription {
    var members = try members(json, "a subscription")
    func take(_ name: String) throws(CloudError) -> String? {
      guard let place = members.firstIndex(where: { utf8Equal($0.name, name) }) else { return nil }
      return try text(members.remove(at: place).value, name)
    }
    let user = try take("user")
    let database = try take("database") ?? DatabaseScope.private.name
    guard let scope = DatabaseScope.allCases.first(where: { $0.name == database }) else {
      throw fault("a database must be public, private or shared, not '\(database.visible)'")
    }
    let draft: SubscriptionDraft
    do throws(JSONError) { draft = try SubscriptionDraft(json: .object(members)) } catch {
      throw fault(error.message)
    }
    guard draft.isNamed else { throw fault("the subscription has no subscriptionID") }
    var subscription = draft.subscription
    subscription.scope = scope
    if let predicate = draft.predicate { subscription.predicate = predicate }
    return FixtureSubscription(
      subscription,
      owner: try user.map { (name) throws(CloudError) -> Account in try Account(name) })
  }

  // MARK: Keys and documents

  mutating func readKeyValues(_ name: String, _ json: JSONValue, at position: TextPosition) {
    do throws(CloudError) {
      let keys = try FixtureKeyValues(FixturePlace(name), json)
      fixture.people.keyValues.append(Placed(keys, at: place(position)))
    } catch { note(error, at: position) }
  }

  mutating func readDocuments(_ name: String, _ json: JSONValue, at position: TextPosition) {
    do throws(CloudError) {
      let documents = try FixtureDocuments(FixturePlace(name), json)
      fixture.people.documents.append(Placed(documents, at: place(position)))
    } catch { note(error, at: position) }
  }

  // MARK: Values

  private func members(
    _ json: JSONValue, _ what: String
  ) throws(CloudError) -> [JSONMember] {
    if case .object(let members) = json { return members }
    throw fault("\(what) must be an object, not \(json.kind)")
  }

  private func text(_ json: JSONValue, _ key: String) throws(CloudError) -> String {
    if case .string(let text) = json { return text }
    throw fault("'\(key)' must be a string, not \(json.kind)")
  }

  private func bool(_ json: JSONValue, _ key: String) throws(CloudError) -> Bool {
    if case .bool(let value) = json { return value }
    throw fault("'\(key)' must be true or false, not \(json.kind)")
  }

  private func texts(_ json: JSONValue, _ key: String) throws(CloudError) -> [String] {
    guard case .array(let items) = json else { return [try text(json, key)] }
    return try items.map { (item) throws(CloudError) -> String in try text(item, key) }
  }

  private func fault(_ message: String) -> CloudError { CloudError(.invalidArguments, message) }

  private func unknown(_ key: String, _ what: String, _ known: [String]) -> CloudError {
    CloudError(
      .invalidArguments, "unknown key '\(key.visible)' in \(what)",
      remedy: .nearest(to: key, among: known))
  }
}
