internal import Basics

/// An account of a fixture, with its person.
public struct FixtureUser: Sendable, Equatable {
  /// The account.
  public var account: Account
  /// The person.
  public var person = Person()
  /// Whether others may find the user; nil if the fixture does not say.
  public var isDiscoverable: Bool?
  /// The user's contacts, in byte order.
  public var contacts: [PersonAddress] = []
  /// The names of the user's roles, in byte order.
  public var roles: [String] = []

  /// Creates an account without a person.
  public init(_ account: Account) { self.account = account }
}

/// A device of a fixture.
public struct FixtureDevice: Sendable, Equatable {
  /// The device.
  public var device: Device
  /// Its settings.
  public var settings: NamedDevice

  /// Creates a device.
  public init(_ device: Device, _ settings: NamedDevice) {
    (self.device, self.settings) = (device, settings)
  }
}

/// A share of a fixture.
public struct FixtureShare: Sendable, Equatable {
  /// The owner of the zone; nil for the account in use.
  public var owner: Account?
  /// The zone.
  public var zone: ZoneName
  /// The root of the hierarchy; nil for the whole zone.
  public var root: RecordName?
  /// The title.
  public var title: String?
  /// The type of the shared content.
  public var type: String?
  /// The permission of everyone with the URL.
  public var publicPermission = SharePermission.none
  /// Whether users may request access.
  public var allowsRequests = false
  /// The app's own fields, except assets, in byte order of their names.
  public var fields: [FixtureShareField] = []
  /// The participants, in byte order of `who`.
  public var participants: [FixtureParticipant] = []

  /// A share without participants.
  public init(_ zone: ZoneName, root: RecordName?, owner: Account?) {
    (self.zone, self.root, self.owner) = (zone, root, owner)
  }
}

/// A field that an app added to a share.
public struct FixtureShareField: Sendable {
  /// The field.
  public var name: FieldName
  /// The value.
  public var value: FieldValue
  /// The type that was written with the value; nil if its shape implies it.
  public var type: FieldType?
  /// The value as a comparison prints it.
  public var text: String

  /// Creates a field.
  public init(_ name: FieldName, _ value: FieldValue, type: FieldType?, text: String) {
    (self.name, self.value, self.type, self.text) = (name, value, type, text)
  }
}

extension FixtureShareField: Equatable {
  /// Whether two fields have the same name and printed value, so that plain JSON dates match.
  public static func == (one: FixtureShareField, other: FixtureShareField) -> Bool {
    one.name == other.name && one.text == other.text
  }
}

/// A participant of a share of a fixture.
public struct FixtureParticipant: Sendable, Equatable {
  /// An account, an e-mail address, a phone number or a user record name.
  public var who: String
  /// The permission.
  public var permission: SharePermission
  /// Whether the participant has accepted.
  public var isAccepted: Bool
  /// The role.
  public var role: ParticipantRole

  /// Creates a participant.
  public init(
    _ who: String, _ permission: SharePermission, isAccepted: Bool, _ role: ParticipantRole
  ) {
    (self.who, self.permission) = (who, permission)
    (self.isAccepted, self.role) = (isAccepted, role)
  }
}

/// The accounts, devices and shares of a fixture.
public struct FixturePeople: Sendable {
  /// The accounts.
  public var users: [Placed<FixtureUser>] = []
  /// The devices.
  public var devices: [Placed<FixtureDevice>] = []
  /// The shares.
  public var shares: [Placed<FixtureShare>] = []
  /// The subscriptions.
  public var subscriptions: [Placed<FixtureSubscription>] = []
  /// The keys of the key-value store.
  public var keyValues: [Placed<FixtureKeyValues>] = []
  /// The documents.
  public var documents: [Placed<FixtureDocuments>] = []

  /// Creates an empty list.
  public init() {}

  /// The attributes of all of them, for a comparison.
  public var attributes: [FixtureAttributes] {
    users.map(\.value.attributes) + devices.map(\.value.attributes)
      + shares.map(\.value.attributes) + subscriptions.map(\.value.attributes)
      + keyValues.map(\.value.attributes) + documents.map(\.value.attributes)
  }

  /// Whether all lists are empty.
  public var isEmpty: Bool {
    users.isEmpty && devices.isEmpty && shares.isEmpty && subscriptions.isEmpty
      && keyValues.isEmpty && documents.isEmpty
  }
}

// MARK: Comparing

/// The attributes of an account, a device or a share that a comparison of fixtures prints.
public struct FixtureAttributes: Sendable, Equatable {
  /// The database in reports.
  public var scope: DatabaseScope
  /// The zone in reports.
  public var zone: ZoneID
  /// The name in reports.
  public var name: RecordName
  /// The type in reports.
  public var type: RecordType
  /// The attributes, by their keys in a fixture.
  public var values: [(key: String, text: String)]

  /// Whether two are the same.
  public static func == (one: FixtureAttributes, other: FixtureAttributes) -> Bool {
    one.identity == other.identity
      && one.values.map { [$0.key, $0.text] } == other.values.map { [$0.key, $0.text] }
  }

  /// The identity: database, zone, name and type.
  public var identity: [String] { [scope.name, zone.text, name.text, type.text] }
}

extension FixtureUser {
  /// The attributes.
  public var attributes: FixtureAttributes {
    let lists = [
      ("email", person.emails), ("phone", person.phones),
      ("given", [person.givenName].compactMap(\.self)),
      ("family", [person.familyName].compactMap(\.self)),
      ("discoverable", isDiscoverable.map { [$0 ? "true" : "false"] } ?? []),
      ("contacts", contacts.map(\.text)), ("roles", roles),
    ]
    return FixtureAttributes(
      scope: .public, zone: .defaultZone, name: RecordName(stored: account.name), type: .users,
      values: lists.filter { !$0.1.isEmpty }.map { ($0.0, $0.1.separated(by: " ")) })
  }
}

extension FixtureDevice {
  /// The attributes.
  public var attributes: FixtureAttributes {
    var values = [("kind", settings.kind.rawValue)]
    if let account = settings.account { values.append(("account", account.name)) }
    if settings.clockOffset != 0 { values.append(("clockOffset", "\(settings.clockOffset) ms")) }
    if !settings.isOnline { values.append(("online", "false")) }
    return FixtureAttributes(
      scope: .public, zone: .defaultZone, name: RecordName(stored: device.name),
      type: RecordType(stored: "device"), values: values)
  }
}

extension FixtureShare {
  /// The attributes.
  public var attributes: FixtureAttributes {
    var values: [(String, String)] = []
    if let title { values.append(("title", title)) }
    if let type { values.append(("type", type)) }
    values.append(("public", publicPermission.word))
    if allowsRequests { values.append(("allowsRequests", "true")) }
    for field in fields { values.append(("fields.\(field.name.text)", field.text)) }
    for participant in participants {
      let state = participant.isAccepted ? "accepted" : "pending"
      values.append(
        (
          "participants.\(participant.who)",
          "\(participant.role.name) \(participant.permission.word) \(state)"
        ))
    }
    let owner = owner.map { ZoneOwner.user(UserRecordName(stored: $0.name)) } ?? .current
    return FixtureAttributes(
      scope: .private, zone: ZoneID(zone, owner: owner), name: root ?? .zoneWideShare, type: .share,
      values: values)
  }
}

extension SharePermission {
  /// The word for the permission on the command line and in fixtures.
  public var word: String {
    switch self {
    case .none: "none"
    case .readOnly: "read"
    case .readWrite: "write"
    }
  }

  /// The permission with a word, or CloudKit's name; nil for other words.
  public init?(word: String) {
    guard let found = Self.allCases.first(where: { $0.word == word || $0.name == word }) else {
      return nil
    }
    self = found
  }
}
