/// A participant's permission on the records of a share; the numbers are those of
/// `CKShareParticipantPermission` (R10.2).
public enum SharePermission: Int, Sendable, CaseIterable, Comparable {
  case none = 1
  case readOnly = 2
  case readWrite = 3

  /// The permission's name in CloudKit's API.
  public var name: String {
    switch self {
    case .none: "none"
    case .readOnly: "readOnly"
    case .readWrite: "readWrite"
    }
  }

  /// Whether one permission allows less than another.
  public static func < (left: SharePermission, right: SharePermission) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A participant's role in a share; the numbers are those of `CKShareParticipantRole` (R10.2).
public enum ParticipantRole: Int, Sendable, CaseIterable {
  case owner = 1
  case administrator = 2
  case privateUser = 3
  case publicUser = 4

  /// The role's name in CloudKit's API.
  public var name: String {
    switch self {
    case .owner: "owner"
    case .administrator: "administrator"
    case .privateUser: "privateUser"
    case .publicUser: "publicUser"
    }
  }
}

/// Whether a participant has accepted a share; the numbers are those of
/// `CKShareParticipantAcceptanceStatus` (R10.2), and two of our own for non-participants.
public enum AcceptanceStatus: Int, Sendable, CaseIterable {
  case pending = 1
  case accepted = 2
  case removed = 3
  /// Has requested access (R10.2.9).
  case requested = 10
  /// May not request access again (R10.2.9).
  case blocked = 11

  /// The status's name in CloudKit's API.
  public var name: String {
    switch self {
    case .pending: "pending"
    case .accepted: "accepted"
    case .removed: "removed"
    case .requested: "requested"
    case .blocked: "blocked"
    }
  }
}

/// A participant of a share, a requester, or a blocked user.
public struct ShareParticipant: Sendable, Equatable {
  /// The participant's id: the same person keeps it (R10.2.3); nil for the owner.
  public var id: String?
  /// The identity.
  public var identity: UserIdentity
  /// The local account; nil for none.
  public var account: Account?
  /// The role.
  public var role: ParticipantRole
  /// The permission.
  public var permission: SharePermission
  /// Whether the participant has accepted.
  public var status: AcceptanceStatus
  /// When the participant was added; nil for the owner.
  public var added: Timestamp?
  /// Whether the participant requested access and got it.
  public var isApprovedRequester: Bool
  /// The participant's one-time URL (R10.2.10); nil for none.
  public var oneTimeURL: ShareURL?

  /// Creates a participant.
  public init(
    id: String?, _ identity: UserIdentity, _ account: Account?, _ role: ParticipantRole,
    _ permission: SharePermission, _ status: AcceptanceStatus, added: Timestamp? = nil,
    isApprovedRequester: Bool = false, oneTimeURL: ShareURL? = nil
  ) {
    (self.id, self.identity, self.account, self.role) = (id, identity, account, role)
    (self.permission, self.status, self.added) = (permission, status, added)
    (self.isApprovedRequester, self.oneTimeURL) = (isApprovedRequester, oneTimeURL)
  }
}

/// A share: its record, and its participants (R10.1, R10.2).
public struct Share: Sendable {
  /// The record of type `cloudkit.share`.
  public var record: Record
  /// The root of the shared hierarchy; nil for a shared zone (R10.1.2).
  public var root: RecordName?
  /// The URL.
  public var url: ShareURL
  /// The permission of everyone with the URL (R10.2.6).
  public var publicPermission: SharePermission
  /// Whether users may request access (R10.2.9).
  public var allowsRequests: Bool
  /// The owner, then the other participants, in the order they were added.
  public var participants: [ShareParticipant]
  /// Users who have requested access.
  public var requesters: [ShareParticipant]
  /// Users who may not request access.
  public var blocked: [ShareParticipant]
  /// The caller's participant; nil if the caller is not one.
  public var current: ShareParticipant?

  /// Creates a share.
  public init(
    record: Record, root: RecordName?, url: ShareURL, publicPermission: SharePermission,
    allowsRequests: Bool, participants: [ShareParticipant],
    requesters: [ShareParticipant] = [], blocked: [ShareParticipant] = [],
    current: ShareParticipant? = nil
  ) {
    (self.record, self.root, self.url) = (record, root, url)
    (self.publicPermission, self.allowsRequests) = (publicPermission, allowsRequests)
    (self.participants, self.requesters, self.blocked) = (participants, requesters, blocked)
    self.current = current
  }
}

extension RecordName {
  /// The name of the share of a whole zone (`CKRecordNameZoneWideShare`, R10.1.2).
  public static let zoneWideShare = RecordName(stored: "cloudkit.zoneshare")

  private static let sharePrefix = "Share-"

  /// Creates the name of a hierarchy's share from a UUID.
  public init(ofShare uuid: String) { self.init(stored: Self.sharePrefix + uuid) }

  /// Whether it is in the form of a share's name; other records may use it, too.
  public var isOfShare: Bool { text.hasPrefix(Self.sharePrefix) || self == .zoneWideShare }
}

extension FieldName {
  /// The title of a share (`CKShare.SystemFieldKey.title`).
  public static let shareTitle = FieldName(stored: "cloudkit.title")
  /// The kind of shared content, a uniform type identifier.
  public static let shareType = FieldName(stored: "cloudkit.type")
  /// A picture of the shared content.
  public static let shareThumbnail = FieldName(stored: "cloudkit.thumbnailImageData")
}
