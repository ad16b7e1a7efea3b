internal import Foundation

/// A share's properties other than the fields of its record, and the app's changes to them.
struct Sharing: Sendable {
  /// The root of the hierarchy; nil for a whole zone.
  var root: CKRecord.ID?
  var url: URL?
  var publicPermission = CKShare.ParticipantPermission.none
  var allowsAccessRequests = false
  /// The owner first. A new share has none before it is saved.
  var participants: [CKShareParticipant] = []
  /// The participant of the user; nil for none.
  var currentID: String?
  var requesters: [CKShareAccessRequester] = []
  var blocked: [CKShareBlockedIdentity] = []
  /// Answers to requests, to be sent.
  var answers: [(id: String, answer: Answer)] = []
  /// What the service has; nil before the first save.
  var saved: Saved?

  /// An answer to a request for access.
  enum Answer: String, Sendable {
    case deny
    case block
    case unblock
  }

  /// What the service has of a share.
  struct Saved: Sendable, Equatable {
    var publicPermission: CKShare.ParticipantPermission
    var allowsAccessRequests: Bool
    var participants: [String: Invited]

    struct Invited: Sendable, Equatable {
      var permission: CKShare.ParticipantPermission
      var role: CKShare.ParticipantRole
    }
  }

  var isSaved: Bool { saved != nil }

  init(root: CKRecord.ID?) { self.root = root }

  /// Notes that the service has the share as it is.
  mutating func noteSaved() {
    let invited = participants.filter { $0.role != .owner }.map { participant in
      (
        participant.participantID,
        Saved.Invited(permission: participant.permission, role: participant.role)
      )
    }
    saved = Saved(
      publicPermission: publicPermission, allowsAccessRequests: allowsAccessRequests,
      participants: Dictionary(invited, uniquingKeysWith: { $1 }))
    answers = []
  }

  /// Takes what the service has now, with what the app changed since an earlier state was sent.
  mutating func take(_ stored: Sharing, sentAs sent: Sharing) {
    var taken = stored
    if publicPermission != sent.publicPermission { taken.publicPermission = publicPermission }
    if allowsAccessRequests != sent.allowsAccessRequests {
      taken.allowsAccessRequests = allowsAccessRequests
    }
    for participant in participants {
      let before = sent.participants.first { $0.participantID == participant.participantID }
      if before?.permission == participant.permission, before?.role == participant.role { continue }
      if let place = taken.participants.firstIndex(of: participant) {
        taken.participants[place].take(participant)
      } else {
        taken.participants.append(participant)
      }
    }
    let ids = Set(participants.map(\.participantID))
    let removed = sent.participants.filter { !ids.contains($0.participantID) }
    taken.participants.removeAll { removed.contains($0) }
    taken.answers = Array(answers.dropFirst(sent.answers.count))
    self = taken
  }

  /// A copy whose participants are its own.
  func copy() -> Sharing {
    var copy = self
    copy.participants = participants.map { $0.independentCopy() }
    return copy
  }

  // MARK: Archives

  private enum Key {
    static let root = "RootRecordID"
    static let url = "MutableURL"
    static let publicPermission = "PublicPermission"
    static let allowsAccessRequests = "AllowsAccessRequests"
    static let participants = "Participants"
    static let currentID = "CurrentUserParticipantID"
    static let requesters = "Requesters"
    static let blocked = "BlockedIdentities"
    static let answers = "PendingAnswers"
    static let saved = "LastFetchedParticipants"
    static let savedPublic = "LastFetchedPublicPermission"
    static let savedRequests = "LastFetchedAllowsAccessRequests"
  }

  func encode(with coder: NSCoder) {
    coder.encode(root, forKey: Key.root)
    coder.encode(url?.absoluteString as NSString?, forKey: Key.url)
    coder.encode(publicPermission.rawValue, forKey: Key.publicPermission)
    coder.encode(allowsAccessRequests, forKey: Key.allowsAccessRequests)
    coder.encode(participants as NSArray, forKey: Key.participants)
    coder.encode(currentID as NSString?, forKey: Key.currentID)
    coder.encode(requesters as NSArray, forKey: Key.requesters)
    coder.encode(blocked as NSArray, forKey: Key.blocked)
    let answers = answers.map { "\($0.answer.rawValue) \($0.id)" }
    coder.encode(answers as NSArray, forKey: Key.answers)
    guard let saved else { return }
    coder.encode(saved.publicPermission.rawValue, forKey: Key.savedPublic)
    coder.encode(saved.allowsAccessRequests, forKey: Key.savedRequests)
    let participants = saved.participants.mapValues { invited in
      [NSNumber(value: invited.permission.rawValue), NSNumber(value: invited.role.rawValue)]
    }
    coder.encode(participants as NSDictionary, forKey: Key.saved)
  }

  init(coder: NSCoder) {
    func list<T: NSObject>(_ type: T.Type, _ key: String) -> [T] {
      coder.object(of: [NSArray.self, type], forKey: key) as? [T] ?? []
    }
    func permission(_ key: String) -> CKShare.ParticipantPermission? {
      coder.integer(forKey: key).flatMap(CKShare.ParticipantPermission.init)
    }
    root = coder.object(of: CKRecord.ID.self, forKey: Key.root)
    url = coder.string(forKey: Key.url).flatMap { URL(string: $0) }
    publicPermission = permission(Key.publicPermission) ?? .none
    allowsAccessRequests = coder.bool(forKey: Key.allowsAccessRequests)
    participants = list(CKShareParticipant.self, Key.participants)
    currentID = coder.string(forKey: Key.currentID)
    requesters = list(CKShareAccessRequester.self, Key.requesters)
    blocked = list(CKShareBlockedIdentity.self, Key.blocked)
    let answers = coder.object(of: [NSArray.self, NSString.self], forKey: Key.answers) as? [String]
    self.answers = (answers ?? []).compactMap { text in
      let parts = text.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let answer = Answer(rawValue: String(parts[0])) else { return nil }
      return (String(parts[1]), answer)
    }
    let classes = [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self]
    guard let publicPermission = permission(Key.savedPublic),
      let known = coder.object(of: classes, forKey: Key.saved) as? [String: [NSNumber]]
    else { return }
    let invited = known.compactMapValues { numbers -> Saved.Invited? in
      guard numbers.count == 2, let role = CKShare.ParticipantRole(rawValue: numbers[1].intValue),
        let permission = CKShare.ParticipantPermission(rawValue: numbers[0].intValue)
      else { return nil }
      return Saved.Invited(permission: permission, role: role)
    }
    saved = Saved(
      publicPermission: publicPermission,
      allowsAccessRequests: coder.bool(forKey: Key.savedRequests),
      participants: invited)
  }
}
