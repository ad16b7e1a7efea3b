/// What a participant may do with the records of a share; the numbers are those of
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

/// What somebody is in a share; the numbers are those of `CKShareParticipantRole` (R10.2).
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

/// Whether somebody has accepted a share; the numbers are those of
/// `CKShareParticipantAcceptanceStatus` (R10.2), and two of ours for people who do not take part.
public enum AcceptanceStatus: Int, Sendable, CaseIterable {
  case pending = 1
  case accepted = 2
  case removed = 3
  /// Asks for access (R10.2.9).
  case requested = 10
  /// May not ask again (R10.2.9).
  case blocked = 11

  /// The status' name in CloudKit's API.
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

/// Somebody who takes part in a share, asks to, or is blocked.
public struct ShareParticipant: Sendable, Equatable {
  /// The participant's id: the same person keeps it (R10.2.3); nil for the owner.
  public var id: String?
  /// Who it is.
  public var identity: UserIdentity
  /// The account that it is here; nil for none.
  public var account: Account?
  /// What he is in the share.
  public var role: ParticipantRole
  /// What he may do.
  public var permission: SharePermission
  /// Whether he has accepted.
  public var status: AcceptanceStatus
  /// When he was added; nil for the owner.
  public var added: Timestamp?
  /// Whether he asked for access and got it.
  public var isApprovedRequester: Bool
  /// The URL that is for him alone (R10.2.10); nil for none.
  public var oneTimeURL: ShareURL?

  /// Describes a participant.
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

/// A share: its record, and who takes part (R10.1, R10.2).
public struct Share: Sendable {
  /// The record of type `cloudkit.share`.
  public var record: Record
  /// The root of the shared hierarchy; nil for a shared zone (R10.1.2).
  public var root: RecordName?
  /// Where others find it.
  public var url: ShareURL
  /// What anybody with the URL may do (R10.2.6).
  public var publicPermission: SharePermission
  /// Whether people may ask for access (R10.2.9).
  public var allowsRequests: Bool
  /// The owner, then those who take part, in the order in which they were added.
  public var participants: [ShareParticipant]
  /// Those who ask for access.
  public var requesters: [ShareParticipant]
  /// Those who may not ask.
  public var blocked: [ShareParticipant]
  /// Who asks, as a participant; nil for somebody else.
  public var current: ShareParticipant?

  /// Describes a share.
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

  /// The name of the share of a hierarchy, with a UUID of its own.
  public init(ofShare uuid: String) { self.init(stored: Self.sharePrefix + uuid) }

  /// Whether a share may have this name; other records may have it, too.
  public var isOfShare: Bool { text.hasPrefix(Self.sharePrefix) || self == .zoneWideShare }
}

extension FieldName {
  /// The title of a share (`CKShare.SystemFieldKey.title`).
  public static let shareTitle = FieldName(stored: "cloudkit.title")
  /// What kind of thing is shared, a uniform type identifier.
  public static let shareType = FieldName(stored: "cloudkit.type")
  /// A picture of what is shared.
  public static let shareThumbnail = FieldName(stored: "cloudkit.thumbnailImageData")
}
