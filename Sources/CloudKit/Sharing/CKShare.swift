internal import Basics
internal import CloudModel
@_exported public import Foundation

/// The field with the title of a share.
public let CKShareTitleKey = CKShare.SystemFieldKey.title
/// The field with the kind of what is shared.
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType
/// The field with a picture of what is shared.
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData

/// A share: who may see and change a hierarchy of records, or a whole zone (R10.1).
open class CKShare: CKRecord, @unchecked Sendable {
  /// A participant of a share.
  public typealias Participant = CKShareParticipant
  /// What an app knows of a share by its URL.
  public typealias Metadata = CKShareMetadata
  /// A user who asks for access to a share.
  public typealias AccessRequester = CKShareAccessRequester
  /// A user who may not ask for access to a share.
  public typealias BlockedIdentity = CKShareBlockedIdentity

  /// The names of the fields that every share has.
  public enum SystemFieldKey {
    /// The title.
    public static let title: CKRecord.FieldKey = FieldName.shareTitle.text
    /// The kind of what is shared, a uniform type identifier.
    public static let shareType: CKRecord.FieldKey = FieldName.shareType.text
    /// A picture of what is shared.
    public static let thumbnailImageData: CKRecord.FieldKey = FieldName.shareThumbnail.text
  }

  /// Whether a participant takes part.
  public enum ParticipantAcceptanceStatus: Int, Sendable {
    case unknown = 0
    /// Invited.
    case pending = 1
    case accepted = 2
    case removed = 3
  }

  /// What a participant may do with the records.
  public enum ParticipantPermission: Int, Sendable {
    case unknown = 0
    case none = 1
    case readOnly = 2
    case readWrite = 3
  }

  /// What a participant is.
  public enum ParticipantRole: Int, Sendable {
    case unknown = 0
    case owner = 1
    /// May change the participants.
    case administrator = 2
    /// Was invited by the owner.
    case privateUser = 3
    /// Joined by the URL.
    case publicUser = 4
  }

  let sharing: Locked<Sharing>

  /// Creates a share of a record and of those below it, with a name of its own. Save it together
  /// with the record.
  public convenience init(rootRecord: CKRecord) {
    let name = RecordName(ofShare: UUID().uuidString).text
    self.init(
      rootRecord: rootRecord,
      shareID: CKRecord.ID(recordName: name, zoneID: rootRecord.recordID.zoneID))
  }

  /// Creates a share of a record and of those below it. Save it together with the record.
  public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
    sharing = Locked(Sharing(root: rootRecord.recordID))
    super.init(CKRecord.SystemType.share, shareID, RecordState())
    rootRecord.state.withLock { $0.share = CKRecord.Reference(recordID: shareID, action: .none) }
  }

  /// Creates a share of a record and of those below it. Save it together with the record.
  public convenience init(rootRecord: CKRecord, share shareID: CKRecord.ID) {
    self.init(rootRecord: rootRecord, shareID: shareID)
  }

  /// Creates a share of a whole zone.
  public init(recordZoneID: CKRecordZone.ID) {
    sharing = Locked(Sharing(root: nil))
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID)
    super.init(CKRecord.SystemType.share, id, RecordState())
  }

  /// A share as the service has it.
  init(_ recordID: CKRecord.ID, _ state: RecordState, _ sharing: Sharing) {
    self.sharing = Locked(sharing)
    super.init(CKRecord.SystemType.share, recordID, state)
  }

  // MARK: Participants

  /// The URL by which others accept the share; nil before it is saved.
  open var url: URL? { sharing.withLock { $0.url } }

  /// What everyone with the URL may do; at first nothing. Each change removes those who are invited
  /// and have not accepted (R10.2.7).
  open var publicPermission: CKShare.ParticipantPermission {
    get { sharing.withLock { $0.publicPermission } }
    set { sharing.withLock { $0.publicPermission = newValue } }
  }

  /// Whether users may ask for access (R10.2.9).
  open var allowsAccessRequests: Bool {
    get { sharing.withLock { $0.allowsAccessRequests } }
    set { sharing.withLock { $0.allowsAccessRequests = newValue } }
  }

  /// The participants that the user may know of, the owner first.
  open var participants: [CKShare.Participant] { sharing.withLock { $0.participants } }

  /// The owner.
  open var owner: CKShare.Participant {
    sharing.withLock { sharing in
      sharing.participants.first { $0.role == .owner } ?? .unsavedOwner
    }
  }

  /// The user's own participant; nil if the user does not take part.
  open var currentUserParticipant: CKShare.Participant? {
    sharing.withLock { sharing in
      let known = sharing.participants.first { $0.participantID == sharing.currentID }
      return known ?? (sharing.isSaved ? nil : .unsavedOwner)
    }
  }

  /// Adds a participant, or changes the one of the same person (R10.2.3). The invitation is sent
  /// when the share is saved.
  open func addParticipant(_ participant: CKShare.Participant) {
    sharing.withLock { sharing in
      if let place = sharing.participants.firstIndex(of: participant) {
        sharing.participants[place].take(participant)
      } else {
        sharing.participants.append(participant)
      }
    }
  }

  /// Removes a participant when the share is saved.
  open func removeParticipant(_ participant: CKShare.Participant) {
    sharing.withLock { $0.participants.removeAll { $0 == participant } }
  }

  /// The URL that makes one person the participant with an identity (R10.2.10); nil before the
  /// share is saved, and for a participant without such a URL.
  open func oneTimeURL(for participantID: CKShare.Participant.ID) -> URL? {
    sharing.withLock { sharing in
      sharing.participants.first { $0.participantID == participantID }?.oneTimeURL
    }
  }

  // MARK: Requests for access

  /// The users who ask for access; only the owner and administrators know them.
  open var requesters: [CKShare.AccessRequester] { sharing.withLock { $0.requesters } }

  /// The users who may not ask for access; only the owner and administrators know them.
  open var blockedIdentities: [CKShare.BlockedIdentity] { sharing.withLock { $0.blocked } }

  /// Discards requests when the share is saved.
  open func denyRequesters(_ requesters: [CKShare.AccessRequester]) {
    answer(.deny, requesters)
  }

  /// Discards requests when the share is saved, and refuses later ones of the same users. One who
  /// takes part is removed.
  open func blockRequesters(_ requesters: [CKShare.AccessRequester]) {
    answer(.block, requesters)
    sharing.withLock { sharing in
      sharing.blocked += requesters.map { CKShareBlockedIdentity($0.id, $0.userIdentity) }
    }
  }

  private func answer(_ answer: Sharing.Answer, _ requesters: [CKShare.AccessRequester]) {
    sharing.withLock { sharing in
      for requester in requesters {
        sharing.requesters.removeAll { $0 == requester }
        sharing.answers.append((requester.id, answer))
      }
    }
  }

  /// Lets users ask for access again when the share is saved.
  open func unblockIdentities(_ blockedIdentities: [CKShare.BlockedIdentity]) {
    sharing.withLock { sharing in
      for identity in blockedIdentities {
        sharing.blocked.removeAll { $0 == identity }
        sharing.answers.append((identity.id, .unblock))
      }
    }
  }

  // MARK: Copying and archiving

  open override func copy(with zone: NSZone? = nil) -> Any {
    CKShare(recordID, state.withLock { $0 }, sharing.withLock { $0.copy() })
  }

  /// Writes the share without its values, but with its participants, to a keyed archive.
  open override func encodeSystemFields(with coder: NSCoder) {
    super.encodeSystemFields(with: coder)
    sharing.withLock { $0 }.encode(with: coder)
  }

  /// Reads a share from a keyed archive; nil for another object.
  public required init?(coder: NSCoder) {
    sharing = Locked(Sharing(coder: coder))
    super.init(coder: coder)
  }
}
