public import Basics
public import CloudModel

// Shares, participants and identities in Web Services (web-services.md, §4).

extension SharePermission {
  /// The permission's name in Web Services.
  public var wireName: String {
    switch self {
    case .none: "NONE"
    case .readOnly: "READ_ONLY"
    case .readWrite: "READ_WRITE"
    }
  }
}

extension ParticipantRole {
  /// The role's name in Web Services.
  public var wireName: String {
    switch self {
    case .owner: "OWNER"
    case .administrator: "ADMINISTRATOR"
    case .privateUser: "USER"
    case .publicUser: "PUBLIC_USER"
    }
  }
}

extension AcceptanceStatus {
  /// The status's name in Web Services. Requesters and blocked users have lists of their own.
  public var wireName: String {
    switch self {
    case .pending: "INVITED"
    case .accepted: "ACCEPTED"
    case .removed: "REMOVED"
    case .requested, .blocked: "UNKNOWN"
    }
  }
}

extension UserIdentity {
  /// The identity's dictionary. Names are there only if the user may be discovered.
  public var wireJSON: JSONValue {
    var members: [JSONMember] = []
    if let name = userRecordName {
      members.append(JSONMember("userRecordName", .string(name.text)))
    }
    let names = [("givenName", givenName), ("familyName", familyName)].compactMap { key, text in
      text.map { JSONMember(key, .string($0)) }
    }
    if !names.isEmpty { members.append(JSONMember("nameComponents", .object(names))) }
    if let address {
      members.append(
        JSONMember(
          "lookupInfo", .object([JSONMember(address.wireKey, .string(address.text))])))
    }
    return .object(members)
  }
}

extension PersonAddress {
  /// The key by which lookups and identities name it.
  fileprivate var wireKey: String {
    switch self {
    case .email: "emailAddress"
    case .phone: "phoneNumber"
    }
  }
}

extension ShareParticipant {
  /// The participant's dictionary.
  public var wireJSON: JSONValue {
    var members: [JSONMember] = []
    if let id { members.append(JSONMember("participantId", .string(id))) }
    members += [
      JSONMember("userIdentity", identity.wireJSON),
      JSONMember("type", .string(role.wireName)),
      JSONMember("acceptanceStatus", .string(status.wireName)),
      JSONMember("permission", .string(permission.wireName)),
      JSONMember("isApprovedRequester", .bool(isApprovedRequester)),
      JSONMember("orgUser", .bool(false)),
    ]
    return .object(members)
  }
}

extension Share {
  /// What a share's record has in Web Services besides its fields.
  public var wireMembers: [JSONMember] {
    func list(_ participants: [ShareParticipant]) -> JSONValue {
      .array(participants.map(\.wireJSON))
    }
    var members = [
      JSONMember("publicPermission", .string(publicPermission.wireName)),
      JSONMember("participants", list(participants)),
      JSONMember("requesters", list(requesters)), JSONMember("blocked", list(blocked)),
      JSONMember("denyAccessRequests", .bool(!allowsRequests)),
    ]
    if let owner = participants.first(where: { $0.role == .owner }) {
      members.append(JSONMember("owner", owner.wireJSON))
    }
    if let current { members.append(JSONMember("currentUserParticipant", current.wireJSON)) }
    members.append(JSONMember("shortGUID", .string(url.token)))
    return members
  }
}
