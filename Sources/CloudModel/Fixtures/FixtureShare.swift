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

extension FixtureShare: FixtureEntry {
  /// What errors call it.
  public var label: String {
    let zone = attributes.zone.text
    return root.map { "share of '\($0.text)' in \(zone)" } ?? "share of the zone \(zone)"
  }

  /// What a comparison prints.
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
