internal import Basics
internal import CloudModel
internal import CloudServices
@_exported public import Foundation

/// What an app knows of a share by its URL, before it accepts it (`CKShare.Metadata`, R10.3.1).
public final class CKShareMetadata: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The container.
  public let containerIdentifier: String
  /// The share, as far as the user may see it.
  public let share: CKShare
  /// The root of the hierarchy; nil for a shared zone.
  public let hierarchicalRootRecordID: CKRecord.ID?
  /// The root, if the app asked for it and the user may see it.
  public let rootRecord: CKRecord?
  /// The owner.
  public let ownerIdentity: CKUserIdentity
  /// What the user is in the share; unknown for a user who does not take part.
  public let participantRole: CKShare.ParticipantRole
  /// Whether the user has accepted.
  public let participantStatus: CKShare.ParticipantAcceptanceStatus
  /// What the user may do with the records.
  public let participantPermission: CKShare.ParticipantPermission
  /// The URL that the user opened: that of the share, or of one person (R10.2.10).
  let url: URL?

  /// The root of the hierarchy; for a shared zone its share.
  @available(*, deprecated, message: "use hierarchicalRootRecordID")
  public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

  /// The former name of `participantRole`.
  @available(*, deprecated, message: "use participantRole")
  public var participantType: CKShare.ParticipantRole { participantRole }

  init(
    _ metadata: ShareMetadata, of url: URL, _ share: CKShare, root: CKRecord?,
    owner: CKUserIdentity
  ) {
    self.url = url
    containerIdentifier = metadata.container.text
    (self.share, rootRecord, ownerIdentity) = (share, root, owner)
    hierarchicalRootRecordID = metadata.share.root.map {
      CKRecord.ID($0, in: share.recordID.zoneID)
    }
    let own = metadata.participant
    participantRole = own.flatMap { .init(rawValue: $0.role.rawValue) } ?? .unknown
    participantStatus = own.flatMap { .init(rawValue: $0.status.rawValue) } ?? .unknown
    let isOpen = own.map { $0.status != .pending && $0.status != .accepted } ?? true
    participantPermission =
      isOpen
      ? share.publicPermission
      : own.flatMap { .init(rawValue: $0.permission.rawValue) } ?? .unknown
  }

  // MARK: Copying and archiving

  /// Returns the metadata itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Metadata can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let container = "ContainerID"
    static let share = "Share"
    static let owner = "OwnerIdentity"
    static let rootID = "RootRecordID"
    static let root = "RootRecord"
    static let status = "ParticipantStatus"
    static let role = "ParticipantType"
    static let permission = "ParticipantPermission"
    static let url = "ShareURL"
  }

  /// Writes the metadata to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(containerIdentifier as NSString, forKey: Key.container)
    coder.encode(share, forKey: Key.share)
    coder.encode(ownerIdentity, forKey: Key.owner)
    coder.encode(hierarchicalRootRecordID, forKey: Key.rootID)
    coder.encode(rootRecord, forKey: Key.root)
    coder.encode(participantStatus.rawValue, forKey: Key.status)
    coder.encode(participantRole.rawValue, forKey: Key.role)
    coder.encode(participantPermission.rawValue, forKey: Key.permission)
    coder.encode(url?.absoluteString as NSString?, forKey: Key.url)
  }

  /// Reads metadata from a keyed archive; nil for another object.
  public init?(coder: NSCoder) {
    guard let container = coder.string(forKey: Key.container),
      let share = coder.object(of: CKShare.self, forKey: Key.share)
    else { return nil }
    (containerIdentifier, self.share) = (container, share)
    ownerIdentity = coder.object(of: CKUserIdentity.self, forKey: Key.owner) ?? .unknown
    hierarchicalRootRecordID = coder.object(of: CKRecord.ID.self, forKey: Key.rootID)
    rootRecord = coder.object(of: CKRecord.self, forKey: Key.root)
    participantStatus =
      coder.integer(forKey: Key.status).flatMap { .init(rawValue: $0) } ?? .unknown
    participantRole = coder.integer(forKey: Key.role).flatMap { .init(rawValue: $0) } ?? .unknown
    participantPermission =
      coder.integer(forKey: Key.permission).flatMap { .init(rawValue: $0) } ?? .unknown
    url = coder.string(forKey: Key.url).flatMap { URL(string: $0) } ?? share.url
  }

  /// Whether it is the same share as the same user sees it.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKShareMetadata else { return false }
    return containerIdentifier == other.containerIdentifier && share.url == other.share.url
      && participantStatus == other.participantStatus && participantRole == other.participantRole
  }

  public override var hash: Int { share.url?.hashValue ?? 0 }

  /// `<CKShareMetadata: 0x7f…; share=…>`.
  public override var description: String {
    "<CKShareMetadata: \(address(of: self)); share=\(share.recordID), "
      + "participantStatus=\(participantStatus)>"
  }
}

/// A user who asks for access to a share (`CKShare.AccessRequester`, R10.2.9).
public final class CKShareAccessRequester: NSObject, NSSecureCoding, NSCopying, Sendable {
  let id: String
  /// The user.
  public let userIdentity: CKUserIdentity

  init(_ id: String, _ identity: CKUserIdentity) { (self.id, userIdentity) = (id, identity) }

  /// How to look the user up, to add a participant.
  public var participantLookupInfo: CKUserIdentity.LookupInfo {
    userIdentity.userRecordID.map { .init(userRecordID: $0) }
      ?? userIdentity.lookupInfo ?? .init(emailAddress: "")
  }

  /// Returns the requester itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Requesters can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the requester to a keyed archive.
  public func encode(with coder: NSCoder) {
    ArchivedUser(id, userIdentity).encode(with: coder)
  }

  /// Reads a requester from a keyed archive; nil for another object.
  public init?(coder: NSCoder) {
    guard let user = ArchivedUser(coder) else { return nil }
    (id, userIdentity) = (user.id, user.identity)
  }

  /// Whether it is the same request.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareAccessRequester)?.id == id
  }

  public override var hash: Int { id.hashValue }
}

/// A user who may not ask for access to a share (`CKShare.BlockedIdentity`, R10.2.9).
public final class CKShareBlockedIdentity: NSObject, NSSecureCoding, NSCopying, Sendable {
  let id: String
  /// The user.
  public let userIdentity: CKUserIdentity

  init(_ id: String, _ identity: CKUserIdentity) { (self.id, userIdentity) = (id, identity) }

  /// Returns the identity itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the identity to a keyed archive.
  public func encode(with coder: NSCoder) {
    ArchivedUser(id, userIdentity).encode(with: coder)
  }

  /// Reads an identity from a keyed archive; nil for another object.
  public init?(coder: NSCoder) {
    guard let user = ArchivedUser(coder) else { return nil }
    (id, userIdentity) = (user.id, user.identity)
  }

  /// Whether it is the same user.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKShareBlockedIdentity)?.id == id
  }

  public override var hash: Int { id.hashValue }
}

/// A user beside a share, as a keyed archive has one.
private struct ArchivedUser {
  let id: String
  let identity: CKUserIdentity

  init(_ id: String, _ identity: CKUserIdentity) { (self.id, self.identity) = (id, identity) }

  init?(_ coder: NSCoder) {
    guard let id = coder.string(forKey: "ParticipantID") else { return nil }
    self.id = id
    identity = coder.object(of: CKUserIdentity.self, forKey: "UserIdentity") ?? .unknown
  }

  func encode(with coder: NSCoder) {
    coder.encode(id as NSString, forKey: "ParticipantID")
    coder.encode(identity, forKey: "UserIdentity")
  }
}
