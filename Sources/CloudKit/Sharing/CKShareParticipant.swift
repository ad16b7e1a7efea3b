internal import Basics
internal import CloudModel
@_exported public import Foundation

/// A participant of a share (`CKShare.Participant`, R10.2).
public final class CKShareParticipant: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The identity of a participant.
  public typealias ID = String
  /// Whether a participant takes part.
  public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
  /// What a participant may do.
  public typealias Permission = CKShare.ParticipantPermission
  /// What a participant is.
  public typealias Role = CKShare.ParticipantRole

  /// The identity of the participant in its share.
  public let participantID: CKShare.Participant.ID
  /// The user; one without an account is known by address.
  public let userIdentity: CKUserIdentity
  /// Whether the participant has accepted the share.
  public let acceptanceStatus: CKShare.ParticipantAcceptanceStatus
  /// When the participant was added; nil if that is not known.
  public let dateAddedToShare: Date?
  /// Whether the participant asked for access and got it.
  public let isApprovedRequester: Bool
  /// Whether the participant is the person who accepts the one-time URL.
  let isByURL: Bool
  let oneTimeURL: URL?
  private let right: Locked<Right>

  private struct Right: Sendable {
    var permission: Permission
    var role: Role
  }

  /// What the participant may do with the records; at first read them.
  public var permission: CKShare.ParticipantPermission {
    get { right.withLock { $0.permission } }
    set { right.withLock { $0.permission = newValue } }
  }

  /// What the participant is: an administrator may change the participants.
  public var role: CKShare.ParticipantRole {
    get { right.withLock { $0.role } }
    set { right.withLock { $0.role = newValue } }
  }

  /// The former name of `role`.
  @available(*, deprecated, message: "use role")
  public var type: CKShare.ParticipantRole {
    get { role }
    set { role = newValue }
  }

  /// A participant without an identity: whoever accepts the share by its URL (R10.2.10).
  public class func oneTimeURLParticipant() -> CKShare.Participant {
    CKShareParticipant(UUID().uuidString, CKUserIdentity.unknown, isByURL: true)
  }

  /// A person whom the app may invite.
  init(_ id: String, _ identity: CKUserIdentity, isByURL: Bool = false) {
    (participantID, userIdentity, acceptanceStatus) = (id, identity, .pending)
    (dateAddedToShare, isApprovedRequester) = (nil, false)
    (self.isByURL, oneTimeURL) = (isByURL, nil)
    right = Locked(Right(permission: .readOnly, role: .privateUser))
  }

  /// A participant as the service has it.
  init(_ participant: ShareParticipant, _ user: UserRecordName?) {
    userIdentity = CKUserIdentity(
      participant.identity, found: participant.identity.address.map { .init($0) }, as: user)
    participantID = participant.id ?? Self.ownerID(of: userIdentity)
    acceptanceStatus = .init(rawValue: participant.status.rawValue) ?? .unknown
    dateAddedToShare = participant.added.map { Date($0) }
    isApprovedRequester = participant.isApprovedRequester
    isByURL = participant.oneTimeURL != nil
    oneTimeURL = participant.oneTimeURL.flatMap { URL(string: $0.text) }
    right = Locked(
      Right(
        permission: Permission(rawValue: participant.permission.rawValue) ?? .unknown,
        role: Role(rawValue: participant.role.rawValue) ?? .unknown))
  }

  private init(_ other: CKShareParticipant, _ right: Right) {
    (participantID, userIdentity) = (other.participantID, other.userIdentity)
    (acceptanceStatus, dateAddedToShare) = (other.acceptanceStatus, other.dateAddedToShare)
    isApprovedRequester = other.isApprovedRequester
    (isByURL, oneTimeURL) = (other.isByURL, other.oneTimeURL)
    self.right = Locked(right)
  }

  /// The user, before a new share is saved.
  static var unsavedOwner: CKShareParticipant {
    CKShareParticipant(
      CKShareParticipant(ownerID(of: .current), .current),
      Right(permission: .readWrite, role: .owner))
  }

  /// The identity of an owner, who has none in a share: that of the user.
  private static func ownerID(of identity: CKUserIdentity) -> String {
    "owner " + (identity.userRecordID?.recordName ?? "")
  }

  /// Takes what an app sets, from another object of the same person.
  func take(_ other: CKShareParticipant) {
    (permission, role) = (other.permission, other.role)
  }

  func independentCopy() -> CKShareParticipant { CKShareParticipant(self, right.withLock { $0 }) }

  // MARK: Copying and archiving

  /// Returns an independent copy.
  public func copy(with zone: NSZone? = nil) -> Any { independentCopy() }

  /// Participants can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let id = "ParticipantID"
    static let identity = "UserIdentity"
    static let status = "AcceptanceStatus"
    static let added = "DateAddedToShare"
    static let isApproved = "IsApprovedRequester"
    static let isByURL = "IsOneTimeURLParticipant"
    static let url = "OneTimeURL"
    static let permission = "Permission"
    static let role = "Role"
  }

  /// Writes the participant to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(participantID as NSString, forKey: Key.id)
    coder.encode(userIdentity, forKey: Key.identity)
    coder.encode(acceptanceStatus.rawValue, forKey: Key.status)
    coder.encode(dateAddedToShare as NSDate?, forKey: Key.added)
    coder.encode(isApprovedRequester, forKey: Key.isApproved)
    coder.encode(isByURL, forKey: Key.isByURL)
    coder.encode(oneTimeURL?.absoluteString as NSString?, forKey: Key.url)
    coder.encode(permission.rawValue, forKey: Key.permission)
    coder.encode(role.rawValue, forKey: Key.role)
  }

  /// Reads a participant from a keyed archive; nil for another object.
  public init?(coder: NSCoder) {
    guard let id = coder.string(forKey: Key.id) else { return nil }
    participantID = id
    userIdentity = coder.object(of: CKUserIdentity.self, forKey: Key.identity) ?? .unknown
    acceptanceStatus =
      coder.integer(forKey: Key.status).flatMap(AcceptanceStatus.init) ?? .unknown
    dateAddedToShare = coder.date(forKey: Key.added)
    isApprovedRequester = coder.bool(forKey: Key.isApproved)
    isByURL = coder.bool(forKey: Key.isByURL)
    oneTimeURL = coder.string(forKey: Key.url).flatMap { URL(string: $0) }
    right = Locked(
      Right(
        permission: coder.integer(forKey: Key.permission).flatMap(Permission.init) ?? .unknown,
        role: coder.integer(forKey: Key.role).flatMap(Role.init) ?? .unknown))
  }

  // MARK: Comparing

  /// Whether it is the same person: by participant, user record, or what found the person
  /// (R10.2.3).
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKShareParticipant else { return false }
    if participantID == other.participantID { return true }
    if isByURL || other.isByURL { return false }
    let (one, another) = (userIdentity, other.userIdentity)
    if let user = one.userRecordID, user == another.userRecordID { return true }
    if let lookup = one.lookupInfo, lookup == another.lookupInfo { return true }
    return false
  }

  // People who are the same can have any of these in common.
  public override var hash: Int { 0 }

  /// `<CKShareParticipant: 0x7f…; participantID=…, role=privateUser, …>`.
  public override var description: String {
    "<CKShareParticipant: \(address(of: self)); participantID=\(participantID), role=\(role), "
      + "permission=\(permission), acceptanceStatus=\(acceptanceStatus)>"
  }
}
