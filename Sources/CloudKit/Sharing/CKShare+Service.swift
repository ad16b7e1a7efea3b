internal import CloudModel
internal import CloudServices
internal import Foundation

extension Sharing {
  /// A share as the service has it, read by a user.
  init(_ share: Share, in zoneID: CKRecordZone.ID, as user: UserRecordName?) {
    root = share.root.map { CKRecord.ID($0, in: zoneID) }
    url = URL(string: share.url.text)
    publicPermission = .init(rawValue: share.publicPermission.rawValue) ?? .none
    allowsAccessRequests = share.allowsRequests
    participants = share.participants.map { CKShareParticipant($0, user) }
    if let current = share.current {
      currentID = CKShareParticipant(current, user).participantID
    }
    func identity(_ participant: ShareParticipant) -> CKUserIdentity {
      CKShareParticipant(participant, user).userIdentity
    }
    requesters = share.requesters.map { CKShareAccessRequester($0.id ?? "", identity($0)) }
    blocked = share.blocked.map { CKShareBlockedIdentity($0.id ?? "", identity($0)) }
    noteSaved()
  }

  /// What the app changed since the share was saved or fetched.
  func save() throws(CloudError) -> ShareSave {
    var edit = ShareEdit()
    let saved =
      saved
      ?? Saved(publicPermission: .none, allowsAccessRequests: false, participants: [:])
    if publicPermission != saved.publicPermission {
      edit.publicPermission = publicPermission.stored
    }
    if allowsAccessRequests != saved.allowsAccessRequests {
      edit.allowsRequests = allowsAccessRequests
    }
    var missing = Set(saved.participants.keys)
    for participant in participants where participant.role != .owner {
      let id = participant.participantID
      let isAdministrator = participant.role == .administrator
      let permission = participant.permission.stored
      missing.remove(id)
      if let known = saved.participants[id] {
        if known.role != participant.role {
          edit.added.append(
            Invitation(.participant(id), permission, isAdministrator: isAdministrator))
        } else if known.permission != participant.permission, let permission {
          edit.changed.append((.participant(id), permission))
        }
      } else if participant.isByURL {
        edit.addedByURL.append((id, permission ?? .readOnly))
      } else {
        edit.added.append(
          Invitation(
            try participant.invitee(), permission, isAdministrator: isAdministrator, id: id))
      }
    }
    edit.removed = missing.sorted().map { .participant($0) }
    edit.answers = answers.map { (.participant($0.id), $0.answer.stored) }
    return ShareSave(
      root: try root.map { (id) throws(CloudError) in try RecordName(id.recordName) }, edit)
  }
}

extension CKShareParticipant {
  /// The participant as a person to invite. Throws `invalidArguments` without an identity.
  fileprivate func invitee() throws(CloudError) -> Invitee {
    if let user = userIdentity.userRecordID {
      return .user(UserRecordName(stored: user.recordName))
    }
    guard let lookup = userIdentity.lookupInfo, let invitee = try lookup.invitee() else {
      throw CloudError(.invalidArguments, "A participant needs an identity to be invited")
    }
    return invitee
  }
}

extension CKUserIdentityLookupInfo {
  /// The person to invite; nil if the lookup names no one. Throws `invalidArguments` for an invalid
  /// address.
  func invitee() throws(CloudError) -> Invitee? {
    if let emailAddress { return .address(try PersonAddress(email: emailAddress)) }
    if let phoneNumber { return .address(try PersonAddress(phone: phoneNumber)) }
    return userRecordID.map { .user(UserRecordName(stored: $0.recordName)) }
  }
}

extension CKShare.ParticipantPermission {
  /// The permission of the service; nil for an unknown one.
  fileprivate var stored: SharePermission? { SharePermission(rawValue: rawValue) }
}

extension Sharing.Answer {
  fileprivate var stored: AccessAnswer {
    switch self {
    case .deny: .deny
    case .block: .block
    case .unblock: .unblock
    }
  }
}
