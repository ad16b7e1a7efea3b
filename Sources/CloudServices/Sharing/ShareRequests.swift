internal import Basics
public import CloudModel

/// Somebody who is named to take part in a share (R10.2.2).
public enum Invitee: Sendable, Hashable {
  case account(Account)
  case address(PersonAddress)
  case user(UserRecordName)
  /// Somebody who takes part already, by the participant's id.
  case participant(String)
}

/// Somebody who is to take part in a share.
public struct Invitation: Sendable {
  /// Who it is.
  public var invitee: Invitee
  /// What he may do; nil leaves somebody who takes part as he is, and is `readOnly` for others.
  public var permission: SharePermission?
  /// Whether he administers the share.
  public var isAdministrator: Bool

  /// Describes an invitation.
  public init(
    _ invitee: Invitee, _ permission: SharePermission? = nil, isAdministrator: Bool = false
  ) {
    (self.invitee, self.permission) = (invitee, permission)
    self.isAdministrator = isAdministrator
  }
}

/// What is to become of a share; what is nil or empty stays.
public struct ShareEdit: Sendable {
  /// Values of the share's record, its title, type and thumbnail among them.
  public var assignments: [FieldAssignment] = []
  /// What anybody with the URL may do.
  public var publicPermission: SharePermission?
  /// Whether people may ask for access.
  public var allowsRequests: Bool?
  /// Those who are to take part, or whose invitation changes.
  public var added: [Invitation] = []
  /// Those who are to take part no more.
  public var removed: [Invitee] = []
  /// Those who get another permission.
  public var changed: [(invitee: Invitee, permission: SharePermission)] = []

  /// No change.
  public init() {}

  /// Whether there is a change.
  public var changesAnything: Bool { !assignments.isEmpty || changesParticipants }

  /// Whether more than the share's record changes.
  var changesParticipants: Bool {
    publicPermission != nil || allowsRequests != nil || !added.isEmpty || !removed.isEmpty
      || !changed.isEmpty
  }
}

/// An answer to somebody who asks for access to a share (R10.2.9).
public enum AccessAnswer: Sendable, Equatable {
  /// Invites him.
  case approve(SharePermission?)
  /// Forgets the request.
  case deny
  /// Ends that he takes part, and refuses all requests of his.
  case block
  /// Lets him ask again.
  case unblock
}

/// How a share is named: by the name of its record or root in a zone, or by its URL.
public enum ShareReference: Sendable {
  case name(RecordName)
  case url(ShareURL)
}

/// A share after an operation.
public struct ShareResult: Sendable {
  /// The share as it is now.
  public var share: Share
  /// The notices of the operation.
  public var notices: [Notice]
}

/// What an app gets of a share by its URL (R10.3.1).
public struct ShareMetadata: Sendable {
  /// The container.
  public var container: ContainerID
  /// The share, with whoever its reader may know of.
  public var share: Share
  /// The owner.
  public var owner: UserIdentity
  /// The caller as a participant; nil for somebody who is none.
  public var participant: ShareParticipant?
}
