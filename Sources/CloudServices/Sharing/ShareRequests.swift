internal import Basics
public import CloudModel

/// A person named as a participant of a share (R10.2.2).
public enum Invitee: Sendable, Hashable {
  case account(Account)
  case address(PersonAddress)
  case user(UserRecordName)
  /// An existing participant, by its id.
  case participant(String)
}

/// The invitation of a participant.
public struct Invitation: Sendable {
  /// The invitee.
  public var invitee: Invitee
  /// The permission; nil keeps an existing participant's, and is `readOnly` for others.
  public var permission: SharePermission?
  /// Whether the participant becomes an administrator.
  public var isAdministrator: Bool
  /// The id that a new participant gets; nil for a random one.
  public var id: String?

  /// Creates an invitation.
  public init(
    _ invitee: Invitee, _ permission: SharePermission? = nil, isAdministrator: Bool = false,
    id: String? = nil
  ) {
    (self.invitee, self.permission) = (invitee, permission)
    (self.isAdministrator, self.id) = (isAdministrator, id)
  }
}

/// Changes of a share; nil or empty members change nothing.
public struct ShareEdit: Sendable {
  /// Values of the share's record, including its title, type and thumbnail.
  public var assignments: [FieldAssignment] = []
  /// The permission of everyone with the URL.
  public var publicPermission: SharePermission?
  /// Whether users may request access.
  public var allowsRequests: Bool?
  /// Participants to add, or whose invitation changes.
  public var added: [Invitation] = []
  /// Participants to add without an identity: whoever accepts by the URL of one becomes it
  /// (R10.2.10). Each with its id.
  public var addedByURL: [(id: String, permission: SharePermission)] = []
  /// Participants to remove.
  public var removed: [Invitee] = []
  /// Participants whose permission changes.
  public var changed: [(invitee: Invitee, permission: SharePermission)] = []
  /// Answers to requests for access, and to those who are blocked.
  public var answers: [(invitee: Invitee, answer: AccessAnswer)] = []

  /// No change.
  public init() {}

  /// Whether there is a change.
  public var changesAnything: Bool { !assignments.isEmpty || changesParticipants }

  /// Whether more than the share's record changes.
  var changesParticipants: Bool {
    publicPermission != nil || allowsRequests != nil || !added.isEmpty || !addedByURL.isEmpty
      || !removed.isEmpty || !changed.isEmpty || !answers.isEmpty
  }
}

/// What the save of a share changes besides its record, as one of the records of an operation
/// (R10.1.3). An object, so that the requests of other records stay small.
public final class ShareSave: Sendable {
  /// The root of the hierarchy; nil for a whole zone.
  public let root: RecordName?
  /// The version of the root that the caller knows, if the operation does not save the root, too.
  public let rootTag: ChangeTag?
  /// The changes; their assignments are those of the request.
  public let edit: ShareEdit

  /// Creates a change.
  public init(root: RecordName?, rootTag: ChangeTag? = nil, _ edit: ShareEdit) {
    (self.root, self.rootTag, self.edit) = (root, rootTag, edit)
  }
}

/// An answer to a request for access to a share (R10.2.9).
public enum AccessAnswer: Sendable, Equatable {
  /// Invites the requester.
  case approve(SharePermission?)
  /// Discards the request.
  case deny
  /// Ends the user's participation, and refuses all requests from the user.
  case block
  /// Allows requests from the user again.
  case unblock
}

/// A reference to a share: the name of its record or root in a zone, or its URL.
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

/// The metadata of a share, found by its URL (R10.3.1).
public struct ShareMetadata: Sendable {
  /// The container.
  public var container: ContainerID
  /// The share, with the participants that the reader may know of.
  public var share: Share
  /// The owner.
  public var owner: UserIdentity
  /// The caller's participant; nil if the caller is not one.
  public var participant: ShareParticipant?
  /// The root of the hierarchy, if the caller may see it; nil for a shared zone.
  public var rootRecord: Record?
}
